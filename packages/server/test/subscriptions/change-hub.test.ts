import { createMemoryEventBus, type EventBus, StoreError } from '@switchyard/stores';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import type { Change } from '../../src/subscriptions/change.ts';
import { createChangeHub } from '../../src/subscriptions/change-hub.ts';

const anything: Change = { anything: true };
const first: Change = { uri: 'test://first' };
const second: Change = { uri: 'test://second' };

/** What one instance does when it publishes. */
type Publish = EventBus['publish'];

/** Two instances of a server over one bus, of which the first publishes in its own way. */
async function openPair(publish: (over: EventBus) => Publish) {
  const bus = createMemoryEventBus({ maxMessageChars: 1_000 });
  onTestFinished(() => bus.close());
  const broken: EventBus = { ...bus, publish: publish(bus) };
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const here = createChangeHub({ bus: broken, topic: 't', onFailure });
  const there = createChangeHub({ bus, topic: 't', onFailure });
  const heard: { readonly here: Change[]; readonly there: Change[] } = { here: [], there: [] };
  await here.listen((change) => heard.here.push(change));
  await there.listen((change) => heard.there.push(change));
  return { announce: here.announce, heard, failures, bus };
}

const unavailable = (): StoreError => new StoreError('unavailable', 'the connection broke');

describe('a change that the bus does not take', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => void vi.useRealTimers();
  });

  it.each<[string, () => never | Promise<never>]>([
    ['rejects', () => Promise.reject(unavailable())],
    [
      'throws at once',
      () => {
        throw unavailable();
      },
    ],
    ['fails with what is no StoreError', () => Promise.reject(new Error('broken pipe'))],
  ])('is told here at once, and elsewhere as anything once a bus that %s works again', async (_, fail) => {
    let works = false;
    const tries: string[] = [];
    const pair = await openPair((over) => (topic, text) => {
      tries.push(text);
      return works ? over.publish(topic, text) : fail();
    });
    pair.announce(first);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pair.heard).toEqual({ here: [first], there: [] });
    expect(pair.failures).toHaveLength(1);
    expect(tries.length).toBeLessThan(20);
    works = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(pair.heard).toEqual({ here: [first, anything], there: [anything] });
    pair.announce(second);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pair.heard.there).toEqual([anything, second]);
  });

  it.each([
    ['a URI', { uri: `test://${'x'.repeat(1_000)}` }],
    ['a task', { task: 'x'.repeat(1_000), by: 'run' } as const],
  ])('is told elsewhere as anything when it is too long for it: %s', async (_, change) => {
    const pair = await openPair((over) => over.publish);
    pair.announce(change);
    await vi.advanceTimersByTimeAsync(0);
    expect(pair.heard).toEqual({ here: [change, anything], there: [anything] });
  });

  it('is told elsewhere though the bus takes the news of an older one at that moment', async () => {
    const taken = Promise.withResolvers<void>();
    let publishes = 0;
    const pair = await openPair((over) => async (topic, text) => {
      publishes += 1;
      if (publishes === 1 || publishes === 3) throw unavailable();
      await over.publish(topic, text);
      // The bus has it, and its answer is late.
      if (publishes === 2) await taken.promise;
    });
    pair.announce(first);
    await vi.advanceTimersByTimeAsync(0);
    expect(pair.heard.there).toEqual([anything]);
    pair.announce(second);
    await vi.advanceTimersByTimeAsync(0);
    taken.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(pair.heard.there).toEqual([anything, anything]);
    expect(publishes).toBe(4);
  });

  it('is told elsewhere though the bus never answers for it, nor for the news of an older one', async () => {
    let publishes = 0;
    const pair = await openPair((over) => (topic, text) => {
      publishes += 1;
      return publishes <= 2 ? new Promise(() => undefined) : over.publish(topic, text);
    });
    pair.announce(first);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pair.heard).toEqual({ here: [first, anything], there: [anything] });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is logged with the first of many, and again once the bus has worked in between', async () => {
    let hangs = true;
    const pair = await openPair((over) => (topic, text) => {
      return hangs ? new Promise(() => undefined) : over.publish(topic, text);
    });
    const announceMany = async (): Promise<void> => {
      for (let n = 0; n < 50; n += 1) pair.announce({ uri: `test://${n}` });
      await vi.advanceTimersByTimeAsync(60_000);
    };
    await announceMany();
    await announceMany();
    expect(pair.failures).toHaveLength(1);
    expect(pair.heard.here).toHaveLength(100);
    hangs = false;
    await vi.advanceTimersByTimeAsync(60_000);
    hangs = true;
    await announceMany();
    expect(pair.failures).toHaveLength(2);
  });

  it('is told here alone once the bus is closed, which is not tried again', async () => {
    let tries = 0;
    const pair = await openPair((over) => (topic, text) => {
      tries += 1;
      return over.publish(topic, text);
    });
    await pair.bus.close();
    pair.announce(first);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pair.heard).toEqual({ here: [first], there: [] });
    expect(tries).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a bus that does not answer whether it has subscribed', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => void vi.useRealTimers();
  });

  it('is given up for those who wait, asked anew for who comes next, and left when it answers at last', async () => {
    const bus = createMemoryEventBus();
    onTestFinished(() => bus.close());
    const late = Promise.withResolvers<AsyncDisposable>();
    let asked = 0;
    let left = 0;
    const slow: EventBus = {
      ...bus,
      subscribe: (...given) => {
        asked += 1;
        return asked === 1 ? late.promise : bus.subscribe(...given);
      },
    };
    const hub = createChangeHub({ bus: slow, topic: 't', onFailure: () => undefined });
    const heard: Change[] = [];
    const refused = [1, 2].map(() => hub.listen((change) => heard.push(change)).catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(20_000);
    for (const error of await Promise.all(refused)) expect(error).toMatchObject({ code: 'unavailable' });
    await hub.listen((change) => heard.push(change));
    late.resolve({
      [Symbol.asyncDispose]: async () => {
        left += 1;
      },
    });
    hub.announce(first);
    await vi.advanceTimersByTimeAsync(0);
    expect([asked, left, heard]).toEqual([2, 1, [first]]);
  });
});
