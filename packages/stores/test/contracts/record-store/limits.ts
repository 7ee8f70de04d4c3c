import { describe, expect, it } from 'vitest';
import { unstorableEntries } from '../difficult-values.ts';
import { storeError } from '../store-error.ts';
import { createRecord } from './record-stores.ts';
import type { RecordStores } from './record-stores.ts';

/** What a store refuses. */
export function describeLimits(stores: RecordStores): void {
  const { clock } = stores;

  describe('at its limits', () => {
    it('refuses a new record when it has the most that it may, and evicts none that is alive', async () => {
      const store = await stores.open({ maxRecords: 2 });
      const version = await createRecord(store, 'a');
      await createRecord(store, 'b', 'value', 1000);
      await expect(store.put('c', 'value', { expected: undefined })).rejects.toEqual(storeError('too-large'));
      expect(await store.keys('')).toEqual(['a', 'b']);
      expect(await store.put('a', 'new', { expected: version })).toBeDefined();
      await store.delete('a');
      await createRecord(store, 'c');
      expect(await store.keys('')).toEqual(['b', 'c']);
    });

    it('says how full it is, by records or by characters, whichever is nearer to its limit', async () => {
      const store = await stores.open({ maxRecords: 4, maxTotalChars: 40 });
      expect(await store.fullness?.()).toBe(0);
      await createRecord(store, 'a', 'x');
      expect(await store.fullness?.()).toBe(0.25);
      await createRecord(store, 'b', 'x'.repeat(27));
      expect(await store.fullness?.()).toBe(0.75);
      await store.delete('b');
      expect(await store.fullness?.()).toBe(0.25);
    });

    it('answers a conflict, not that it is full, where the record is not as expected', async () => {
      const store = await stores.open({ maxRecords: 1 });
      const version = await createRecord(store, 'a');
      expect(await store.put('a', 'value', { expected: undefined })).toBeUndefined();
      expect(await store.put('b', 'value', { expected: version })).toBeUndefined();
    });

    it('refuses to grow over the characters that it may have together', async () => {
      const store = await stores.open({ maxTotalChars: 20 });
      const version = await createRecord(store, 'a', 'x'.repeat(9));
      await createRecord(store, 'b', 'x'.repeat(8));
      await expect(store.put('c', '1', { expected: undefined })).rejects.toEqual(storeError('too-large'));
      await expect(store.put('a', 'x'.repeat(11), { expected: version })).rejects.toEqual(storeError('too-large'));
      expect(await store.get('a')).toEqual({ value: 'x'.repeat(9), version });
      const shorter = await store.put('a', 'x'.repeat(10), { expected: version });
      expect(await store.put('a', 'x', { expected: shorter })).toBeDefined();
      await createRecord(store, 'c', 'x'.repeat(8));
    });

    it('gives the room of records back that were removed, replaced or have expired', async () => {
      const store = await stores.open({ maxRecords: 3, maxTotalChars: 30 });
      await createRecord(store, 'kept', 'xxxxxx');
      for (let round = 0; round < 10; round += 1) {
        const version = await createRecord(store, 'a', 'x'.repeat(9));
        await store.put('a', 'y'.repeat(5), { expected: version });
        await createRecord(store, 'b', 'x'.repeat(9), 5);
        await store.delete('a');
        clock.now += 5;
      }
      expect(await store.keys('')).toEqual(['kept']);
    });

    it('makes room for a large record by dropping all that have expired, however many', async () => {
      const store = await stores.open({ maxRecords: 40, maxTotalChars: 1000 });
      await Promise.all(
        Array.from({ length: 40 }, (_, index) => createRecord(store, `old ${index}`, 'x'.repeat(15), 10)),
      );
      await expect(store.put('new', '1', { expected: undefined })).rejects.toEqual(storeError('too-large'));
      clock.now += 10;
      await createRecord(store, 'new', 'x'.repeat(990));
      expect(await store.keys('')).toEqual(['new']);
    });

    it('refuses a key or a value that is over a limit', async () => {
      const store = await stores.open({ maxKeyChars: 3, maxValueChars: 5 });
      const version = await createRecord(store, 'key', '12345');
      await expect(store.put('keys', '1', { expected: undefined })).rejects.toEqual(storeError('too-large'));
      await expect(store.put('key', '123456', { expected: version })).rejects.toEqual(storeError('too-large'));
      await expect(store.get('keys')).rejects.toEqual(storeError('too-large'));
      await expect(store.delete('keys')).rejects.toEqual(storeError('too-large'));
      await expect(store.keys('keys')).rejects.toEqual(storeError('too-large'));
      await expect(store.keys('', { after: 'keys' })).rejects.toEqual(storeError('too-large'));
      expect(await store.get('key')).toEqual({ value: '12345', version });
    });

    it.each(unstorableEntries)('refuses %s, which some databases would change', async (_kind, key, value) => {
      const store = await stores.open();
      await expect(store.put(key, value, { expected: undefined })).rejects.toEqual(storeError('corrupt'));
    });
  });
}
