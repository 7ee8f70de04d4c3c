import { DatabaseSync } from 'node:sqlite';
import { openSqliteAppendLog, openSqliteKeyValueStore } from '@switchyard/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeKeyValueStore } from './contracts/key-value-store.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();

describeKeyValueStore('in SQLite', (options) => openSqliteKeyValueStore({ ...options, path: newPath('cache.db') }));

describe('the key-value store in SQLite', () => {
  it('keeps entries and their expiry when it is opened again', async () => {
    const path = newPath('cache.db');
    let time = 0;
    const epochNow = (): number => time;
    const first = await openSqliteKeyValueStore({ path, epochNow });
    await first.set('for ever', '1');
    await first.set('for a while', '2', { ttlMs: 10 });
    await first.close();

    const second = await openSqliteKeyValueStore({ path, epochNow });
    expect([await second.get('for ever'), await second.get('for a while')]).toEqual(['1', '2']);
    time = 10;
    expect([await second.get('for ever'), await second.get('for a while')]).toEqual(['1', undefined]);
    await second.close();
  });

  it('refuses a change that still waits for the lock when it is closed', async () => {
    const path = newPath('cache.db');
    const store = await openSqliteKeyValueStore({ path, epochNow: () => 0 });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const change = store.set('key', 'value');
    await store.close();
    await expect(change).rejects.toMatchObject({ code: 'closed', message: 'the key-value store is closed' });
  });

  it('shows an entry to another one that has the file open', async () => {
    const path = newPath('cache.db');
    const [left, right] = await Promise.all([
      openSqliteKeyValueStore({ path, epochNow: () => 0 }),
      openSqliteKeyValueStore({ path, epochNow: () => 0 }),
    ]);
    await left.set('key', 'value');
    expect(await right.get('key')).toBe('value');
    expect(await right.delete('key')).toBe(true);
    expect(await left.get('key')).toBeUndefined();
    await left.close();
    await right.close();
  });

  it('refuses the file of a log', async () => {
    const path = newPath('audit.db');
    const log = await openSqliteAppendLog({ path });
    await log.close();
    await expect(openSqliteKeyValueStore({ path, epochNow: () => 0 })).rejects.toMatchObject({ code: 'corrupt' });
  });
});
