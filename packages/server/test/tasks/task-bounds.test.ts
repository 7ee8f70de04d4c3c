import { metaKeys } from '@switchyard/protocol';
import { formQuestion, inputRequired, type RequestContext, ToolError } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { openNodeRoute, postOf } from '../http-route.ts';
import { callOf, metaOf } from '../wire.ts';
import { confirm, createJobServer } from './job-server.ts';
import { begin, call, gate, get, request, takesTasks, until } from './task-route.ts';

describe('the time of a task', () => {
  it('[TASK-24] [TASK-25] ends when its ttlMs is over and not before: then it is unknown', async () => {
    const clock = { now: 1_700_000_000_000 };
    const server = createJobServer(
      async (ctx) => {
        await ctx.task({ ttlMs: 60_000 });
        return 'done';
      },
      { epochNow: () => clock.now },
    );
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'completed');
    clock.now += 59_999;
    expect((await get(server, taskId)).status).toBe('completed');
    clock.now += 1;
    await expect(get(server, taskId)).rejects.toMatchObject({ code: -32602 });
  });

  it('ends its handler', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = { now: 1_700_000_000_000 };
    const { open, opened } = gate<unknown>();
    const server = createJobServer(
      async (ctx) => {
        const task = await ctx.task({ ttlMs: 60_000 });
        task.signal.addEventListener('abort', () => open(task.signal.reason));
        return opened;
      },
      { epochNow: () => clock.now },
    );
    const taskId = await begin(server, 'job');
    clock.now += 60_000;
    vi.advanceTimersByTime(60_000);
    expect(await opened).toMatchObject({ message: 'the task has expired' });
    await expect(get(server, taskId)).rejects.toMatchObject({ code: -32602 });
  });

  it.each([0, 1.5, -1, Number.NaN, Infinity, 604_800_001])('cannot be %s milliseconds', async (ttlMs) => {
    const server = createJobServer(async (ctx) => {
      await ctx.task({ ttlMs });
      return '';
    });
    expect(await call(server, 'job')).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('is bounded by the options of the server', () => {
    for (const tasks of [
      { ttlMs: 2_000, maxTtlMs: 1_000 },
      { maxRunning: 0 },
      { pollIntervalMs: 0.5 },
      { maxKeptPerCaller: 1_001 },
    ])
      expect(() => createJobServer(async () => '', { tasks })).toThrow(TypeError);
  });
});

describe('the time between looks at a task', () => {
  it.each([0, 1.5, Number.NaN, Infinity, 604_800_001])('cannot be %s milliseconds', async (pollIntervalMs) => {
    const begins = createJobServer(async (ctx) => {
      await ctx.task({ pollIntervalMs });
      return '';
    });
    expect(await call(begins, 'job')).toMatchObject({ resultType: 'complete', isError: true });
    const changes = createJobServer(async (ctx) => {
      const task = await ctx.task();
      await task.update({ pollIntervalMs }).catch((error: unknown) => {
        throw new ToolError(String(error));
      });
      return '';
    });
    const { result } = await until(changes, await begin(changes, 'job'), 'completed');
    expect(result?.content[0]?.text).toContain('pollIntervalMs of a task must be an integer from 1 to 604800000');
  });

  it('may be longer than tasks are kept', async () => {
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        return '';
      },
      { tasks: { maxTtlMs: 500 } },
    );
    expect(await call(server, 'job')).toMatchObject({ resultType: 'task', ttlMs: 500, pollIntervalMs: 1_000 });
  });
});

describe('tasks', () => {
  it('of one caller are kept in a bounded number, however many begin at once', async () => {
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        return 'done';
      },
      { tasks: { maxKeptPerCaller: 5 } },
    );
    const ada = { principal: { subject: 'ada' } };
    const began = await Promise.all(
      Array.from({ length: 60 }, async () => (await request(server, 'tools/call', { name: 'job' }, ada)).error),
    );
    expect(began.filter((error) => error === undefined)).toHaveLength(5);
    expect(new Set(began.map((error) => error?.message))).toHaveLength(2);
    expect(
      (await request(server, 'tools/call', { name: 'job' }, { principal: { subject: 'eve' } })).error,
    ).toBeUndefined();
  });

  it('run in a bounded number, of each caller and of all', async () => {
    const { open, opened } = gate();
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        await opened;
        return '';
      },
      { tasks: { maxRunningPerCaller: 2, maxRunning: 3 } },
    );
    const [ada, eve, bob] = ['ada', 'eve', 'bob'].map((subject) => ({ principal: { subject } }));
    const first = await begin(server, 'job', {}, ada);
    await begin(server, 'job', {}, ada);
    const { error } = await request(server, 'tools/call', { name: 'job' }, ada);
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('2 tasks of the caller') as string });
    await begin(server, 'job', {}, eve);
    expect((await request(server, 'tools/call', { name: 'job' }, bob)).error?.message).toContain('3 tasks are running');
    open();
    await until(server, first, 'completed', ada);
    await expect.poll(async () => (await request(server, 'tools/call', { name: 'job' }, bob)).error).toBeUndefined();
  });

  it('that are one too many are 503 over HTTP, with a time to come back', async () => {
    const { open, opened } = gate();
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        await opened;
        return '';
      },
      { tasks: { maxRunning: 1 } },
    );
    const route = await openNodeRoute(server);
    const post = postOf(callOf('job', {}, { meta: metaOf({ [metaKeys.clientCapabilities]: takesTasks }) }));
    expect(await route.call(post)).toMatchObject({ status: 200 });
    expect(await route.call(post)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    open();
  });

  it.each<[string, string, (ctx: RequestContext) => Promise<unknown>]>([
    [
      'returned before they began',
      'complete',
      async (ctx) => {
        void ctx.task();
        return 'at once';
      },
    ],
    [
      'thrown before they began',
      'complete',
      async (ctx) => {
        void ctx.task();
        throw new ToolError('at once');
      },
    ],
    [
      'returned before it wanted them',
      'complete',
      async (ctx) => {
        setImmediate(() => void ctx.task());
        return 'at once';
      },
    ],
    [
      'asked for input explicitly before they began',
      'input_required',
      async (ctx) => {
        void ctx.task();
        return inputRequired({ requests: { a: formQuestion(confirm) } });
      },
    ],
  ])('do not go on whose handler has %s', async (_how, resultType, work) => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    const server = createJobServer(work, { records, tasks: { maxRunningPerCaller: 2 } });
    for (let count = 0; count < 10; count += 1) expect((await call(server, 'job')).resultType).toBe(resultType);
    const states = async () => {
      const stored = await Promise.all((await records.keys('task:')).map((key) => records.get(key)));
      return stored.map((found) => /"status":"\w+"/.exec(found?.value ?? '')?.[0]);
    };
    // Cancelled where the call had its answer by then, which its handler hears.
    const ended = expect.stringMatching(/failed|cancelled/) as string;
    await expect.poll(states).toEqual(Array.from({ length: 10 }, () => ended));
  });

  it('are kept in a bounded number of each caller', async () => {
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        return '';
      },
      { tasks: { maxKeptPerCaller: 2 } },
    );
    const ada = { principal: { subject: 'ada' } };
    const first = await begin(server, 'job', {}, ada);
    await begin(server, 'job', {}, ada);
    expect((await request(server, 'tools/call', { name: 'job' }, ada)).error).toMatchObject({ code: -32603 });
    expect((await get(server, first, ada)).taskId).toBe(first);
  });
});
