import { describe, expect, it } from 'vitest';
import { deadTtlsMs, endlessTtlsMs } from '../difficult-values.ts';
import { createRecord } from './record-stores.ts';
import type { RecordStores } from './record-stores.ts';

/** How long a record lives. */
export function describeExpiry(stores: RecordStores): void {
  const { clock } = stores;

  describe('when time passes', () => {
    it('keeps a record while the clock is before its expiry, and not at it', async () => {
      const store = await stores.open();
      const version = await createRecord(store, 'key', 'value', 100);
      clock.now += 99;
      expect(await store.get('key')).toEqual({ value: 'value', version });
      expect(await store.keys('')).toEqual(['key']);
      clock.now += 1;
      expect(await store.get('key')).toBeUndefined();
      expect(await store.keys('')).toEqual([]);
      expect(await store.delete('key')).toBe(false);
    });

    it('takes a record that has expired as absent, and makes it anew with a version that the old holder lacks', async () => {
      const store = await stores.open();
      const old = await createRecord(store, 'key', 'old', 100);
      clock.now += 100;
      expect(await store.put('key', 'late', { expected: old })).toBeUndefined();
      expect(await store.get('key')).toBeUndefined();
      const version = await createRecord(store, 'key', 'new', 100);
      expect(version).not.toBe(old);
      expect(await store.put('key', 'late', { expected: old })).toBeUndefined();
      expect(await store.delete('key', { expected: old })).toBe(false);
      expect(await store.get('key')).toEqual({ value: 'new', version });
    });

    it('gives a record that was removed and made again a version that the old holder lacks', async () => {
      const store = await stores.open();
      const old = await createRecord(store, 'key', 'same');
      await store.delete('key');
      await createRecord(store, 'key', 'same');
      expect(await store.put('key', 'late', { expected: old })).toBeUndefined();
    });

    it('keeps the expiry of a record that is replaced without ttlMs', async () => {
      const store = await stores.open();
      const first = await createRecord(store, 'key', 'value', 100);
      clock.now += 60;
      expect(await store.put('key', 'new', { expected: first })).toBeDefined();
      clock.now += 39;
      expect(await store.get('key')).toMatchObject({ value: 'new' });
      clock.now += 1;
      expect(await store.get('key')).toBeUndefined();
    });

    it('counts ttlMs from the put that names it', async () => {
      const store = await stores.open();
      const first = await createRecord(store, 'key', 'value', 100);
      clock.now += 60;
      const second = await store.put('key', 'new', { expected: first, ttlMs: 100 });
      clock.now += 99;
      expect(await store.get('key')).toMatchObject({ version: second });
      clock.now += 1;
      expect(await store.get('key')).toBeUndefined();
    });

    it.each(endlessTtlsMs)('takes the expiry away with ttlMs %d', async (ttlMs) => {
      const store = await stores.open();
      const first = await createRecord(store, 'key', 'value', 100);
      await store.put('key', 'value', { expected: first, ttlMs });
      clock.now += 1e12;
      expect(await store.get('key')).toBeDefined();
      clock.now -= 1e12;
    });

    it('does not inherit the expiry of a record that has expired', async () => {
      const store = await stores.open();
      await createRecord(store, 'key', 'value', 100);
      clock.now += 100;
      await createRecord(store, 'key', 'value');
      clock.now += 1e6;
      expect(await store.get('key')).toBeDefined();
    });

    it.each(deadTtlsMs)('writes a record that has expired with ttlMs %d', async (ttlMs) => {
      const store = await stores.open();
      const first = await createRecord(store, 'key', 'value');
      const second = await store.put('key', 'new', { expected: first, ttlMs });
      expect(second).toBeDefined();
      expect(await store.get('key')).toBeUndefined();
      expect(await store.put('key', 'late', { expected: second })).toBeUndefined();
      expect(await store.put('key', 'late', { expected: first })).toBeUndefined();
      expect(await store.put('key', 'new', { expected: undefined })).toBeDefined();
    });

    it('keeps a record for at least a fraction of a millisecond', async () => {
      const store = await stores.open();
      await createRecord(store, 'key', 'value', 0.25);
      expect(await store.get('key')).toBeDefined();
      clock.now += 1;
      expect(await store.get('key')).toBeUndefined();
    });
  });
}
