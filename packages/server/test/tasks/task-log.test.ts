import { silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

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
