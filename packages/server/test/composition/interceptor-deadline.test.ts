import { createServer, type Interceptor, type Server } from '@switchyard/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openNodeRoute, postOf } from '../http-route.ts';
import { openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';
import { callOf } from '../wire.ts';

const LIMIT_MS = 1_000;
/** A deadline may come a tenth of the time late. */
const LATEST_MS = 1_100;

const never = (): Promise<never> => new Promise(() => undefined);
const nearlyTooLong = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LIMIT_MS - 100));

/** Lets the time limit pass, and answers what a promise does then. */
async function pastLimit<T>(promise: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(LATEST_MS);
  return promise;
}

function create(interceptors: readonly Interceptor[]): { server: Server; problems(): string[] } {
  const log = createRecorder();
  const server = createServer({ name: 'slow', version: '1.0.0' }, { logger: log, timeoutMs: LIMIT_MS })
    .tool('t', {}, () => 'done')
    .tool('slow', {}, async () => {
      await nearlyTooLong();
      return 'done';
    });
  for (const interceptor of interceptors) server.use(interceptor);
  return {
    server,
    problems: () => log.lines.filter(({ level }) => level === 'error').map(({ fields }) => String(fields['err'])),
  };
}

// Of all timers deadlines have the intervals, and the code of these tests the timeouts: that of the transport goes on.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('an interceptor that runs too long', () => {
  it.each<[string, Interceptor, rule: string]>([
    ['never answers', never, 'the interceptor guard did not end within'],
    [
      'never answers once next has',
      async (_request, next) => {
        await next();
        return never();
      },
      'the interceptor guard did not end within',
    ],
    [
      'never answers once next has failed',
      async (_request, next) => {
        await next({} as never).catch(() => undefined);
        return never();
      },
      'the interceptor guard called next with another method',
    ],
  ])('is ended with -32603, and the log names it: it %s', async (_, interceptor, rule) => {
    Object.defineProperty(interceptor, 'name', { value: 'guard' });
    const { server, problems } = create([(_request, next) => next(), interceptor]);
    const host = createServer(
      { name: 'host', version: '1.0.0' },
      { logger: server.endpoint().logger, timeoutMs: LIMIT_MS },
    );
    for (const [served, name] of [
      [server, 't'],
      [host.mount('in', server), 'in_t'],
    ] as const) {
      const memory = openMemory(served);
      expect((await pastLimit(memory.request('tools/call', { name }))).error).toMatchObject({ code: -32603 });
      expect((await pastLimit(memory.request('tools/list'))).error).toMatchObject({ code: -32603 });
    }
    expect(problems()).toEqual(Array.from({ length: 4 }, () => expect.stringContaining(rule) as string));
  });

  it('has its signal aborted with a TimeoutError', async () => {
    const reasons: unknown[] = [];
    const { server } = create([
      ({ context: { signal } }) => {
        signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
        return never();
      },
    ]);
    await pastLimit(openMemory(server).request('tools/call', { name: 't' }));
    expect(reasons).toEqual(['TimeoutError']);
  });

  it('runs no handler when it calls next after that', async () => {
    const late: Promise<unknown>[] = [];
    const { server, problems } = create([
      async (request, next) => {
        await new Promise((resolve) => request.context.signal.addEventListener('abort', resolve));
        late.push(next(request));
        return never();
      },
    ]);
    await pastLimit(openMemory(server).request('tools/call', { name: 't' }));
    await expect(late[0]).rejects.toThrow('called next after it had answered');
    expect(problems()).toContainEqual(expect.stringContaining('called next after it had answered'));
  });

  it('is not one that waits for a handler, which has a time of its own', async () => {
    const { server } = create([
      async (_request, next) => {
        await nearlyTooLong();
        const result = await next();
        await nearlyTooLong();
        return result;
      },
    ]);
    const called = openMemory(server).call('slow');
    await vi.advanceTimersByTimeAsync(3 * LIMIT_MS);
    expect((await called).content[0]?.text).toBe('done');
  });

  it('gives its place among the requests that run to others, also when its caller has gone', async () => {
    let started = 0;
    const { server } = create([
      (_request, next) => {
        started += 1;
        return started > 1 ? next() : never();
      },
    ]);
    const { url, call } = await openNodeRoute(server, { maxRunningRequests: 1 });
    const caller = new AbortController();
    const { headers = {}, body } = postOf(callOf('t'));
    const gone = fetch(url, { method: 'POST', headers, body: body as string, signal: caller.signal });
    await expect.poll(() => started).toBe(1);
    caller.abort();
    await expect(gone).rejects.toThrow('aborted');
    expect((await call(postOf(callOf('t')))).status).toBe(503);
    await vi.advanceTimersByTimeAsync(LATEST_MS);
    expect((await call(postOf(callOf('t')))).status).toBe(200);
  });
});
