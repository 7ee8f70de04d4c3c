import { expect, it } from 'vitest';
import { createMemoryTokenStore } from '../../src/authorization/index.ts';
import { settle } from '../manual-clock.ts';

it('a store in memory runs one piece of work under a key at a time, and gives up waiting on a signal', async () => {
  const store = createMemoryTokenStore();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const { signal } = new AbortController();
  const running = store.exclusively('key', signal, async () => {
    order.push('first begins');
    await first.promise;
    order.push('first ends');
  });
  const waiting = store.exclusively('key', signal, () => Promise.resolve(order.push('second')));
  const caller = new AbortController();
  const givenUp = store.exclusively('key', caller.signal, () => Promise.resolve(order.push('never')));
  await store.exclusively('other', signal, () => Promise.resolve(order.push('other')));
  caller.abort(new Error('enough'));
  await expect(givenUp).rejects.toThrow('enough');
  await settle();
  expect(order).toEqual(['first begins', 'other']);
  first.resolve();
  await Promise.all([running, waiting]);
  await store.exclusively('key', signal, () => Promise.resolve(order.push('third')));
  expect(order).toEqual(['first begins', 'other', 'first ends', 'second', 'third']);
});
