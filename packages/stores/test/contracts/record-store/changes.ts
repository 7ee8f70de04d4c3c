import { expect, it } from 'vitest';
import { distinctKeys, keptValues } from '../difficult-values.ts';
import { createRecord } from './record-stores.ts';
import type { RecordStores } from './record-stores.ts';

/** What a record becomes when it is written, replaced and removed. */
export function describeChanges(stores: RecordStores): void {
  it('answers undefined to a key that has no record', async () => {
    const store = await stores.open();
    expect(await store.get('absent')).toBeUndefined();
    expect(await store.delete('absent')).toBe(false);
    expect(await store.keys('')).toEqual([]);
  });

  it.each(keptValues)('gives back %s unchanged', async (_kind, value) => {
    const store = await stores.open();
    const version = await createRecord(store, 'key', value);
    expect(await store.get('key')).toEqual({ value, version });
  });

  it('writes a record that is expected to be absent only where it is', async () => {
    const store = await stores.open();
    const version = await createRecord(store, 'key', 'first');
    expect(await store.put('key', 'second', { expected: undefined })).toBeUndefined();
    expect(await store.get('key')).toEqual({ value: 'first', version });
  });

  it('replaces only the version that is expected, and gives each write a version of its own', async () => {
    const store = await stores.open();
    const first = await createRecord(store, 'key', 'same');
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
    const store = await stores.open();
    expect(await store.put('absent', 'value', { expected })).toBeUndefined();
    await createRecord(store, 'key');
    expect(await store.put('key', 'value', { expected })).toBeUndefined();
    expect(await store.delete('key', { expected })).toBe(false);
    expect(await store.get('absent')).toBeUndefined();
    expect(await store.get('key')).toMatchObject({ value: 'value' });
  });

  it('removes a record, or only the version that is expected, and answers whether it did', async () => {
    const store = await stores.open();
    const first = await createRecord(store, 'key');
    const second = await store.put('key', 'new', { expected: first });
    expect(await store.delete('key', { expected: first })).toBe(false);
    expect(await store.get('key')).toMatchObject({ value: 'new' });
    expect(await store.delete('key', { expected: second ?? '' })).toBe(true);
    expect(await store.delete('key')).toBe(false);
    await createRecord(store, 'key');
    expect(await store.delete('key')).toBe(true);
    expect(await store.get('key')).toBeUndefined();
  });

  it('tells keys apart that differ in case, spaces or Unicode normal form', async () => {
    const store = await stores.open();
    const keys = distinctKeys;
    for (const key of keys) await createRecord(store, key, `value of ${key}`);
    for (const key of keys) expect(await store.get(key)).toMatchObject({ value: `value of ${key}` });
    expect(await store.keys('')).toHaveLength(keys.length);
  });

  it('keeps the longest keys apart by their last character', async () => {
    const store = await stores.open();
    const long = Array.from({ length: 1023 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)));
    const [left, right] = [`${long.join('')}一`, `${long.join('')}丁`];
    await createRecord(store, left, 'left');
    await createRecord(store, right, 'right');
    expect(await store.get(left)).toMatchObject({ value: 'left' });
    expect(await store.keys(long.join(''))).toEqual([left, right]);
    expect(await store.keys(long.join('').slice(0, 700), { after: left })).toEqual([right]);
    expect(await store.delete(right)).toBe(true);
    expect(await store.get(left)).toMatchObject({ value: 'left' });
  });
}
