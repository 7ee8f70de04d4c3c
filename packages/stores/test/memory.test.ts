import { createMemoryAppendLog, createMemoryKeyValueStore } from '@switchyard/stores';
import { expect, it } from 'vitest';
import { describeAppendLog } from './contracts/append-log.ts';
import { describeKeyValueStore } from './contracts/key-value-store.ts';

describeKeyValueStore('in memory', async (options) => createMemoryKeyValueStore(options));
describeAppendLog('in memory', async (limits) => createMemoryAppendLog(limits));

it('refuses to let a log in memory grow over its limit, and keeps its start', async () => {
  const log = createMemoryAppendLog({ maxRecords: 2 });
  await log.append([{ stream: 'a', sequence: 1, text: '1' }]);
  const two = [2, 3].map((sequence) => ({ stream: 'a', sequence, text: '2' }));
  await expect(log.append(two)).rejects.toMatchObject({ code: 'too-large' });
  await log.append(two.slice(0, 1));
  await expect(log.append(two.slice(1))).rejects.toMatchObject({ code: 'too-large' });
  expect((await log.read().next()).value).toMatchObject({ sequence: 1 });
  await log.close();
});
