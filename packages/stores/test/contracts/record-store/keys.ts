import { describe, expect, it } from 'vitest';
import { compareInUtf8 } from './compare-in-utf8.ts';
import { storeError } from '../store-error.ts';
import { createRecord } from './record-stores.ts';
import type { RecordStores } from './record-stores.ts';

/** Which keys a listing answers, in which order. */
export function describeKeys(stores: RecordStores): void {
  const { clock } = stores;

  describe('listing keys', () => {
    it('answers those that begin with the prefix, in the order of their code points', async () => {
      const store = await stores.open();
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
      for (const key of [...inOrder, ...others].toReversed()) await createRecord(store, key);
      expect(await store.keys('a/')).toEqual(inOrder.slice(1));
      expect(await store.keys('a/\u{10ffff}')).toEqual(['a/\u{10ffff}']);
      expect(await store.keys('a/\u{d7ff}')).toEqual(['a/\u{d7ff}']);
      expect(await store.keys('\u{10ffff}')).toEqual(['\u{10ffff}']);
      expect(await store.keys('c')).toEqual([]);
      expect(await store.keys('%')).toEqual([]);
      expect(await store.keys('')).toEqual(['A/1', '`', ...inOrder, 'a0', 'b', 'é', '\u{10ffff}'].sort(compareInUtf8));
    });

    it('pages through them without a repeat or a hole', async () => {
      const store = await stores.open();
      const keys = Array.from({ length: 25 }, (_, index) => `task/${String(index).padStart(2, '0')}`);
      for (const key of keys) await createRecord(store, key);
      await createRecord(store, 'other');
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
      const store = await stores.open();
      for (let index = 0; index < 40; index += 1) {
        await createRecord(store, `key ${String(index).padStart(2, '0')}`, 'value', index % 10 === 0 ? 1000 : 1);
      }
      clock.now += 1;
      expect(await store.keys('key', { limit: 3 })).toEqual(['key 00', 'key 10', 'key 20']);
      expect(await store.keys('key', { limit: 3, after: 'key 20' })).toEqual(['key 30']);
    });

    it.each([0, -1, NaN])('answers nothing with the limit %d', async (limit) => {
      const store = await stores.open();
      await createRecord(store, 'key');
      expect(await store.keys('', { limit })).toEqual([]);
    });

    it('answers 100 keys unless asked for more, and refuses more than 1,000', async () => {
      const store = await stores.open();
      await Promise.all(Array.from({ length: 101 }, (_, index) => createRecord(store, `key ${index}`)));
      expect(await store.keys('')).toHaveLength(100);
      expect(await store.keys('', { limit: 1000 })).toHaveLength(101);
      await expect(store.keys('', { limit: 1001 })).rejects.toEqual(storeError('too-large'));
    });
  });
}
