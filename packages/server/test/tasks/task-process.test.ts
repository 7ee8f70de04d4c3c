import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { metaKeys } from '@switchyard/protocol';
import { createServer } from '@switchyard/server';
import { openSqliteRecordStore } from '@switchyard/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';

import { useTemporaryFolder } from '../../../stores/test/temporary-folder.ts';
import { headersOf } from '../http-route.ts';
import { callOf, metaOf, type Received } from '../wire.ts';
import { get, takesTasks } from './task-route.ts';

const newPath = useTemporaryFolder();
const SERVER = fileURLToPath(new URL('../fixtures/task-process.ts', import.meta.url));
const NOW = 1_700_000_000_000;

it('[TASK-14] [TASK-18] [TASK-19] is kept when its process is killed, and has failed for good 30 seconds later', async () => {
  const path = newPath('records.db');
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', SERVER, path, String(NOW)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const message = callOf('job', {}, { meta: metaOf({ [metaKeys.clientCapabilities]: takesTasks }) });
  const response = await fetch(url, { method: 'POST', headers: headersOf(message), body: JSON.stringify(message) });
  const { result } = (await response.json()) as Received;
  child.kill('SIGKILL');
  await ended;

  const clock = { now: NOW };
  const epochNow = (): number => clock.now;
  await using records = await openSqliteRecordStore({ path, epochNow });
  const successor = createServer({ name: 'jobs', version: '1.0.0' }, { records, epochNow }).tool(
    'job',
    { task: 'optional' },
    () => 'another run',
  );
  const taskId = String(result?.['taskId']);
  expect(await get(successor, taskId)).toMatchObject({ status: 'working', statusMessage: 'Working on it' });
  clock.now += 30_001;
  const failed = await get(successor, taskId);
  expect(failed).toMatchObject({
    status: 'failed',
    statusMessage: 'The process that ran the task is gone; what the task did until then is not known',
    error: { code: -32603 },
  });
  clock.now += 60_000;
  expect(await get(successor, taskId)).toEqual(failed);
});
