import { createServer, type HttpOptions, silentLogger, type ServerOptions } from '@switchyard/server';
import { createRateLimiter, serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { createRateLimit } from '../src/limits/rate-limit.ts';
import { headersOf, messageOf, openNodeRoute, postOf } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf, requestOf } from './wire.ts';

function create(options: ServerOptions = {}) {
  return createServer({ name: 'limited', version: '1.0.0' }, { logger: silentLogger, ...options });
}

describe('a handler that runs too long', () => {
  it('is ended with an error of its tool, and its signal aborts with a TimeoutError', async () => {
    const reasons: unknown[] = [];
    let released = 0;
    const server = create({ timeoutMs: 20 }).tool('slow', {}, async (_args, ctx) => {
      ctx.onRoundEnd(() => (released += 1));
      ctx.signal.addEventListener('abort', () => reasons.push((ctx.signal.reason as Error).name));
      await new Promise(() => undefined);
      return '';
    });
    const result = await openMemory(server).call('slow');
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('slow did not end') as string }],
    });
    expect([reasons, released]).toEqual([['TimeoutError'], 1]);
  });

  it('is ended with -32603 when it serves a resource or a prompt', async () => {
    const server = create({ timeoutMs: 20 })
      .resource('test://slow', { name: 'slow' }, () => new Promise(() => undefined))
      .prompt('slow', {}, () => new Promise(() => undefined));
    const memory = openMemory(server);
    const answers = [
      await memory.request('resources/read', { uri: 'test://slow' }),
      await memory.request('prompts/get', { name: 'slow' }),
    ];
    for (const { error } of answers)
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('did not end') as string });
  });

  it('is ended with -32603 when it completes an argument, and its signal aborts', async () => {
    const reasons: unknown[] = [];
    const server = create({ timeoutMs: 20 }).prompt(
      'p',
      {
        args: {
          a: {
            complete: (_value, _others, ctx) => {
              ctx.signal.addEventListener('abort', () => reasons.push((ctx.signal.reason as Error).name));
              return new Promise(() => undefined);
            },
          },
        },
      },
      () => '',
    );
    const { error } = await openMemory(server).request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: '' },
    });
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('did not end') as string });
    expect(reasons).toEqual(['TimeoutError']);
  });

  it('is ended while it reads a stream that never waits', async () => {
    const server = create({ timeoutMs: 20 }).resourceTemplate(
      'log://all{?offset,limit}',
      { name: 'log', segments: {} },
      () =>
        (async function* lines() {
          for (;;) yield 'line\n';
        })(),
    );
    const { error } = await openMemory(server).request('resources/read', { uri: 'log://all?offset=1000000000' });
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('did not end') as string });
  });

  it('has the time that it is given, and any with Infinity', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const [timeoutMs, lastsMs] of [
      [Infinity, 10_000_000],
      [2_000, 1_900],
    ] as const) {
      const server = create({ timeoutMs }).tool('slow', {}, async () => {
        await new Promise((resolve) => setTimeout(resolve, lastsMs));
        return 'done';
      });
      const called = openMemory(server).call('slow');
      await vi.advanceTimersByTimeAsync(lastsMs);
      expect((await called).content[0]?.text).toBe('done');
    }
  });

  it.each([0, -1, Number.NaN, '5' as never])('cannot be given %s ms', (timeoutMs) => {
    expect(() => create({ timeoutMs })).toThrow(/timeoutMs/);
  });
});

describe('what is too large', () => {
  it('is answered with -32603 and the limit when it is a result', async () => {
    const server = create({ maxResultChars: 1_000 }).tool('large', {}, () => 'x'.repeat(1_000));
    const { error } = await openMemory(server).request('tools/call', { name: 'large' });
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('1000') as string });
  });

  it('is answered with -32602 and the limit when it is the arguments', async () => {
    let ran = 0;
    const server = create({ maxArgumentChars: 100 })
      .tool('t', { input: { type: 'object' } }, () => String((ran += 1)))
      .prompt('p', { args: { a: '' } }, () => String((ran += 1)));
    const memory = openMemory(server);
    const [fits, tooLarge] = ['x'.repeat(92), 'x'.repeat(93)].map((a) => ({ arguments: { a } }));
    expect((await memory.request('tools/call', { name: 't', ...fits })).error).toBeUndefined();
    for (const [method, name] of [
      ['tools/call', 't'],
      ['prompts/get', 'p'],
    ] as const) {
      const { error } = await memory.request(method, { name, ...tooLarge });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('100') as string });
    }
    expect(ran).toBe(1);
  });

  it('is answered with 431 when it is the head of a request', async () => {
    const running = await serveHttp(create(), { port: 0, maxHeaderBytes: 2_048 });
    onTestFinished(() => running.close());
    const message = requestOf('tools/list');
    const post = (extra: string) =>
      fetch(running.url, {
        method: 'POST',
        headers: { ...headersOf(message), 'x-extra': extra },
        body: JSON.stringify(message),
      });
    expect((await post('x'.repeat(100))).status).not.toBe(431);
    expect((await post('x'.repeat(2_048))).status).toBe(431);
    await expect(serveHttp(create(), { port: 0, maxHeaderBytes: 10 })).rejects.toThrow(/maxHeaderBytes/);
  });
});

