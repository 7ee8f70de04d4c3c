import { createMemoryKeyValueStore, createMemoryRecordStore } from '@switchyard/stores';
import { openSqliteAppendLog, openSqliteKeyValueStore, openSqliteRecordStore } from '@switchyard/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();

describe('a store without a clock takes the one of the machine', () => {
  it.each([
    ['in memory', async () => createMemoryRecordStore()],
    ['in SQLite', () => openSqliteRecordStore({ path: newPath('records.db') })],
  ])('for records %s', async (_, open) => {
    await using store = await open();
    expect(await store.put('key', 'value', { expected: undefined, ttlMs: 60_000 })).toEqual(expect.any(String));
    expect(await store.get('key')).toMatchObject({ value: 'value' });
    await store.put('gone', 'value', { expected: undefined, ttlMs: 0 });
    expect(await store.get('gone')).toBeUndefined();
  });

  it.each([
    ['in memory', async () => createMemoryKeyValueStore()],
    ['in SQLite', () => openSqliteKeyValueStore({ path: newPath('values.db') })],
  ])('for values %s', async (_, open) => {
    await using store = await open();
    await store.set('key', 'value', { ttlMs: 60_000 });
    expect(await store.get('key')).toBe('value');
  });
});

describe('a store refuses to be opened', () => {
  it.each([
    ['a path in place of options', 'records.db', '{ path: "records.db" }'],
    ['nothing', undefined, '{ path: "./'],
    ['options without a path', { file: 'records.db' }, '{ path: "./'],
    ['an empty path', { path: '' }, '{ path: "./'],
  ])('with %s, and shows how it is opened', async (_, options, shown) => {
    for (const open of [openSqliteRecordStore, openSqliteKeyValueStore, openSqliteAppendLog]) {
      const opening = open(options as never);
      await expect(opening).rejects.toThrow(TypeError);
      await expect(opening).rejects.toThrow(`in SQLite is opened with options that name its file: ${shown}`);
    }
  });

  it('with a clock that is no function', async () => {
    const now = 5 as never;
    const message = 'now must be a function that answers milliseconds since the epoch, not 5';
    expect(() => createMemoryRecordStore({ now })).toThrow(message);
    expect(() => createMemoryKeyValueStore({ now })).toThrow(message);
    await expect(openSqliteRecordStore({ path: newPath('records.db'), now })).rejects.toThrow(message);
    await expect(openSqliteKeyValueStore({ path: newPath('values.db'), now })).rejects.toThrow(message);
  });
});
