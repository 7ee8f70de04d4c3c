import type { InterceptedRequest, Interceptor, Next } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';
import { createShop } from './shop.ts';

/** What an interceptor may not do, and what the log says of it. */
const slips: readonly [string, Interceptor, string][] = [
  ['answers nothing', () => undefined as never, 'answered undefined in place of a result'],
  ['answers null', () => null as never, 'answered null in place of a result'],
  ['answers a text', () => 'ok' as never, 'answered a string in place of a result'],
  ['answers an array', () => [] as never, 'answered an array in place of a result'],
  [
    'answers a result of another shape',
    () => ({ content: 'x' }) as never,
    'answered no tools/call result: result.content must be an array',
  ],
  [
    'answers content that may not be sent',
    () => ({ content: [{ type: 'image', data: '!', mimeType: 'image/png' }] }),
    'answered no tools/call result: result.content[0].data must be Base64',
  ],
  [
    'answers another result type',
    () => ({ content: [], resultType: 'partial' }),
    'answered with a result of the type "partial" that is not the one of its next',
  ],
  ['answers metadata that is none', () => ({ content: [], _meta: 1 }) as never, 'result._meta must be an object'],
  [
    'asks for input itself',
    () => ({ resultType: 'input_required', requestState: 'mine' }),
    'answered with a result of the type "input_required" that is not the one of its next',
  ],
  [
    'changes the result in place',
    async (_request, next) => {
      const result = await next();
      Reflect.set(result, 'content', 7);
      return result;
    },
    'answered no tools/call result: result.content must be an array',
  ],
  [
    'calls next twice',
    async (request, next) => {
      await next(request);
      return next(request);
    },
    'called next twice',
  ],
  [
    'calls next twice and looks away',
    async (request, next) => {
      const result = await next(request);
      await Promise.allSettled([next(request)]);
      return result;
    },
    'called next twice',
  ],
  [
    'calls next twice at once',
    (request, next) => {
      void next(request);
      return next(request);
    },
    'called next twice',
  ],
  [
    'changes the method',
    (request, next) => next({ ...request, method: 'prompts/list', params: {} }),
    'called next with another method: it can change params alone',
  ],
  [
    'changes the context',
    (request, next) => next({ ...request, context: { ...request.context, principal: { subject: 'root' } } }),
    'called next with another context: it can change params alone',
  ],
  [
    'breaks the params',
    (request, next) => next({ ...request, params: { name: 7 } } as never),
    'called next with params that break tools/call: params.name must be a string',
  ],
  [
    'breaks the params in place',
    (request, next) => {
      Reflect.set(request.params, 'name', 7);
      return next(request);
    },
    'called next with params that break tools/call: params.name must be a string',
  ],
  [
    'breaks the params in place and hands on none',
    (request, next) => {
      Reflect.deleteProperty(request.params, 'name');
      return next();
    },
    'called next with params that break tools/call: params.name must be',
  ],
  ['hands on what is no request', (_request, next) => next('x' as never), 'called next with what is no request'],
  [
    'throws what is no error',
    () => {
      throw 'no';
    },
    'threw what is no error',
  ],
  [
    'throws an error',
    () => {
      throw new Error('a bug');
    },
    'a bug',
  ],
];

describe('an interceptor that', () => {
  it.each(slips)('%s ends in an internal error, and the log says what it did', async (_name, slip, problem) => {
    const log = createRecorder();
    const server = createShop(log).use(slip);
    const { error, result } = await openMemory(server).request('tools/call', { name: 'scrap' });
    expect(result).toBeUndefined();
    expect(error).toEqual({ code: -32603, message: 'Internal error (reference ref-1)', data: { reference: 'ref-1' } });
    const failure = log.lines.find(({ level }) => level === 'error');
    expect(failure?.fields['err']).toMatchObject({ message: expect.stringContaining(problem) });
  });

  it('is named in the log', async () => {
    const log = createRecorder();
    const server = createShop(log).use(function addTenant() {
      return undefined as never;
    });
    await openMemory(server).request('prompts/list');
    expect(String(log.lines[0]?.fields['err'])).toContain('the interceptor addTenant answered undefined');
  });

  it.each<[string, Interceptor]>([
    ['answers nothing', () => undefined as never],
    ['does not hand on what next answers', (_request, next) => void next() as never],
  ])('is blamed for what it does inside another one: it %s', async (_, slip) => {
    const log = createRecorder();
    const received: unknown[] = [];
    Object.defineProperty(slip, 'name', { value: 'inner' });
    const server = createShop(log)
      .use(async function outer(request, next) {
        const result = await next(request);
        received.push(result);
        return result;
      })
      .use(slip);
    expect((await openMemory(server).request('tools/call', { name: 'scrap' })).error).toMatchObject({ code: -32603 });
    expect(received).toEqual([]);
    const failure = log.lines.find(({ level }) => level === 'error');
    expect(String(failure?.fields['err'])).toContain('the interceptor inner answered undefined in place of a result');
  });

  it('calls next after it has answered leaves a line in the log, and nothing else', async () => {
    const log = createRecorder();
    let late: Next | undefined;
    let handed: InterceptedRequest | undefined;
    const server = createShop(log).use((request, next) => {
      [handed, late] = [request, next];
      return { content: [] };
    });
    await openMemory(server).call('scrap');
    await expect(late?.(handed as InterceptedRequest)).rejects.toThrow('called next after it had answered');
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', message: 'an interceptor broke a rule' });
  });

  it('ends a subscription with a result of its own is an internal error', async () => {
    const log = createRecorder();
    const server = createShop(log).use(() => ({}));
    const { error } = await openMemory(server).request('subscriptions/listen', { notifications: {} });
    expect(error?.code).toBe(-32603);
    expect(String(log.lines[0]?.fields['err'])).toContain('answered subscriptions/listen with another result');
  });

  it.each([
    [
      'an entry that is none',
      { tools: [{ name: 'x' }], ttlMs: 0, cacheScope: 'private' },
      'result.tools[0].inputSchema',
    ],
    ['no ttlMs', { tools: [], cacheScope: 'private' }, 'result.ttlMs must be an integer'],
    ['a ttlMs below 0', { tools: [], ttlMs: -1, cacheScope: 'private' }, 'result.ttlMs must be an integer'],
    ['no scope', { tools: [], ttlMs: 1 }, 'result.cacheScope must be one of'],
  ])('answers a list with %s ends in an internal error', async (_name, page, problem) => {
    const log = createRecorder();
    const server = createShop(log).use(() => page as never);
    expect((await openMemory(server).request('tools/list')).error?.code).toBe(-32603);
    expect(String(log.lines[0]?.fields['err'])).toContain(problem);
  });
});
