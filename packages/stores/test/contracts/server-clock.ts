import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecordStoreUnderTest } from './record-store/record-stores.ts';

/** The contract of a record store in a server that has the clock: every such implementation runs it. */
export function describeServerClock(implementation: string, { open, newPlace }: RecordStoreUnderTest): void {
  describe(`the record store ${implementation}`, () => {
    it('follows the clock of the server where it is given none', async () => {
      const store = await open({}, newPlace());
      onTestFinished(() => store.close());
      const version = await store.put('key', 'value', { expected: undefined, ttlMs: 60_000 });
      expect(await store.get('key')).toEqual({ value: 'value', version });
      await store.put('key', 'value', { expected: version, ttlMs: 20 });
      await expect.poll(() => store.get('key'), { interval: 5 }).toBeUndefined();
      expect(await store.put('key', 'new', { expected: undefined })).toBeDefined();
    });
  });
}
