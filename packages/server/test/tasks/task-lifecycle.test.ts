import { detailedTask, metaKeys } from '@switchyard/protocol';
import { errorResult, ProtocolError, type Server, ToolError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { metaOf, type Received } from '../wire.ts';
import { createJobServer } from './job-server.ts';
import { begin, call, gate, get, metaWithToken, request, takesTasks, until } from './task-route.ts';

/** What `tasks/get` answers, as it is sent. */
async function textOf(server: Server, taskId: string): Promise<string | undefined> {
  const params = { taskId, _meta: metaOf({ [metaKeys.clientCapabilities]: takesTasks }) };
  return server.respond(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params }), {
    signal: new AbortController().signal,
    send: () => undefined,
  });
}

describe('a call that becomes a task', () => {
  it('[TASK-03] [TASK-08] [TASK-11] [TASK-12] [TASK-13] is answered at once with the flat state of the task', async () => {
    const { open, opened } = gate();
    const server = createJobServer(
      async (ctx) => {
        await ctx.task({ ttlMs: 60_000, pollIntervalMs: 250, statusMessage: 'Begun' });
        await opened;
        return 'done';
      },
      { epochNow: () => 1_700_000_000_000 },
    );
    const created = await call(server, 'job');
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]{24}$/) as string,
      status: 'working',
      statusMessage: 'Begun',
      createdAt: '2023-11-14T22:13:20.000Z',
      lastUpdatedAt: '2023-11-14T22:13:20.000Z',
      ttlMs: 60_000,
      pollIntervalMs: 250,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'jobs', version: '1.0.0' } },
    });
    open();
  });

  it('[TASK-14] can be read as soon as its caller knows of it', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return 'done';
    });
    for (let count = 0; count < 20; count += 1) {
      const taskId = await begin(server, 'job');
      expect((await get(server, taskId)).taskId).toBe(taskId);
    }
  });

  it('[TASK-16] [TASK-09] [TASK-10] works, and has the result of the call when it has completed', async () => {
    const { open, opened } = gate();
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      await opened;
      return 'done';
    });
    const taskId = await begin(server, 'job');
    const working = await get(server, taskId);
    expect(working).toMatchObject({ resultType: 'complete', status: 'working' });
    expect(working).not.toHaveProperty('result');
    open();
    const completed = await until(server, taskId, 'completed');
    expect(completed).toMatchObject({ resultType: 'complete', result: { content: [{ type: 'text', text: 'done' }] } });
    expect(detailedTask(completed)).toBeUndefined();
  });

  it.each([
    ['returned', () => errorResult('no such order')],
    [
      'thrown',
      () => {
        throw new ToolError('no such order');
      },
    ],
  ])('[TASK-17] completes with an error of the tool that was %s', async (_how, end) => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return end();
    });
    const task = await until(server, await begin(server, 'job'), 'completed');
    expect(task.result).toMatchObject({ isError: true, content: [{ text: 'no such order' }] });
  });

  it('[TASK-16] [TASK-17] [TASK-18] fails with the error of the protocol, and says so', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      throw new ProtocolError(7, 'over the limit', { data: { limit: 3 } });
    });
    const task = await until(server, await begin(server, 'job'), 'failed');
    expect(task).toMatchObject({
      statusMessage: 'over the limit',
      error: { code: 7, message: 'over the limit', data: { limit: 3 } },
    });
    expect(task).not.toHaveProperty('result');
  });

  it('fails with the integers of its error digit for digit', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      throw new ProtocolError(7, 'no', { data: { order: 9_007_199_254_740_993n } });
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'failed');
    expect(await textOf(server, taskId)).toContain('"order":9007199254740993');
  });

  it('keeps its cause from its caller when the handler fails', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      throw new Error('password is hunter2');
    });
    const task = await until(server, await begin(server, 'job'), 'completed');
    expect(task.result?.isError).toBe(true);
    expect(JSON.stringify(task)).not.toContain('hunter2');
  });

  it.each([
    ['data that JSON cannot hold', () => new ProtocolError(7, 'no', { data: { toJSON: () => 1n } })],
    ['a code that is none', () => new ProtocolError(1.5, 'no')],
  ])('fails with an internal error in place of one with %s', async (_what, make) => {
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        throw make();
      },
      { createReference: () => 'ref-1' },
    );
    const task = await until(server, await begin(server, 'job'), 'failed');
    expect(task.error).toMatchObject({ code: -32603, message: 'Internal error (reference ref-1)' });
  });

  it('ends with a reference alone when its result cannot be written', async () => {
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        const cycle: Record<string, unknown> = {};
        cycle['self'] = cycle;
        return { content: [], structuredContent: cycle };
      },
      { createReference: () => 'ref-1' },
    );
    const taskId = await begin(server, 'job');
    await expect.poll(async () => (await get(server, taskId)).status).not.toBe('working');
    expect(JSON.stringify(await get(server, taskId))).toContain('ref-1');
  });

  it('fails, and says why, when its result is larger than a task keeps', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return 'x'.repeat(500_001);
    });
    const task = await until(server, await begin(server, 'job'), 'failed');
    expect(task.error).toMatchObject({ code: -32603, message: expect.stringContaining('at most 500000') as string });
  });

  it.each<[string, (server: Server) => Server]>([
    ['alone', (server) => server],
    ['through an interceptor', (server) => server.use((_request, next) => next())],
  ])('keeps integers of its result digit for digit: %s', async (_how, prepare) => {
    const server = prepare(
      createJobServer(async (ctx) => {
        await ctx.task();
        return { content: [], structuredContent: { id: 9_007_199_254_740_993n } };
      }),
    );
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'completed');
    expect(await textOf(server, taskId)).toContain('"id":9007199254740993');
  });

  it('shows what its handler says of the work', async () => {
    const { open, opened } = gate();
    const server = createJobServer(async (ctx) => {
      const task = await ctx.task();
      await task.update({ statusMessage: 'Reading', progress: 3, total: 10, pollIntervalMs: 2_000 });
      await opened;
      return task.id;
    });
    const taskId = await begin(server, 'job');
    await expect.poll(async () => (await get(server, taskId)).statusMessage).toBe('Reading (3 of 10)');
    expect((await get(server, taskId)).pollIntervalMs).toBe(2_000);
    open();
    const task = await until(server, taskId, 'completed');
    expect(task.result?.content[0]?.text).toBe(taskId);
  });

  it('sends nothing but its result on the response of the call', async () => {
    const sent: string[] = [];
    const { open, opened } = gate();
    const server = createJobServer(async (ctx) => {
      ctx.progress(1);
      await ctx.task();
      ctx.progress(2);
      open();
      return '';
    });
    const params = { name: 'job', _meta: { ...metaWithToken() } };
    await server.respond(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
      signal: new AbortController().signal,
      send: (text) => sent.push(text),
    });
    await opened;
    expect(sent.map((text) => (JSON.parse(text) as Received).params?.['progress'])).toEqual([1]);
  });

  it('is the same task when it is asked for twice', async () => {
    const server = createJobServer(async (ctx) => {
      const [first, second] = await Promise.all([ctx.task(), ctx.task()]);
      return String(first.id === second.id && (await ctx.task()).id === first.id);
    });
    const task = await until(server, await begin(server, 'job'), 'completed');
    expect(task.result?.content[0]?.text).toBe('true');
  });

  it('outlives the time that a call may take', async () => {
    const { open, opened } = gate();
    const server = createJobServer(
      async (ctx) => {
        const task = await ctx.task();
        await opened;
        return String(task.signal.aborted);
      },
      { timeoutMs: 30 },
    ).tool('endless', {}, () => new Promise<string>(() => undefined));
    const taskId = await begin(server, 'job');
    expect((await request(server, 'tools/call', { name: 'endless' })).result?.['isError']).toBe(true);
    open();
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('false');
  });

  it('[TASK-41] is no other for a client that sends the task member of older revisions', async () => {
    const server = createJobServer(async () => 'plain');
    const { result } = await request(server, 'tools/call', { name: 'job', task: { ttl: 60_000 } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'plain' }] });
  });
});