describe('the rate of a caller', () => {
  const asked = postOf(callOf('t'));
  const named = (name: string) => ({ ...asked, headers: { ...asked.headers, authorization: name } });
  const authenticate: HttpOptions['authenticate'] = (head) => {
    const subject = head.header('authorization');
    return subject === undefined ? 'anonymous' : { subject };
  };

  it('[TOOL-33] is limited for each, with 429, when to try again, and a handler that did not run', async () => {
    let ran = 0;
    const server = create().tool('t', {}, () => String((ran += 1)));
    const route = await openNodeRoute(server, {
      authenticate,
      rateLimit: createRateLimiter({ requests: 2, windowMs: 60_000 }),
    });
    const statuses = [];
    for (const name of ['ada', 'ada', 'ada', 'eve']) statuses.push((await route.call(named(name))).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    const refused = await route.call(named('ada'));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(messageOf(refused).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('did not run') as string,
    });
    expect(ran).toBe(3);
  });

  it.each([
    [1_500, '2'],
    [-5, '1'],
    [Number.NaN, undefined],
    [Infinity, undefined],
    [1e300, undefined],
  ])('is refused with a Retry-After that is a time, or none, for a wait of %s ms', async (msBeforeNext, header) => {
    const count = createRateLimit({ consume: () => Promise.reject({ msBeforeNext }) }, () => undefined);
    const refusal = await count({ subject: 'ada' });
    expect([refusal?.status, refusal?.headers?.['retry-after']]).toEqual([429, header]);
    expect(refusal?.message).not.toMatch(/NaN|Infinity|e\+/);
  });

  it('has a default for those who are authenticated, and none for others', async () => {
    const server = create().tool('t', {}, () => '');
    const route = await openNodeRoute(server, { authenticate });
    const limiter = createRateLimiter();
    for (let count = 0; count < 6_000; count += 1) await limiter.consume('x');
    await expect(limiter.consume('x')).rejects.toMatchObject({ msBeforeNext: expect.any(Number) as number });
    expect((await route.call(asked)).status).toBe(200);
  });

  it('is not limited while requests cannot be counted, which is logged', async () => {
    const logger = createRecorder();
    const server = create({ logger }).tool('t', {}, () => '');
    const rateLimit = { consume: () => Promise.reject(new Error('no connection')) };
    const route = await openNodeRoute(server, { authenticate, rateLimit });
    expect((await route.call(named('ada'))).status).toBe(200);
    expect(logger.lines.map(({ message }) => message)).toContain('requests cannot be counted, so none is refused');
  });

  it('is not limited by a refusal that cannot be looked at', async () => {
    const failures: unknown[] = [];
    const refusal = {
      get msBeforeNext(): number {
        throw new Error('broken');
      },
    };
    const count = createRateLimit({ consume: () => Promise.reject(refusal) }, (error) => failures.push(error));
    expect(await count({ subject: 'ada' })).toBeUndefined();
    expect(failures).toEqual([refusal]);
  });

  it('is logged ten times a second at most when requests cannot be counted, whoever sends them', async () => {
    const logger = createRecorder();
    const server = create({ logger, now: () => 0 }).tool('t', {}, () => '');
    const rateLimit = { consume: () => Promise.reject(new Error('no connection')) };
    const route = await openNodeRoute(server, { authenticate, rateLimit });
    for (let index = 0; index < 25; index += 1) await route.call(named('ada'));
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(10);
  });

  it('is not waited for longer than two seconds, which is logged', async () => {
    const failures: string[] = [];
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const count = createRateLimit({ consume: () => new Promise(() => undefined) }, (error) =>
      failures.push((error as Error).message),
    );
    const counted = count({ subject: 'ada' });
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await counted).toBeUndefined();
    expect(failures).toEqual(['the rate limiter did not answer within 2000 ms']);
  });

  it('is refused as an option that makes no sense', () => {
    expect(() => createRateLimiter({ requests: 0 })).toThrow(/requests/);
    expect(() => createRateLimiter({ windowMs: -1 })).toThrow(/windowMs/);
  });
});

describe('open subscriptions', () => {
  async function open(url: URL, name?: string): Promise<{ readonly status: number; close(): void }> {
    const message = requestOf('subscriptions/listen', { notifications: {} });
    const aborter = new AbortController();
    onTestFinished(() => aborter.abort());
    const response = await fetch(url, {
      method: 'POST',
      headers: headersOf(message, name === undefined ? {} : { authorization: name }),
      body: JSON.stringify(message),
      signal: aborter.signal,
    });
    return { status: response.status, close: () => aborter.abort() };
  }

  it('are limited for all together, take no place of requests that run, and leave room when they end', async () => {
    const server = create().tool('t', {}, () => '');
    const { url, call } = await openNodeRoute(server, { maxOpenStreams: 2, maxRunningRequests: 1 });
    const [first, second, third] = [await open(url), await open(url), await open(url)];
    expect([first.status, second.status, third.status]).toEqual([200, 200, 503]);
    expect((await call(postOf(callOf('t')))).status).toBe(200);
    first.close();
    await expect.poll(async () => (await open(url)).status, { interval: 5 }).toBe(200);
  });

  it('are limited for each caller', async () => {
    const authenticate: HttpOptions['authenticate'] = (head) => ({ subject: head.header('authorization') ?? 'nobody' });
    const { url } = await openNodeRoute(
      create().tool('t', {}, () => ''),
      { authenticate, maxOpenStreamsPerCaller: 1 },
    );
    const statuses = [];
    for (const name of ['ada', 'ada', 'eve']) statuses.push((await open(url, name)).status);
    expect(statuses).toEqual([200, 503, 200]);
  });

  it('cannot be limited to less than one', async () => {
    await expect(serveHttp(create(), { port: 0, maxOpenStreams: 0 })).rejects.toThrow(/maxOpenStreams/);
  });
});
