import type { ClockOptions, KeyValueLimits, KeyValueStore } from '@switchyard/stores';
import { StoreError } from '@switchyard/stores';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { deadTtlsMs, distinctKeys, endlessTtlsMs, keptValues, unstorableEntries } from './difficult-values.ts';
import { storeError } from './store-error.ts';

/** Opens an empty store of the implementation under test. */
export type OpenKeyValueStore = (options: KeyValueLimits & ClockOptions) => Promise<KeyValueStore>;

/** The contract of a key-value store: every implementation runs it. */
export function describeKeyValueStore(implementation: string, openStore: OpenKeyValueStore): void {
  describe(`the key-value store ${implementation}`, () => {
    const opened: KeyValueStore[] = [];
    let time = 1_000_000;
    const epochNow = (): number => time;

    async function open(limits: KeyValueLimits = {}): Promise<KeyValueStore> {
      const store = await openStore({ ...limits, epochNow });
      opened.push(store);
      return store;
    }

    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });

    it('answers undefined to a key that was never set', async () => {
      const store = await open();
      expect(await store.get('absent')).toBeUndefined();
    });

    it.each(keptValues)('gives back %s unchanged', async (_kind, value) => {
      const store = await open();
      await store.set('key', value);
      expect(await store.get('key')).toBe(value);
    });

    it('tells keys apart that differ in case, spaces or Unicode normal form', async () => {
      const store = await open();
      const keys = distinctKeys;
      for (const key of keys) await store.set(key, `value of ${key}`);
      for (const key of keys) expect(await store.get(key)).toBe(`value of ${key}`);
    });

    it('replaces the value and the expiry of a key that is set again', async () => {
      const store = await open();
      await store.set('key', 'old', { ttlMs: 10 });
      await store.set('key', 'new');
      time += 1_000_000;
      expect(await store.get('key')).toBe('new');
      await store.set('key', 'newest', { ttlMs: 10 });
      time += 10;
      expect(await store.get('key')).toBeUndefined();
    });

    it('keeps an entry while the clock is before its expiry, and not at it', async () => {
      const store = await open();
      await store.set('key', 'value', { ttlMs: 100 });
      time += 99;
      expect(await store.get('key')).toBe('value');
      time += 1;
      expect(await store.get('key')).toBeUndefined();
    });

    it.each(deadTtlsMs)('removes the entry when it is set with ttlMs %d', async (ttlMs) => {
      const store = await open();
      await store.set('key', 'old');
      await store.set('key', 'new', { ttlMs });
      expect(await store.get('key')).toBeUndefined();
      expect(await store.delete('key')).toBe(false);
    });

    it.each(endlessTtlsMs)('keeps an entry without end when it is set with ttlMs %d', async (ttlMs) => {
      const store = await open();
      await store.set('key', 'value', { ttlMs });
      time += 1e12;
      expect(await store.get('key')).toBe('value');
      time -= 1e12;
    });

    it('keeps an entry for at least a fraction of a millisecond', async () => {
      const store = await open();
      await store.set('key', 'value', { ttlMs: 0.25 });
      expect(await store.get('key')).toBe('value');
    });

    it('answers whether the deleted entry was alive', async () => {
      const store = await open();
      await store.set('kept', 'value');
      await store.set('expired', 'value', { ttlMs: 1 });
      time += 1;
      expect(await store.delete('kept')).toBe(true);
      expect(await store.delete('kept')).toBe(false);
      expect(await store.delete('expired')).toBe(false);
      expect(await store.get('kept')).toBeUndefined();
    });

    it('drops what was set longest ago when there are too many entries', async () => {
      const store = await open({ maxEntries: 2 });
      await store.set('a', '1');
      await store.set('b', '2');
      await store.set('a', '3');
      await store.set('c', '4');
      expect([await store.get('a'), await store.get('b'), await store.get('c')]).toEqual(['3', undefined, '4']);
    });

    it('drops expired entries before live ones', async () => {
      const store = await open({ maxEntries: 2 });
      await store.set('live', '1');
      await store.set('expired', '2', { ttlMs: 5 });
      time += 5;
      await store.set('new', '3');
      expect([await store.get('live'), await store.get('expired'), await store.get('new')]).toEqual([
        '1',
        undefined,
        '3',
      ]);
    });

    it('drops what was set longest ago when there are too many characters', async () => {
      const store = await open({ maxTotalChars: 20 });
      await store.set('a', 'x'.repeat(9));
      await store.set('b', 'x'.repeat(9));
      expect(await store.get('a')).toBeDefined();
      await store.set('c', 'x'.repeat(10));
      expect([await store.get('a'), await store.get('b')]).toEqual([undefined, undefined]);
      expect(await store.get('c')).toBe('x'.repeat(10));
    });

    it('gives the room of a deleted or replaced entry back', async () => {
      const store = await open({ maxEntries: 2, maxTotalChars: 20 });
      await store.set('a', 'x'.repeat(9));
      for (let round = 0; round < 10; round += 1) {
        await store.set('b', 'x'.repeat(9));
        await store.set('b', 'y'.repeat(9));
        await store.delete('b');
      }
      expect(await store.get('a')).toBe('x'.repeat(9));
    });

    it('refuses what is over a limit and keeps the old value', async () => {
      const store = await open({ maxKeyChars: 3, maxValueChars: 5, maxTotalChars: 7 });
      await store.set('key', '1234');
      await expect(store.set('keys', '1')).rejects.toEqual(storeError('too-large'));
      await expect(store.get('keys')).rejects.toEqual(storeError('too-large'));
      await expect(store.delete('keys')).rejects.toEqual(storeError('too-large'));
      await expect(store.set('k', '123456')).rejects.toEqual(storeError('too-large'));
      await expect(store.set('key', '12345')).rejects.toEqual(storeError('too-large'));
      expect(await store.get('key')).toBe('1234');
      await store.set('ab', '12345');
      expect(await store.get('ab')).toBe('12345');
    });

    it.each(unstorableEntries)('refuses %s, which some databases would change', async (_kind, key, value) => {
      const store = await open();
      await expect(store.set(key, value)).rejects.toEqual(storeError('corrupt'));
    });

    it('refuses every call after it was closed, and may be closed twice', async () => {
      const store = await open();
      await store.set('key', 'value');
      await store.close();
      await store.close();
      await store[Symbol.asyncDispose]();
      await expect(store.get('key')).rejects.toBeInstanceOf(StoreError);
      await expect(store.get('key')).rejects.toEqual(storeError('closed'));
      await expect(store.set('key', 'value')).rejects.toEqual(storeError('closed'));
      await expect(store.delete('key')).rejects.toEqual(storeError('closed'));
    });

    it('behaves like a map with expiry under any order of calls', async () => {
      const key = fc.constantFrom('a', 'b', 'c', 'é');
      const step = fc.oneof(
        fc.record({
          do: fc.constant('set' as const),
          key,
          value: fc.string(),
          ttlMs: fc.integer({ min: -1, max: 20 }),
        }),
        fc.record({ do: fc.constant('set' as const), key, value: fc.string() }),
        fc.record({ do: fc.constant('delete' as const), key }),
        fc.record({ do: fc.constant('wait' as const), ms: fc.nat(15) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const store = await openStore({ epochNow });
          const model = new Map<string, { value: string; until: number }>();
          const answers: boolean[] = [];
          const expected = (name: string): string | undefined => {
            const entry = model.get(name);
            return entry !== undefined && time < entry.until ? entry.value : undefined;
          };
          try {
            for (const taken of steps) {
              if (taken.do === 'wait') {
                time += taken.ms;
              } else if (taken.do === 'delete') {
                const [answer, wasAlive] = [await store.delete(taken.key), expected(taken.key) !== undefined];
                model.delete(taken.key);
                answers.push(answer === wasAlive);
              } else {
                const value = JSON.stringify(taken.value);
                const ttlMs = 'ttlMs' in taken ? taken.ttlMs : undefined;
                await store.set(taken.key, value, ttlMs === undefined ? {} : { ttlMs });
                model.set(taken.key, { value, until: time + (ttlMs ?? Infinity) });
              }
              for (const name of ['a', 'b', 'c', 'é']) expect(await store.get(name)).toBe(expected(name));
            }
            expect(answers).not.toContain(false);
          } finally {
            await store.close();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}
