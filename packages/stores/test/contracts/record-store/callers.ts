import { describe, expect, it } from 'vitest';
import { createRecord } from './record-stores.ts';
import type { RecordStores } from './record-stores.ts';

const CALLERS = 50;

/** What many callers get who want the same record at once. */
export function describeCallers(stores: RecordStores): void {
  const { clock } = stores;

  describe('with many callers', () => {
    it('lets exactly one of those win who expect the record to be absent', async () => {
      const [left, right] = await stores.openTwo();
      const versions = await Promise.all(
        Array.from({ length: CALLERS }, (_, index) =>
          (index % 2 === 0 ? left : right).put('key', `caller ${index}`, { expected: undefined }),
        ),
      );
      const winners = [...versions.entries()].filter(([, version]) => version !== undefined);
      expect(winners).toHaveLength(1);
      const [winner, version] = winners[0] ?? [];
      expect(await right.get('key')).toEqual({ value: `caller ${winner}`, version });
    });

    it('lets exactly one of those win who replace or remove the same version', async () => {
      const [left, right] = await stores.openTwo();
      const expected = await createRecord(left, 'key');
      const wins = await Promise.all(
        Array.from({ length: CALLERS }, async (_, index) => {
          const store = index % 2 === 0 ? left : right;
          if (index % 5 === 0) return await store.delete('key', { expected });
          return (await store.put('key', `caller ${index}`, { expected })) !== undefined;
        }),
      );
      expect(wins.filter(Boolean)).toHaveLength(1);
    });

    it('lets exactly one of those win who take the place of a record that has expired', async () => {
      const [left, right] = await stores.openTwo();
      await createRecord(left, 'key', 'old', 10);
      clock.now += 10;
      const versions = await Promise.all(
        Array.from({ length: CALLERS }, (_, index) =>
          (index % 2 === 0 ? left : right).put('key', `caller ${index}`, { expected: undefined, ttlMs: 1000 }),
        ),
      );
      expect(versions.filter((version) => version !== undefined)).toHaveLength(1);
    });

    it('loses no change of those who try again after a conflict', async () => {
      const [left, right] = await stores.openTwo();
      await createRecord(left, 'count', '0');
      await Promise.all(
        Array.from({ length: CALLERS }, async (_, index) => {
          const store = index % 2 === 0 ? left : right;
          for (;;) {
            const found = await store.get('count');
            const next = String(Number(found?.value) + 1);
            if ((await store.put('count', next, { expected: found?.version })) !== undefined) return;
          }
        }),
      );
      expect(await right.get('count')).toMatchObject({ value: String(CALLERS) });
    });
  });
}
