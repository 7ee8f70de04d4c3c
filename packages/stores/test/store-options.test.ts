import { inspect } from 'node:util';
import {
  createMemoryAppendLog,
  createMemoryEventBus,
  createMemoryKeyValueStore,
  createMemoryRecordStore,
} from '@switchyard/stores';
import { openPostgresRecordStore } from '@switchyard/stores/postgres';
import { openRedisEventBus, openRedisRecordStore } from '@switchyard/stores/redis';
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

/** Options as a caller may give them who has no types. */
type Given = Readonly<Record<string, unknown>>;
type Open = (options: Given) => Promise<unknown>;

// Nothing listens there: what is refused is refused before a connection is tried.
const postgres: Open = (options) => openPostgresRecordStore({ url: 'postgres://127.0.0.1:1/test', ...options });
const redis: Open = (options) => openRedisRecordStore({ url: 'redis://127.0.0.1:1', ...options });
const redisBus: Open = (options) => openRedisEventBus({ url: 'redis://127.0.0.1:1', ...options });
const sqliteRecords: Open = (options) => openSqliteRecordStore({ path: newPath('records.db'), ...options });
const sqliteValues: Open = (options) => openSqliteKeyValueStore({ path: newPath('values.db'), ...options });
const sqliteLog: Open = (options) => openSqliteAppendLog({ path: newPath('log.db'), ...options });

const recordLimits = ['maxKeyChars', 'maxValueChars', 'maxRecords', 'maxTotalChars'];
const valueLimits = ['maxKeyChars', 'maxValueChars', 'maxEntries', 'maxTotalChars'];
const logLimits = ['maxStreamChars', 'maxTextChars', 'maxAppendRecords'];
const busLimits = ['maxTopicChars', 'maxMessageChars', 'maxSubscriptions'];

const withLimits: readonly (readonly [string, Open, readonly string[]])[] = [
  ['records in memory', async (options) => createMemoryRecordStore(options), recordLimits],
  ['records in SQLite', sqliteRecords, recordLimits],
  ['records in PostgreSQL', postgres, [...recordLimits, 'maxConnections']],
  ['records in Redis', redis, recordLimits],
  ['values in memory', async (options) => createMemoryKeyValueStore(options), valueLimits],
  ['values in SQLite', sqliteValues, valueLimits],
  ['a log in memory', async (options) => createMemoryAppendLog(options), [...logLimits, 'maxRecords']],
  ['a log in SQLite', sqliteLog, logLimits],
  ['a bus in memory', async (options) => createMemoryEventBus(options), busLimits],
  ['a bus in Redis', redisBus, busLimits],
];

const withTimes: readonly (readonly [string, string, Open, number])[] = [
  ['records in SQLite', 'busyTimeoutMs', sqliteRecords, 0],
  ['values in SQLite', 'busyTimeoutMs', sqliteValues, 0],
  ['a log in SQLite', 'busyTimeoutMs', sqliteLog, 0],
  ['records in PostgreSQL', 'connectTimeoutMs', postgres, 1],
  ['records in PostgreSQL', 'commandTimeoutMs', postgres, 1],
  ['records in Redis', 'connectTimeoutMs', redis, 1],
  ['records in Redis', 'commandTimeoutMs', redis, 1],
  ['a bus in Redis', 'connectTimeoutMs', redisBus, 1],
  ['a bus in Redis', 'commandTimeoutMs', redisBus, 1],
  ['a bus in Redis', 'heartbeatMs', redisBus, 1],
];

