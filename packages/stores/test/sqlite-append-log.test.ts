import { statSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AppendLog } from '@switchyard/stores';
import { openSqliteAppendLog } from '@switchyard/stores/sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeAppendLog } from './contracts/append-log.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();

describeAppendLog('in SQLite', (limits) => openSqliteAppendLog({ ...limits, path: newPath('audit.db') }));
describeAppendLog('in SQLite with durability disk', (limits) =>
  openSqliteAppendLog({ ...limits, path: newPath('audit.db'), durability: 'disk' }),
);

async function open(path: string, busyTimeoutMs = 5000): Promise<AppendLog> {
  const log = await openSqliteAppendLog({ path, busyTimeoutMs });
  onTestFinished(() => log.close());
  return log;
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

/** Answers a wait for the first statement, from now on, that fails because another connection holds the lock. */
function watchTheLock(): () => Promise<void> {
  const run = vi.spyOn(StatementSync.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  return () => vi.waitFor(() => expect(run.mock.results.map(({ type }) => type)).toContain('throw'), { interval: 1 });
}

function record(sequence: number, stream = 'a'): { stream: string; sequence: number; text: string } {
  return { stream, sequence, text: `{"n":${sequence}}` };
}

describe('the append log in SQLite', () => {
  it('goes on where it ended when it is opened again', async () => {
    const path = newPath('audit.db');
    const first = await open(path);
    await first.append([record(1), record(1, 'b'), record(2)]);
    await first.close();
    const second = await open(path);
    await expect(second.append([record(2)])).rejects.toMatchObject({ code: 'conflict' });
    await second.append([record(3)]);
    expect(await second.size()).toBe(4);
    expect(await second.last('a')).toMatchObject({ ...record(3), position: 4 });
  });

  it('holds the appends that were under way when it was closed', async () => {
    const path = newPath('audit.db');
    const first = await open(path);
    const appends = [1, 2, 3].map((sequence) => first.append([record(sequence)]));
    await first.close();
    await Promise.all(appends);
    expect(await (await open(path)).size()).toBe(3);
  });

  it('commits the appends of one turn together', async () => {
    const path = newPath('audit.db');
    const log = await open(path);
    await log.append([record(1)]);
    const before = statSync(`${path}-wal`).size;
    await Promise.all(Array.from({ length: 32 }, (_, index) => log.append([record(index + 2)])));
    // Each transaction writes one page of 4 KiB at least; 32 small records fit on a few.
    expect(statSync(`${path}-wal`).size - before).toBeLessThan(8 * 4200);
  });

  it('gives a sequence to one of two writers of the same stream', async () => {
    const path = newPath('audit.db');
    const [left, right] = [await open(path), await open(path)];
    await left.append([record(1)]);
    await right.append([record(2)]);
    const results = await Promise.allSettled([left.append([record(3)]), right.append([record(3)])]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(left.append([record(5)])).rejects.toMatchObject({ code: 'conflict' });
    expect(await right.size()).toBe(3);
  });

  it('waits for another writer without stopping the event loop', async () => {
    const path = newPath('audit.db');
    const log = await open(path);
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const metTheLock = watchTheLock();
    const append = log.append([record(1)]);
    // Only a later turn of this very event loop frees the lock.
    await metTheLock();
    other.exec('COMMIT');
    await append;
    expect(await log.size()).toBe(1);
  });

  it('keeps no append waiting for the lock longer than the timeout, whatever waits before it', async () => {
    const path = newPath('audit.db');
    const log = await open(path, 200);
    openDatabase(path).exec('BEGIN IMMEDIATE');
    const metTheLock = watchTheLock();
    const first = log.append([record(1)]);
    // Later, so that the first attempt to write does not have them.
    await metTheLock();
    const late = Array.from({ length: 1200 }, (_, index) => log.append([record(index + 2)]));
    const locked = { code: 'unavailable', message: expect.stringContaining('another process') as string };
    await expect(first).rejects.toMatchObject(locked);
    const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    await expect(Promise.race([Promise.all(late), turn])).rejects.toMatchObject(locked);
    await Promise.allSettled(late);
  });

  it('fails with unavailable when another writer holds the lock too long, and works again after it', async () => {
    const path = newPath('audit.db');
    const log = await open(path, 30);
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(log.append([record(1)])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/another process holds the lock/),
    });
    other.exec('ROLLBACK');
    await log.append([record(1)]);
    expect(await log.size()).toBe(1);
  });

  it('fails the appends of a transaction that cannot even begin, and works again after it', async () => {
    const log = await open(newPath('audit.db'));
    const run = vi.spyOn(StatementSync.prototype, 'run').mockImplementationOnce(() => {
      throw new Error('disk I/O error');
    });
    onTestFinished(() => run.mockRestore());
    const failed = await Promise.allSettled([log.append([record(1)]), log.append([record(2)])]);
    for (const { status, reason } of failed as PromiseRejectedResult[])
      expect([status, reason]).toEqual(['rejected', expect.objectContaining({ code: 'unavailable' })]);
    await log.append([record(1)]);
    expect(await log.size()).toBe(1);
  });

  it('fails an append, and does not try for ever, when its file is damaged while it is open', async () => {
    const path = newPath('audit.db');
    const log = await open(path);
    await log.append([record(1)]);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      const handle = await openFile(file, 'r+');
      await handle.write(Buffer.alloc(200, 0xff), 0, 200, 0);
      await handle.close();
    }
    await expect(log.append([record(2)])).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('holds no read transaction open between two records', async () => {
    const path = newPath('audit.db');
    const log = await open(path);
    await log.append(Array.from({ length: 600 }, (_, index) => record(index + 1)));
    const reading = log.read();
    await reading.next();
    const checkpoint = openDatabase(path).prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    expect(checkpoint).toMatchObject({ busy: 0 });
    await reading.return?.();
  });

  it.each(['UPDATE record SET text = 1', 'DELETE FROM record', 'UPDATE record SET sequence = 7 WHERE sequence = 1'])(
    'lets no statement change a record: %s',
    async (statement) => {
      const path = newPath('audit.db');
      const log = await open(path);
      await log.append([record(1), record(2)]);
      expect(() => openDatabase(path).exec(statement)).toThrow('append-only');
      expect(await log.size()).toBe(2);
    },
  );
});
