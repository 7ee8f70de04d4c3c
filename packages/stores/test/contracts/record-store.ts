import { randomUUID } from 'node:crypto';
import type { RecordLimits, RecordStore } from '@switchyard/stores';
import { StoreError } from '@switchyard/stores';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';

/** The limits of a store and its clock, in milliseconds. */
export interface RecordStoreOptions extends RecordLimits {
  readonly now: () => number;
}

/** What the contract needs to know of an implementation. */
export interface RecordStoreUnderTest {
  /** Opens a store; those with the same place are handles of one, where `isShared`. */
  readonly open: (options: RecordStoreOptions, place: string) => Promise<RecordStore>;
  /** A place where nothing is stored. */
  readonly newPlace: () => string;
  /** False where a store is seen by the handle only that made it. */
  readonly isShared: boolean;
}

/** Matches a StoreError with this code. */
export function storeError(code: StoreError['code']): unknown {
  return expect.objectContaining({ name: 'StoreError', code });
}

const CALLERS = 50;

/** The contract of a record store: every implementation runs it. */
export function describeRecordStore(implementation: string, { open, newPlace, isShared }: RecordStoreUnderTest): void {
  describe(`the record store ${implementation}`, () => {
    const opened: RecordStore[] = [];
    let time = 1_700_000_000_000;
    const now = (): number => time;

    async function openOne(limits: RecordLimits = {}, place = newPlace()): Promise<RecordStore> {
      const store = await open({ ...limits, now }, place);
      opened.push(store);
      return store;
    }

    /** Two handles of one store, or twice the same where a store has only one. */
    async function openTwo(limits: RecordLimits = {}): Promise<[RecordStore, RecordStore]> {
      const place = newPlace();
      const first = await openOne(limits, place);
      return [first, isShared ? await openOne(limits, place) : first];
    }

    /** Writes a record that must be absent and answers its version. */
    async function create(store: RecordStore, key: string, value = 'value', ttlMs?: number): Promise<string> {
      const version = await store.put(key, value, { expected: undefined, ...(ttlMs === undefined ? {} : { ttlMs }) });
      if (version === undefined) throw new Error(`there is a record ${key}`);
      return version;
    }

    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });

    it('answers undefined to a key that has no record', async () => {
      const store = await openOne();
      expect(await store.get('absent')).toBeUndefined();
      expect(await store.delete('absent')).toBe(false);
      expect(await store.keys('')).toEqual([]);
    });

    it.each([
      ['an empty text', ''],
      ['JSON', '{"tools":[{"name":"a\\u0000b"}]}'],
      ['characters of every length in UTF-8', 'aé€𐍈 👩‍👩‍👧'],
      ['line ends, quotes and statements', 'a\r\n\t\'"\\;-- $1 ?1 :now %s'],
      ['a megabyte', 'x€'.repeat(500_000)],
    ])('gives back %s unchanged', async (_kind, value) => {
      const store = await openOne();
      const version = await create(store, 'key', value);
      expect(await store.get('key')).toEqual({ value, version });
    });

    it('writes a record that is expected to be absent only where it is', async () => {
      const store = await openOne();
      const version = await create(store, 'key', 'first');
      expect(await store.put('key', 'second', { expected: undefined })).toBeUndefined();
      expect(await store.get('key')).toEqual({ value: 'first', version });
    });

    it('replaces only the version that is expected, and gives each write a version of its own', async () => {
      const store = await openOne();
      const first = await create(store, 'key', 'same');
      const second = await store.put('key', 'same', { expected: first });
      expect(second).toEqual(expect.stringMatching(/^[\w-]{1,64}$/));
      expect(second).not.toBe(first);
      expect(await store.put('key', 'late', { expected: first })).toBeUndefined();
      expect(await store.get('key')).toEqual({ value: 'same', version: second });
      expect(await store.put('other', 'value', { expected: first })).toBeUndefined();
      expect(await store.get('other')).toBeUndefined();
    });

    it.each([
      ['', ''],
      ['with a space', 'a b'],
      ['with U+0000', '\0'],
      ['with half of a surrogate pair', '\ud800'],
      ['long', 'v'.repeat(100_000)],
    ])('takes a version that no store gave as a conflict: %s', async (_kind, expected) => {
      const store = await openOne();
      expect(await store.put('absent', 'value', { expected })).toBeUndefined();
      await create(store, 'key');
      expect(await store.put('key', 'value', { expected })).toBeUndefined();
      expect(await store.delete('key', { expected })).toBe(false);
      expect(await store.get('absent')).toBeUndefined();
      expect(await store.get('key')).toMatchObject({ value: 'value' });
    });

    it('removes a record, or only the version that is expected, and answers whether it did', async () => {
      const store = await openOne();
      const first = await create(store, 'key');
      const second = await store.put('key', 'new', { expected: first });
      expect(await store.delete('key', { expected: first })).toBe(false);
      expect(await store.get('key')).toMatchObject({ value: 'new' });
      expect(await store.delete('key', { expected: second ?? '' })).toBe(true);
      expect(await store.delete('key')).toBe(false);
      await create(store, 'key');
      expect(await store.delete('key')).toBe(true);
      expect(await store.get('key')).toBeUndefined();
    });

    it('tells keys apart that differ in case, spaces or Unicode normal form', async () => {
      const store = await openOne();
      const keys = ['key', 'KEY', 'key ', ' key', 'k\u00e9y', 'ke\u0301y', '__proto__', 'constructor', '1', '01', '%'];
      for (const key of keys) await create(store, key, `value of ${key}`);
      for (const key of keys) expect(await store.get(key)).toMatchObject({ value: `value of ${key}` });
      expect(await store.keys('')).toHaveLength(keys.length);
    });

    it('keeps the longest keys apart by their last character', async () => {
      const store = await openOne();
      const long = Array.from({ length: 1023 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)));
      const [left, right] = [`${long.join('')}一`, `${long.join('')}丁`];
      await create(store, left, 'left');
      await create(store, right, 'right');
      expect(await store.get(left)).toMatchObject({ value: 'left' });
      expect(await store.keys(long.join(''))).toEqual([left, right]);
      expect(await store.keys(long.join('').slice(0, 700), { after: left })).toEqual([right]);
      expect(await store.delete(right)).toBe(true);
      expect(await store.get(left)).toMatchObject({ value: 'left' });
    });

    describe('with many callers', () => {
      it('lets exactly one of those win who expect the record to be absent', async () => {
        const [left, right] = await openTwo();
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
        const [left, right] = await openTwo();
        const expected = await create(left, 'key');
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
        const [left, right] = await openTwo();
        await create(left, 'key', 'old', 10);
        time += 10;
        const versions = await Promise.all(
          Array.from({ length: CALLERS }, (_, index) =>
            (index % 2 === 0 ? left : right).put('key', `caller ${index}`, { expected: undefined, ttlMs: 1000 }),
          ),
        );
        expect(versions.filter((version) => version !== undefined)).toHaveLength(1);
      });

      it('loses no change of those who try again after a conflict', async () => {
        const [left, right] = await openTwo();
        await create(left, 'count', '0');
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

    describe('when time passes', () => {
      it('keeps a record while the clock is before its expiry, and not at it', async () => {
        const store = await openOne();
        const version = await create(store, 'key', 'value', 100);
        time += 99;
        expect(await store.get('key')).toEqual({ value: 'value', version });
        expect(await store.keys('')).toEqual(['key']);
        time += 1;
        expect(await store.get('key')).toBeUndefined();
        expect(await store.keys('')).toEqual([]);
        expect(await store.delete('key')).toBe(false);
      });

      it('takes a record that has expired as absent, and makes it anew with a version that the old holder lacks', async () => {
        const store = await openOne();
        const old = await create(store, 'key', 'old', 100);
        time += 100;
        expect(await store.put('key', 'late', { expected: old })).toBeUndefined();
        expect(await store.get('key')).toBeUndefined();
        const version = await create(store, 'key', 'new', 100);
        expect(version).not.toBe(old);
        expect(await store.put('key', 'late', { expected: old })).toBeUndefined();
        expect(await store.delete('key', { expected: old })).toBe(false);
        expect(await store.get('key')).toEqual({ value: 'new', version });
      });

      it('gives a record that was removed and made again a version that the old holder lacks', async () => {
        const store = await openOne();
        const old = await create(store, 'key', 'same');
        await store.delete('key');
        await create(store, 'key', 'same');
        expect(await store.put('key', 'late', { expected: old })).toBeUndefined();
      });

      it('keeps the expiry of a record that is replaced without ttlMs', async () => {
        const store = await openOne();
        const first = await create(store, 'key', 'value', 100);
        time += 60;
        expect(await store.put('key', 'new', { expected: first })).toBeDefined();
        time += 39;
        expect(await store.get('key')).toMatchObject({ value: 'new' });
        time += 1;
        expect(await store.get('key')).toBeUndefined();
      });

      it('counts ttlMs from the put that names it', async () => {
        const store = await openOne();
        const first = await create(store, 'key', 'value', 100);
        time += 60;
        const second = await store.put('key', 'new', { expected: first, ttlMs: 100 });
        time += 99;
        expect(await store.get('key')).toMatchObject({ version: second });
        time += 1;
        expect(await store.get('key')).toBeUndefined();
      });

      it.each([Infinity, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER])(
        'takes the expiry away with ttlMs %d',
        async (ttlMs) => {
          const store = await openOne();
          const first = await create(store, 'key', 'value', 100);
          await store.put('key', 'value', { expected: first, ttlMs });
          time += 1e12;
          expect(await store.get('key')).toBeDefined();
          time -= 1e12;
        },
      );

      it('does not inherit the expiry of a record that has expired', async () => {
        const store = await openOne();
        await create(store, 'key', 'value', 100);
        time += 100;
        await create(store, 'key', 'value');
        time += 1e6;
        expect(await store.get('key')).toBeDefined();
      });

      it.each([0, -1, -Infinity, NaN])('writes a record that has expired with ttlMs %d', async (ttlMs) => {
        const store = await openOne();
        const first = await create(store, 'key', 'value');
        const second = await store.put('key', 'new', { expected: first, ttlMs });
        expect(second).toBeDefined();
        expect(await store.get('key')).toBeUndefined();
        expect(await store.put('key', 'late', { expected: second })).toBeUndefined();
        expect(await store.put('key', 'late', { expected: first })).toBeUndefined();
        expect(await store.put('key', 'new', { expected: undefined })).toBeDefined();
      });

      it('keeps a record for at least a fraction of a millisecond', async () => {
        const store = await openOne();
        await create(store, 'key', 'value', 0.25);
        expect(await store.get('key')).toBeDefined();
        time += 1;
        expect(await store.get('key')).toBeUndefined();
      });
    });

    describe('listing keys', () => {
      it('answers those that begin with the prefix, in the order of their code points', async () => {
        const store = await openOne();
        const inOrder = [
          'a',
          'a/',
          'a/1',
          'a/10',
          'a/2',
          'a/\u{d7ff}',
          'a/\u{e000}',
          'a/\u{ffff}',
          'a/𐍈',
          'a/\u{10ffff}',
        ];
        const others = ['A/1', '`', 'b', 'a0', '\u{10ffff}', 'é'];
        for (const key of [...inOrder, ...others].toReversed()) await create(store, key);
        expect(await store.keys('a/')).toEqual(inOrder.slice(1));
        expect(await store.keys('a/\u{10ffff}')).toEqual(['a/\u{10ffff}']);
        expect(await store.keys('a/\u{d7ff}')).toEqual(['a/\u{d7ff}']);
        expect(await store.keys('\u{10ffff}')).toEqual(['\u{10ffff}']);
        expect(await store.keys('c')).toEqual([]);
        expect(await store.keys('%')).toEqual([]);
        expect(await store.keys('')).toEqual(['A/1', '`', ...inOrder, 'a0', 'b', 'é', '\u{10ffff}'].sort(byCodePoints));
      });

      it('pages through them without a repeat or a hole', async () => {
        const store = await openOne();
        const keys = Array.from({ length: 25 }, (_, index) => `task/${String(index).padStart(2, '0')}`);
        for (const key of keys) await create(store, key);
        await create(store, 'other');
        const pages: (readonly string[])[] = [];
        let after: string | undefined;
        do {
          const page = await store.keys('task/', { limit: 10, ...(after === undefined ? {} : { after }) });
          pages.push(page);
          after = page.at(-1);
        } while (after !== undefined);
        expect(pages.map(({ length }) => length)).toEqual([10, 10, 5, 0]);
        expect(pages.flat()).toEqual(keys);
        expect(await store.keys('task/', { after: 'a' })).toEqual(keys);
        expect(await store.keys('task/', { after: 'u' })).toEqual([]);
        expect(await store.keys('task/', { after: 'task/23x' })).toEqual(['task/24']);
        expect(await store.keys('task/', { after: 'task/' })).toEqual(keys);
      });

      it('fills a page with live keys however many have expired in between', async () => {
        const store = await openOne();
        for (let index = 0; index < 40; index += 1) {
          await create(store, `key ${String(index).padStart(2, '0')}`, 'value', index % 10 === 0 ? 1000 : 1);
        }
        time += 1;
        expect(await store.keys('key', { limit: 3 })).toEqual(['key 00', 'key 10', 'key 20']);
        expect(await store.keys('key', { limit: 3, after: 'key 20' })).toEqual(['key 30']);
      });

      it.each([0, -1, NaN])('answers nothing with the limit %d', async (limit) => {
        const store = await openOne();
        await create(store, 'key');
        expect(await store.keys('', { limit })).toEqual([]);
      });

      it('answers 100 keys unless asked for more, and refuses more than 1,000', async () => {
        const store = await openOne();
        await Promise.all(Array.from({ length: 101 }, (_, index) => create(store, `key ${index}`)));
        expect(await store.keys('')).toHaveLength(100);
        expect(await store.keys('', { limit: 1000 })).toHaveLength(101);
        await expect(store.keys('', { limit: 1001 })).rejects.toEqual(storeError('too-large'));
      });
    });

    describe('at its limits', () => {
      it('refuses a new record when it has the most that it may, and evicts none that is alive', async () => {
        const store = await openOne({ maxRecords: 2 });
        const version = await create(store, 'a');
        await create(store, 'b', 'value', 1000);
        await expect(store.put('c', 'value', { expected: undefined })).rejects.toEqual(storeError('too-large'));
        expect(await store.keys('')).toEqual(['a', 'b']);
        expect(await store.put('a', 'new', { expected: version })).toBeDefined();
        await store.delete('a');
        await create(store, 'c');
        expect(await store.keys('')).toEqual(['b', 'c']);
      });

      it('answers a conflict, not that it is full, where the record is not as expected', async () => {
        const store = await openOne({ maxRecords: 1 });
        const version = await create(store, 'a');
        expect(await store.put('a', 'value', { expected: undefined })).toBeUndefined();
        expect(await store.put('b', 'value', { expected: version })).toBeUndefined();
      });

      it('refuses to grow over the characters that it may have together', async () => {
        const store = await openOne({ maxTotalChars: 20 });
        const version = await create(store, 'a', 'x'.repeat(9));
        await create(store, 'b', 'x'.repeat(8));
        await expect(store.put('c', '1', { expected: undefined })).rejects.toEqual(storeError('too-large'));
        await expect(store.put('a', 'x'.repeat(11), { expected: version })).rejects.toEqual(storeError('too-large'));
        expect(await store.get('a')).toEqual({ value: 'x'.repeat(9), version });
        const shorter = await store.put('a', 'x'.repeat(10), { expected: version });
        expect(await store.put('a', 'x', { expected: shorter })).toBeDefined();
        await create(store, 'c', 'x'.repeat(8));
      });

      it('gives the room of records back that were removed, replaced or have expired', async () => {
        const store = await openOne({ maxRecords: 3, maxTotalChars: 30 });
        await create(store, 'kept', 'xxxxxx');
        for (let round = 0; round < 10; round += 1) {
          const version = await create(store, 'a', 'x'.repeat(9));
          await store.put('a', 'y'.repeat(5), { expected: version });
          await create(store, 'b', 'x'.repeat(9), 5);
          await store.delete('a');
          time += 5;
        }
        expect(await store.keys('')).toEqual(['kept']);
      });

      it('makes room for a large record by dropping all that have expired, however many', async () => {
        const store = await openOne({ maxRecords: 40, maxTotalChars: 1000 });
        await Promise.all(Array.from({ length: 40 }, (_, index) => create(store, `old ${index}`, 'x'.repeat(15), 10)));
        await expect(store.put('new', '1', { expected: undefined })).rejects.toEqual(storeError('too-large'));
        time += 10;
        await create(store, 'new', 'x'.repeat(990));
        expect(await store.keys('')).toEqual(['new']);
      });

      it('refuses a key or a value that is over a limit', async () => {
        const store = await openOne({ maxKeyChars: 3, maxValueChars: 5 });
        const version = await create(store, 'key', '12345');
        await expect(store.put('keys', '1', { expected: undefined })).rejects.toEqual(storeError('too-large'));
        await expect(store.put('key', '123456', { expected: version })).rejects.toEqual(storeError('too-large'));
        await expect(store.get('keys')).rejects.toEqual(storeError('too-large'));
        await expect(store.delete('keys')).rejects.toEqual(storeError('too-large'));
        await expect(store.keys('keys')).rejects.toEqual(storeError('too-large'));
        await expect(store.keys('', { after: 'keys' })).rejects.toEqual(storeError('too-large'));
        expect(await store.get('key')).toEqual({ value: '12345', version });
      });

      it.each([
        ['an empty key', '', 'value'],
        ['U+0000 in a key', 'a\0b', 'value'],
        ['half of a surrogate pair in a key', 'a\ud83d', 'value'],
        ['half of a surrogate pair in a value', 'key', '\ude00 alone'],
        ['U+0000 in a value', 'key', 'a\0b'],
      ])('refuses %s, which some databases would change', async (_kind, key, value) => {
        const store = await openOne();
        await expect(store.put(key, value, { expected: undefined })).rejects.toEqual(storeError('corrupt'));
      });
    });

    it('refuses every call after it was closed, and may be closed twice', async () => {
      const store = await openOne();
      const version = await create(store, 'key');
      await store.close();
      await store.close();
      await store[Symbol.asyncDispose]();
      await expect(store.get('key')).rejects.toBeInstanceOf(StoreError);
      await expect(store.get('key')).rejects.toEqual(storeError('closed'));
      await expect(store.put('key', 'value', { expected: version })).rejects.toEqual(storeError('closed'));
      await expect(store.put('key', 'value', { expected: '' })).rejects.toEqual(storeError('closed'));
      await expect(store.delete('key')).rejects.toEqual(storeError('closed'));
      await expect(store.keys('')).rejects.toEqual(storeError('closed'));
    });

    it('settles every call that runs when it is closed', async () => {
      const store = await openOne();
      const calls = Array.from({ length: 20 }, (_, index) => store.put(`key ${index}`, '1', { expected: undefined }));
      await store.close();
      for (const outcome of await Promise.allSettled(calls)) {
        if (outcome.status === 'rejected') expect(outcome.reason).toEqual(storeError('closed'));
        else expect(outcome.value).toBeDefined();
      }
    });

    it('behaves like a map with compare-and-set and expiry under any order of calls', async () => {
      const store = await openOne();
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
            return record !== undefined && time < record.until ? record : undefined;
          };
          for (const taken of steps) {
            if (taken.do === 'wait') {
              time += taken.ms;
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
              const until = taken.ttlMs === undefined ? (current?.until ?? Infinity) : time + Math.max(0, taken.ttlMs);
              model.set(taken.key, { value, version, until });
            }
          }
          const names = [...model.keys()].filter((name) => live(name) !== undefined).sort(byCodePoints);
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
  });
}

function byCodePoints(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
