import type { Result } from '@switchyard/protocol';
import { ProtocolError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { confirm, createJobServer } from './job-server.ts';
import { accept, begin, cancel, gate, get, request, until, update } from './task-route.ts';

describe('a task that is cancelled', () => {
  it('[TASK-34] aborts the signal of its handler, and is cancelled when that stops', async () => {
    const server = createJobServer(async (ctx) => {
      const before = ctx.signal;
      const task = await ctx.task();
      expect(task.signal).toBe(before);
      await new Promise((_resolve, reject) =>
        task.signal.addEventListener('abort', () => reject(task.signal.reason as Error)),
      );
    });
    const taskId = await begin(server, 'job');
    const { result } = await cancel(server, taskId);
    expect(Object.keys(result ?? {}).sort()).toEqual(['_meta', 'resultType']);
    expect(await until(server, taskId, 'cancelled')).not.toHaveProperty('result');
  });

  it('[TASK-34] has completed when its handler answers a result all the same', async () => {
    const { open, opened } = gate<unknown>();
    const server = createJobServer(async (ctx) => {
      const task = await ctx.task();
      task.signal.addEventListener('abort', () => open(task.signal.reason));
      await opened;
      return 'tidied up';
    });
    const taskId = await begin(server, 'job');
    await cancel(server, taskId);
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('tidied up');
    expect((await opened) as Error).toMatchObject({ name: 'AbortError' });
  });

  it('[TASK-34] rejects what its handler asks, and asks it no more', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return JSON.stringify(await ctx.elicit('a', confirm));
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    await cancel(server, taskId);
    const task = await until(server, taskId, 'cancelled');
    expect(task).not.toHaveProperty('inputRequests');
    expect((await update(server, taskId, { a: accept({ ok: true }) })).error).toBeUndefined();
  });

  it('is cancelled without a handler that does not stop in time, whose result is dropped', async () => {
    const { open, opened } = gate();
    const ended = gate();
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        await opened;
        queueMicrotask(ended.open);
        return 'too late';
      },
      { tasks: { cancelGraceMs: 10 } },
    );
    const taskId = await begin(server, 'job');
    await cancel(server, taskId);
    await until(server, taskId, 'cancelled');
    open();
    await ended.opened;
    expect((await get(server, taskId)).status).toBe('cancelled');
  });

  it.each(['completed', 'failed'])(
    '[TASK-19] [TASK-34] is acknowledged and stays %s when it has ended',
    async (status) => {
      const server = createJobServer(async (ctx) => {
        await ctx.task();
        if (status === 'failed') throw new ProtocolError('internalError', 'broken');
        return 'done';
      });
      const taskId = await begin(server, 'job');
      const before = await until(server, taskId, status);
      expect((await cancel(server, taskId)).error).toBeUndefined();
      expect(await get(server, taskId)).toEqual(before);
    },
  );

  it('is so when its request is cancelled before the response is out', async () => {
    const aborter = new AbortController();
    const { open, opened } = gate<AbortSignal>();
    const ids: (string | undefined)[] = [];
    const server = createJobServer(async (ctx) => {
      const starting = ctx.task();
      aborter.abort(new Error('gone'));
      const task = await starting;
      ids.push(task.id);
      open(task.signal);
      await new Promise((_resolve, reject) => {
        if (task.signal.aborted) reject(task.signal.reason as Error);
        task.signal.addEventListener('abort', () => reject(task.signal.reason as Error));
      });
    });
    await request(server, 'tools/call', { name: 'job' }, { signal: aborter.signal });
    expect((await opened).aborted).toBe(true);
    await until(server, ids[0] ?? '', 'cancelled');
  });

  it('is not so when its request is cancelled after that', async () => {
    const aborter = new AbortController();
    const { open, opened } = gate();
    const server = createJobServer(async (ctx) => {
      const task = await ctx.task();
      await opened;
      return String(task.signal.aborted);
    });
    const taskId = await begin(server, 'job', {}, { signal: aborter.signal });
    aborter.abort();
    open();
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('false');
  });
});

describe('a task that its caller does not get', () => {
  it.each<[string, (server: ReturnType<typeof createJobServer>) => void]>([
    ['an interceptor throws', (server) => server.use(({ method }, next) => refuseTasks(method, next, 'throws'))],
    ['an interceptor answers something else', (server) => server.use(({ method }, next) => refuseTasks(method, next))],
  ])('is cancelled when %s', async (_, break_) => {
    const { open, opened } = gate<unknown>();
    const server = createJobServer(async (ctx) => {
      const task = await ctx.task();
      task.signal.addEventListener('abort', () => open(task.signal.reason));
      await opened;
    });
    break_(server);
    await request(server, 'tools/call', { name: 'job', arguments: {} });
    expect(await opened).toMatchObject({ name: 'AbortError', message: 'the task did not reach its caller' });
  });

  it('is cancelled when its response is longer than results may be', async () => {
    const { open, opened } = gate<unknown>();
    const server = createJobServer(
      async (ctx) => {
        const { signal } = await ctx.task({ statusMessage: 'x'.repeat(900) });
        // The response may have failed before the handler goes on.
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        open(signal.reason);
      },
      { maxResultChars: 800 },
    );
    expect((await request(server, 'tools/call', { name: 'job', arguments: {} })).error?.code).toBe(-32603);
    expect(await opened).toMatchObject({ name: 'AbortError' });
  });
});

async function refuseTasks(method: string, next: () => Promise<Result>, how?: 'throws'): Promise<Result> {
  const result = await next();
  if (method !== 'tools/call') return result;
  if (how === 'throws') throw new Error('not today');
  return { resultType: 'complete', content: [] } as Result;
}
