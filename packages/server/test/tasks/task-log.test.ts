import { silentLogger } from '@switchyard/server';
import { createMemoryRecordStore, StoreError } from '@switchyard/stores';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { storeWith } from '../effects/store-with.ts';
import { createRecorder } from '../recorder.ts';
import { createJobServer } from './job-server.ts';
import { begin, until } from './task-route.ts';

describe('tasks', () => {
  it('leave a line in the log when they end, without the id that opens them', async () => {
    const lines: object[] = [];
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        return 'done';
      },
      { logger: { ...silentLogger, info: (fields, message) => lines.push({ ...fields, message }) } },
    );
    const sender = { principal: { subject: 'ada', tenant: 't' } };
    const taskId = await begin(server, 'job', {}, sender);
    await until(server, taskId, 'completed', sender);
    expect(lines).toContainEqual({
      message: 'task ended',
      task: `${taskId.slice(0, 8)}…`,
      name: 'job',
      subject: 'ada',
      tenant: 't',
      status: 'completed',
    });
    expect(JSON.stringify(lines)).not.toContain(taskId);
  });

  it('are not said to have ended whose end was never stored before their time was over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const whole = createMemoryRecordStore({ epochNow: () => 0 });
    const records = storeWith(whole, {
      put: (...written) =>
        written[1].includes('"end"')
          ? Promise.reject(new StoreError('unavailable', 'down for good'))
          : whole.put(...written),
    });
    const logger = createRecorder();
    const server = createJobServer(
      async (ctx) => {
        await ctx.task({ ttlMs: 1_000 });
        return 'done';
      },
      { logger, records, epochNow: () => 0 },
    );
    await begin(server, 'job');
    await vi.advanceTimersByTimeAsync(60_000);
    const messages = logger.lines.map(({ message }) => message);
    expect(messages).toContain('the end of a task could not be written');
    expect(messages).not.toContain('task ended');
  });

  it('are warned of where others than this machine would rely on the memory of one process', async () => {
    const warned: string[] = [];
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => warned.push(message) };
    const endpoint = createJobServer(async () => '', { logger, state: false }).endpoint();
    await endpoint.prepare?.({ isLoopback: true });
    expect(warned).toEqual([]);
    await endpoint.prepare?.({ isLoopback: false });
    expect(warned).toEqual([expect.stringContaining('memory of this process')]);
  });
});
