import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteAppendLog } from '@switchyard/stores/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../src/sqlite/open-database.ts';
import type { Durability } from '../src/sqlite/open-database.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();
const firstUmask = process.umask();

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function makeDatabase(path: string, statements: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
}

describe.skipIf(process.platform === 'win32')('the file of a SQLite store', () => {
  afterEach(() => {
    process.umask(firstUmask);
  });

  it.each([0o000, 0o022, 0o077, 0o277])('is for its owner only, with the umask %i', async (umask) => {
    const path = newPath('deep/er/audit.db');
    mkdirSync(dirname(dirname(dirname(path))));
    mkdirSync(dirname(dirname(path)));
    process.umask(umask);
    const log = await openSqliteAppendLog({ path });
    await log.append([{ stream: 'a', sequence: 1, text: '{}' }]);
    expect(modeOf(dirname(path))).toBe('700');
    expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
    await log.close();
  });

  it('makes each missing folder for its owner only', async () => {
    const path = newPath('deep/er/audit.db');
    process.umask(0);
    await (await openSqliteAppendLog({ path })).close();
    expect([dirname(path), dirname(dirname(path)), dirname(dirname(dirname(path)))].map(modeOf)).toEqual([
      '700',
      '700',
      '700',
    ]);
  });

  it('takes the rights of others away from a file that was there, and leaves its folder', async () => {
    const path = newPath('audit.db');
    await (await openSqliteAppendLog({ path })).close();
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    await (await openSqliteAppendLog({ path })).close();
    expect([modeOf(path), modeOf(dirname(path))]).toEqual(['600', '755']);
  });
});

describe('opening a SQLite store', () => {
  it('refuses a schema that is newer and leaves the file as it was', async () => {
    const path = newPath('audit.db');
    await (await openSqliteAppendLog({ path })).close();
    makeDatabase(path, 'PRAGMA user_version = 99');
    const before = readFileSync(path);
    await expect(openSqliteAppendLog({ path })).rejects.toMatchObject({
      code: 'newer-schema',
      message: expect.stringMatching(/version 99.*knows 1.*upgrade/s),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('refuses the database of another program and leaves it as it was', async () => {
    const path = newPath('places.sqlite');
    makeDatabase(path, 'CREATE TABLE bookmark (url TEXT)');
    const before = readFileSync(path);
    await expect(openSqliteAppendLog({ path })).rejects.toMatchObject({ code: 'corrupt' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('refuses a file that is no database', async () => {
    const path = newPath('audit.db');
    mkdirSync(dirname(path));
    writeFileSync(path, 'not a database '.repeat(100));
    await expect(openSqliteAppendLog({ path })).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
  });

  it('answers corrupt, not a wrong reading, when pages of the file are damaged', async () => {
    const path = newPath('audit.db');
    const log = await openSqliteAppendLog({ path });
    await log.append(
      Array.from({ length: 500 }, (_, index) => ({ stream: 'a', sequence: index + 1, text: 'x'.repeat(200) })),
    );
    await log.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096);
    writeFileSync(path, bytes);
    const read = async (): Promise<void> => {
      const damaged = await openSqliteAppendLog({ path });
      try {
        for await (const { sequence } of damaged.read()) expect(sequence).toBeGreaterThan(0);
      } finally {
        await damaged.close();
      }
    };
    await expect(read()).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
  });

  it('does not make a missing file where it must not', async () => {
    const path = newPath('audit.db');
    await expect(openSqliteAppendLog({ path, create: false })).rejects.toMatchObject({
      code: 'unavailable',
      message: `there is no file ${path}`,
    });
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('answers unavailable where the path is a folder or lies below a file', async () => {
    const path = newPath('audit.db');
    mkdirSync(path, { recursive: true });
    await expect(openSqliteAppendLog({ path })).rejects.toMatchObject({ code: 'unavailable' });
    const file = join(path, 'file');
    writeFileSync(file, '');
    await expect(openSqliteAppendLog({ path: join(file, 'audit.db') })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.skipIf(process.platform !== 'linux')('answers unavailable where no folder can be made', async () => {
    await expect(openSqliteAppendLog({ path: '/proc/none/audit.db' })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('takes a path that looks like a URI as a file name', async () => {
    const path = newPath('file:audit.db?mode=memory');
    await (await openSqliteAppendLog({ path })).close();
    expect(existsSync(path)).toBe(true);
  });

  it('makes one schema when many open a new file at once', async () => {
    const path = newPath('audit.db');
    const logs = await Promise.all(Array.from({ length: 8 }, () => openSqliteAppendLog({ path })));
    await Promise.all(
      logs.map((log, index) => log.append([{ stream: `writer ${index}`, sequence: 1, text: `${index}` }])),
    );
    expect(await logs[0]?.size()).toBe(8);
    for (const log of logs) await log.close();
  });

  it.each<[Durability, number]>([
    ['process', 1],
    ['disk', 2],
  ])('sets the durability %s to synchronous = %i in WAL mode', async (durability, synchronous) => {
    const schema = {
      what: 'test',
      inMemory: 'createMemory',
      applicationId: 7,
      migrations: ['CREATE TABLE a (b TEXT) STRICT'],
    };
    const { database } = await openDatabase({ path: newPath('test.db'), durability, schema });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous });
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    database.close();
  });

  it('runs only the migrations that a file lacks', async () => {
    const path = newPath('test.db');
    const base = { what: 'test', inMemory: 'createMemory', applicationId: 7 };
    const steps = ['CREATE TABLE a (b TEXT) STRICT; INSERT INTO a VALUES (1)', 'INSERT INTO a VALUES (2)'];
    for (const count of [1, 2, 2]) {
      const schema = { ...base, migrations: steps.slice(0, count) };
      (await openDatabase({ path, durability: 'process', schema })).database.close();
    }
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT b FROM a').all()).toEqual([{ b: '1' }, { b: '2' }]);
    database.close();
  });

  it('leaves a file as it was when a migration fails', async () => {
    const path = newPath('test.db');
    const schema = {
      what: 'test',
      inMemory: 'createMemory',
      applicationId: 7,
      migrations: ['CREATE TABLE a (b TEXT) STRICT', 'nonsense'],
    };
    await expect(openDatabase({ path, durability: 'process', schema })).rejects.toMatchObject({ code: 'unavailable' });
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()).toMatchObject({ count: 0 });
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 0 });
    database.close();
  });
});
