import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareInUtf8 } from './compare-in-utf8.ts';
import type { RecordStores } from './record-stores.ts';

/** That a store behaves like a map, whatever is done in whatever order. */
export function describeAnyOrder(stores: RecordStores): void {
  const { clock } = stores;

  it('behaves like a map with compare-and-set and expiry under any order of calls', async () => {
    const store = await stores.open();
    const key = fc.constantFrom('a', 'b', 'é', '\u{ffff}', '𐍈');
    // Whether the caller expects what is there, nothing, or the version before.
    const expectation = fc.constantFrom('current', 'absent', 'stale');
    const ttlMs = fc.option(fc.oneof(fc.integer({ min: -1, max: 20 }), fc.constant(Infinity)), { nil: undefined });
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('put' as const), key, value: fc.string(), expectation, ttlMs }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), key, expectation }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(15) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const prefix = `${randomUUID()}/`;
        const model = new Map<string, { value: string; version: string; until: number }>();
        const stale = new Map<string, string>();
        const live = (name: string) => {
          const record = model.get(name);
          return record !== undefined && clock.now < record.until ? record : undefined;
        };
        for (const taken of steps) {
          if (taken.do === 'wait') {
            clock.now += taken.ms;
            continue;
          }
          const current = live(taken.key);
          const expected = { current: current?.version, absent: undefined, stale: stale.get(taken.key) }[
            taken.expectation
          ];
          if (taken.do === 'delete') {
            const answer = await store.delete(prefix + taken.key, expected === undefined ? {} : { expected });
            const isRemoved = current !== undefined && (expected === undefined || expected === current.version);
            expect(answer).toBe(isRemoved);
            if (isRemoved) model.delete(taken.key);
          } else {
            const value = JSON.stringify(taken.value);
            const version = await store.put(prefix + taken.key, value, {
              expected,
              ...(taken.ttlMs === undefined ? {} : { ttlMs: taken.ttlMs }),
            });
            expect(version !== undefined).toBe(current?.version === expected);
            if (version === undefined) continue;
            if (current !== undefined) stale.set(taken.key, current.version);
            const until =
              taken.ttlMs === undefined ? (current?.until ?? Infinity) : clock.now + Math.max(0, taken.ttlMs);
            model.set(taken.key, { value, version, until });
          }
        }
        const names = [...model.keys()].filter((name) => live(name) !== undefined).sort(compareInUtf8);
        expect(await store.keys(prefix)).toEqual(names.map((name) => prefix + name));
        for (const name of model.keys()) {
          const record = live(name);
          const found = await store.get(prefix + name);
          expect(found).toEqual(record && { value: record.value, version: record.version });
        }
      }),
      { numRuns: 40 },
    );
  });
}
