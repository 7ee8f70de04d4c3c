import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RecordStore } from '@switchyard/stores';
import { openPostgresRecordStore } from '@switchyard/stores/postgres';
import { openSqliteRecordStore } from '@switchyard/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { postgresUrl, usePostgresSchemas } from './servers.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();
const newSchema = usePostgresSchemas();
const WRITER = fileURLToPath(new URL('./fixtures/put-until-killed.ts', import.meta.url));

/** What a writer said of each key last: the value and the version. */
type Acknowledged = Map<string, readonly [value: string, version: string]>;

/** Starts a writer, kills it with kill -9 when `count` changes have resolved, and answers all that have. */
async function writeUntilKilled(args: readonly string[], count: number): Promise<Acknowledged> {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', WRITER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const acknowledged: Acknowledged = new Map();
  let lines = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [key, value, version] = JSON.parse(line) as [string, string, string];
    acknowledged.set(key, [value, version]);
    lines += 1;
    if (lines === count) child.kill('SIGKILL');
  });
  await ended;
  expect(lines).toBeGreaterThanOrEqual(count);
  return acknowledged;
}

async function expectKept(store: RecordStore, acknowledged: Acknowledged): Promise<void> {
  onTestFinished(() => store.close());
  for (const [key, [value, version]] of acknowledged) {
    const found = await store.get(key);
    // The change after the last one that was acknowledged may have been made too.
    if (found?.version !== version) {
      expect([key, value, found?.value]).toEqual([key, 'created', 'changed']);
      continue;
    }
    expect(found.value).toBe(value);
  }
  expect(await store.put('after the crash', 'value', { expected: undefined })).toBeDefined();
}

it('keeps every change in SQLite that resolved when its writer is killed in the middle', async () => {
  const path = newPath('records.db');
  const acknowledged = await writeUntilKilled(['sqlite', path], 400);
  await expectKept(await openSqliteRecordStore({ path, epochNow: Date.now }), acknowledged);
});

it('keeps every change in PostgreSQL that resolved when its writer is killed in the middle', async () => {
  const schema = newSchema();
  const acknowledged = await writeUntilKilled(['postgres', schema, postgresUrl], 400);
  await expectKept(await openPostgresRecordStore({ url: postgresUrl, schema }), acknowledged);
});
