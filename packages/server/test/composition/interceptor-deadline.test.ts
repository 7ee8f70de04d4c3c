import { createServer, type Interceptor, type Server } from '@switchyard/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { openNodeRoute, postOf } from '../http-route.ts';
import { openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';
import { callOf } from '../wire.ts';

const never = (): Promise<never> => new Promise(() => undefined);

function create(interceptors: readonly Interceptor[], timeoutMs = 20): { server: Server; problems(): string[] } {
  const log = createRecorder();
  const server = createServer({ name: 'slow', version: '1.0.0' }, { logger: log, timeoutMs })
    .tool('t', {}, () => 'done')
    .tool('slow', {}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return 'done';
    });
  for (const interceptor of interceptors) server.use(interceptor);
  return {
    server,
    problems: () => log.lines.filter(({ level }) => level === 'error').map(({ fields }) => String(fields['err'])),
  };
}

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
    const host = createServer({ name: 'host', version: '1.0.0' }, { logger: server.endpoint().logger, timeoutMs: 20 });
    for (const [served, name] of [
      [server, 't'],
      [host.mount('in', server), 'in_t'],
    ] as const) {
      const memory = openMemory(served);
      expect((await memory.request('tools/call', { name })).error).toMatchObject({ code: -32603 });
      expect((await memory.request('tools/list')).error).toMatchObject({ code: -32603 });
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
    await openMemory(server).request('tools/call', { name: 't' });
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
    await openMemory(server).request('tools/call', { name: 't' });
    await expect(late[0]).rejects.toThrow('called next after it had answered');
    expect(problems()).toContainEqual(expect.stringContaining('called next after it had answered'));
  });

  it('is not one that waits for a handler, which has a time of its own', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { server } = create(
      [
        async (_request, next) => {
          await new Promise((resolve) => setTimeout(resolve, 900));
          const result = await next();
          await new Promise((resolve) => setTimeout(resolve, 900));
          return result;
        },
      ],
      1_000,
    );
    const called = openMemory(server).call('slow');
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await called).content[0]?.text).toBe('done');
  });

  it('gives its place among the requests that run to others, also when its caller has gone', async () => {
    let started = 0;
    const { server } = create(
      [
        (_request, next) => {
          started += 1;
          return started > 1 ? next() : never();
        },
      ],
      300,
    );
    const { url, call } = await openNodeRoute(server, { maxRunningRequests: 1 });
    const caller = new AbortController();
    const { headers = {}, body } = postOf(callOf('t'));
    const gone = fetch(url, { method: 'POST', headers, body: body as string, signal: caller.signal });
    await expect.poll(() => started).toBe(1);
    caller.abort();
    await expect(gone).rejects.toThrow('aborted');
    await expect.poll(async () => (await call(postOf(callOf('t')))).status, { interval: 5 }).toBe(200);
  });
});
