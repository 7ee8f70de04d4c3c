import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRecordTokenStore } from '../../src/authorization/record-token-store.ts';
import { createManualClock, settle } from '../manual-clock.ts';

const key = new Uint8Array(32).fill(3);
const never = new AbortController().signal;
const secret = '{"access_token":"at-9f3b","refresh_token":"rt-77c1"}';

function openRecords(epochNow: () => number = () => 0): RecordStore {
  const records = createMemoryRecordStore({ epochNow });
  onTestFinished(() => records.close());
  return records;
}

describe('createRecordTokenStore', () => {
  it('gives back what was kept, to another process with the same key, and nothing after it was deleted', async () => {
    const records = openRecords();
    const [one, other] = [
      createRecordTokenStore({ records, key }),
      createRecordTokenStore({ records, key: () => key }),
    ];
    expect(await one.get('a')).toBeUndefined();
    await one.set('a', 'first');
    await one.set('a', secret);
    expect(await other.get('a')).toBe(secret);
    await other.delete('a');
    expect(await one.get('a')).toBeUndefined();
  });

  it('[AUTHCL-21] [AUTHCL-27] shows the database neither a token nor the name of its key', async () => {
    const records = openRecords();
    await createRecordTokenStore({ records, key }).set('https://as.example client-1', secret);
    const keys = await records.keys('');
    const values = await Promise.all(keys.map((each) => records.get(each)));
    expect(keys.length).toBe(1);
    expect(JSON.stringify([keys, values])).not.toMatch(/at-9f3b|rt-77c1|as\.example|client-1/);
  });

  it('[AUTHCL-27] answers wrong-key to another key and writes nothing over, and corrupt to a moved value', async () => {
    const records = openRecords();
    const store = createRecordTokenStore({ records, key });
    await store.set('a', secret);
    const wrong = createRecordTokenStore({ records, key: new Uint8Array(32).fill(4) });
    await expect(wrong.get('a')).rejects.toMatchObject({ name: 'TokenStoreError', code: 'wrong-key' });
    await expect(wrong.set('a', 'new')).rejects.toMatchObject({ code: 'wrong-key' });
    expect(await store.get('a')).toBe(secret);
    const [only = ''] = await records.keys('');
    const moved = (await records.get(only))?.value ?? '';
    await store.set('b', 'of b');
    const other = (await records.keys('')).find((each) => each !== only) ?? '';
    await records.put(other, moved, { expected: (await records.get(other))?.version });
    await expect(store.get('b')).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('has one at a time work, and keeps the lease of a long work', async () => {
    const clock = createManualClock();
    const records = openRecords(() => clock.now());
    const [one, other] = [1, 2].map(() => createRecordTokenStore({ records, key, clock })) as [
      ReturnType<typeof createRecordTokenStore>,
      ReturnType<typeof createRecordTokenStore>,
    ];
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = one.exclusively('a', never, async () => {
      order.push('first begins');
      await gate.promise;
      order.push('first ends');
    });
    await settle();
    const second = other.exclusively('a', never, () => Promise.resolve(order.push('second')));
    await clock.advance(120_000);
    expect(order).toEqual(['first begins']);
    gate.resolve();
    await first;
    await clock.advance(1000);
    await second;
    expect(order).toEqual(['first begins', 'first ends', 'second']);
    expect(await records.keys('token-lock:')).toEqual([]);
  });

  it('lets others work once the lease of a process that died is over', async () => {
    const clock = createManualClock();
    const records = openRecords(() => clock.now());
    const dead = { ...createManualClock(), now: () => 0 };
    void createRecordTokenStore({ records, key, clock: dead }).exclusively(
      'a',
      never,
      () => new Promise(() => undefined),
    );
    await settle();
    let isDone = false;
    const waiting = createRecordTokenStore({ records, key, clock }).exclusively('a', never, () => {
      isDone = true;
      return Promise.resolve();
    });
    await clock.advance(29_000);
    expect(isDone).toBe(false);
    await clock.advance(2000);
    await waiting;
    expect(isDone).toBe(true);
  });

  it('gives up waiting with the reason of the signal, and says that the database failed', async () => {
    const clock = createManualClock();
    const records = openRecords(() => clock.now());
    const store = createRecordTokenStore({ records, key, clock });
    void store.exclusively('a', never, () => new Promise(() => undefined));
    await settle();
    const giveUp = new AbortController();
    const waiting = store.exclusively('a', giveUp.signal, () => Promise.resolve()).catch((error: unknown) => error);
    await settle();
    giveUp.abort(new Error('no more'));
    expect(await waiting).toEqual(new Error('no more'));
    await records.close();
    await expect(store.get('a')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