async function refusalOf(opening: Promise<unknown>): Promise<Error> {
  const [outcome] = await Promise.allSettled([opening]);
  if (outcome.status === 'fulfilled') throw new Error('nothing was refused');
  expect(outcome.reason).toBeInstanceOf(TypeError);
  return outcome.reason as TypeError;
}

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

  it.each([':memory:', 'file:records.db', 'file:records?mode=memory', 'FILE:///tmp/records.db'])(
    'in SQLite under %s, which would become a file of that very name',
    async (path) => {
      for (const open of [openSqliteRecordStore, openSqliteKeyValueStore, openSqliteAppendLog]) {
        const { message } = await refusalOf(open({ path }));
        expect(message).toContain(path === ':memory:' ? 'made with createMemory' : 'path must be a path and no URL');
      }
    },
  );

  it.each([
    [openSqliteRecordStore, createMemoryRecordStore],
    [openSqliteKeyValueStore, createMemoryKeyValueStore],
    [openSqliteAppendLog, createMemoryAppendLog],
  ])('of SQLite in memory, and names the one that is there', async (open, instead) => {
    expect((await refusalOf(open({ path: ':memory:' }))).message).toContain(`${instead.name}()`);
  });

  it('with a clock that is no function', async () => {
    const values: Open = async (options) => createMemoryKeyValueStore(options);
    const records: Open = async (options) => createMemoryRecordStore(options);
    for (const open of [values, records, sqliteRecords, sqliteValues, postgres, redis])
      expect((await refusalOf(open({ epochNow: 5 }))).message).toBe(
        'epochNow must be a function that answers milliseconds since the epoch, not 5',
      );
  });

  it.each(withLimits)('for %s with a limit that is no integer of at least 1', async (_, open, names) => {
    for (const name of names)
      for (const [given, shown] of [
        [0, '0'],
        [-1, '-1'],
        [1.5, '1.5'],
        [NaN, 'NaN'],
        [Infinity, 'Infinity'],
        ['5', '"5"'],
        [5n, '5'],
      ])
        expect((await refusalOf(open({ [name]: given }))).message).toBe(
          `${name} must be an integer of at least 1, not ${String(shown)}`,
        );
  });

  it.each(withLimits)('for %s with an option that there is not', async (_, open) => {
    expect((await refusalOf(open({ prefix: 'x' }))).message).toMatch(/: there is no option "prefix"/);
    expect((await refusalOf(open({ now: () => 0 }))).message).toMatch(/: there is no option "now"/);
  });

  it.each(withTimes)('for %s with a %s that is no time', async (_, name, open, leastMs) => {
    for (const given of [leastMs - 1, NaN, -Infinity, '5'])
      expect((await refusalOf(open({ [name]: given }))).message).toContain(
        `${name} must be a number of at least ${leastMs} milliseconds, not `,
      );
  });

  it.each([
    ['records', sqliteRecords],
    ['a log', sqliteLog],
  ])('for %s in SQLite with a durability that there is not', async (_, open) => {
    for (const durability of ['Disk', true, ''])
      expect((await refusalOf(open({ durability }))).message).toBe(
        `durability must be 'process' or 'disk', not ${JSON.stringify(durability)}`,
      );
  });

  it.each([
    ['no URL', '://user:hunter2-secret@:::'],
    ['of another protocol', 'x://user:hunter2-secret@127.0.0.1:1/0'],
    ['without slashes', ':user:hunter2-secret@127.0.0.1:1/0'],
    ['a name with a % that stands for nothing', '://%zz:hunter2-secret@127.0.0.1:1/0'],
    ['a password with a % that stands for nothing', '://user:hunter2-secret%@127.0.0.1:1/0'],
    ['a database with a % that stands for nothing', '://user:hunter2-secret@127.0.0.1:1/%zz'],
  ])('in a server with a url that is %s, and shows nothing of it', async (_, rest) => {
    for (const [protocol, open] of [
      ['postgres', postgres],
      ['redis', redis],
      ['redis', redisBus],
    ] as const) {
      const refusal = await refusalOf(open({ url: protocol + rest }));
      expect(refusal.message).toMatch(/^the url of the (?:PostgreSQL|Redis) server is not one: write it as \w+:\/\//);
      expect(inspect(refusal, { depth: 20, showHidden: true })).not.toMatch(/hunter|secret/);
    }
  });

  it('in a server without a url, or in Redis with a database that is no number', async () => {
    for (const open of [postgres, redis, redisBus])
      expect((await refusalOf(open({ url: undefined }))).message).toContain('is not one');
    for (const open of [redis, redisBus])
      expect((await refusalOf(open({ url: 'redis://127.0.0.1:1/songs' }))).message).toContain('is not one');
  });
});
