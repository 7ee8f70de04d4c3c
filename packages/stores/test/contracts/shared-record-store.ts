import { describe, expect, it } from 'vitest';
import { useRecordStores } from './record-store/record-stores.ts';
import type { RecordStoreUnderTest } from './record-store/record-stores.ts';
import { storeError } from './store-error.ts';

/** The contract of a record store that outlives its handle and has several: every such implementation runs it. */
export function describeSharedRecordStore(implementation: string, underTest: RecordStoreUnderTest): void {
  describe(`several handles of the record store ${implementation}`, () => {
    const { newPlace } = underTest;
    const stores = useRecordStores(underTest);

    it('shows every change to the other handles at once', async () => {
      const place = newPlace();
      const [left, right] = [await stores.open({}, place), await stores.open({}, place)];
      const first = await left.put('key', 'from the left', { expected: undefined, ttlMs: 100 });
      expect(await right.get('key')).toEqual({ value: 'from the left', version: first });
      const second = await right.put('key', 'from the right', { expected: first });
      expect(await left.put('key', 'late', { expected: first })).toBeUndefined();
      expect(await left.get('key')).toEqual({ value: 'from the right', version: second });
      expect(await left.keys('')).toEqual(['key']);
      expect(await right.delete('key')).toBe(true);
      expect(await left.get('key')).toBeUndefined();
    });

    it('keeps records, versions and expiries when it is opened again', async () => {
      const place = newPlace();
      const first = await stores.open({}, place);
      const version = await first.put('for ever', '1', { expected: undefined });
      await first.put('for a while', '2', { expected: undefined, ttlMs: 10 });
      await first.close();
      const second = await stores.open({}, place);
      expect(await second.keys('')).toEqual(['for a while', 'for ever']);
      stores.clock.now += 10;
      expect(await second.get('for a while')).toBeUndefined();
      expect(await second.get('for ever')).toEqual({ value: '1', version });
      expect(await second.put('for ever', '3', { expected: version })).toBeDefined();
    });

    it('still lets records shrink and go when its limits were lowered', async () => {
      const place = newPlace();
      const wide = await stores.open({}, place);
      const version = await wide.put('a', 'x'.repeat(50), { expected: undefined });
      await wide.put('b', 'x'.repeat(50), { expected: undefined });
      const narrow = await stores.open({ maxRecords: 1, maxTotalChars: 20 }, place);
      await expect(narrow.put('c', '', { expected: undefined })).rejects.toEqual(storeError('too-large'));
      expect(await narrow.put('a', 'x'.repeat(40), { expected: version })).toBeDefined();
      expect(await narrow.delete('b')).toBe(true);
    });
  });
}
