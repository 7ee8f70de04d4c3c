import { ProtocolError } from '@switchyard/protocol';
import { createServer, type InterceptedRequest, type Interceptor, silentLogger, ToolError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { accept, send } from '../input/input-route.ts';
import { openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';
import { nextTurn, until } from '../turns.ts';
import { createShop } from './shop.ts';

const requests: readonly [string, object][] = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['tools/call', { name: 'sell', arguments: { item: 'tea' } }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'shop://hours' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'pitch', arguments: { item: 'tea' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'shop://items/{item}' }, argument: { name: 'item', value: '' } },
  ],
];

describe('an interceptor', () => {
  it.each(requests)('wraps %s, and changes nothing when it hands the request on', async (method, params) => {
    const seen: string[] = [];
    const plain = await openMemory(createShop()).request(method, params);
    const wrapped = createShop().use(async (request, next) => {
      seen.push(request.method);
      return next(request);
    });
    expect(await openMemory(wrapped).request(method, params)).toStrictEqual(plain);
    const short = createShop().use((_request, next) => next());
    expect(await openMemory(short).request(method, params)).toStrictEqual(plain);
    expect(seen).toEqual([method]);
  });

  it('wraps a subscription until it ends', async () => {
    const order: string[] = [];
    const server = createShop().use(async (request, next) => {
      order.push(`begin ${request.method}`);
      const result = await next(request);
      order.push(`end ${JSON.stringify(result)}`);
      return result;
    });
    await nextTurn();
    const closing = new AbortController();
    const memory = openMemory(server, { signal: closing.signal });
    const listening = memory.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await until(() => memory.notifications.length === 1);
    server.removeTool('scrap');
    await until(() => memory.notifications.length === 2);
    expect(order).toEqual(['begin subscriptions/listen']);
    closing.abort();
    await listening;
    expect(order[1]).toContain('subscriptionId');
  });

  it('is the outer one when it comes first', async () => {
    const order: string[] = [];
    const named =
      (name: string): Interceptor =>
      async (request, next) => {
        order.push(`${name} in`);
        const result = await next(request);
        order.push(`${name} out`);
        return result;
      };
    const server = createShop().use(named('first')).use(named('second'));
    server.tool('last', {}, () => {
      order.push('handler');
      return 'x';
    });
    await openMemory(server).call('last');
    expect(order).toEqual(['first in', 'second in', 'handler', 'second out', 'first out']);
  });

  it('knows who calls, what the client declared, and when it is given up', async () => {
    let request: InterceptedRequest | undefined;
    const server = createShop().use((given, next) => {
      request = given;
      return next(given);
    });
    const giveUp = new AbortController();
    await openMemory(server, { signal: giveUp.signal, principal: { subject: 'mira' } }).call('scrap');
    expect(request?.context).toMatchObject({ principal: { subject: 'mira' }, requestId: 1, capabilities: {} });
    expect(request?.context.meta).toHaveProperty(['io.modelcontextprotocol/protocolVersion']);
    expect(request?.context.client).toBeUndefined();
    expect(request?.context.signal).toBeInstanceOf(AbortSignal);
    expect(Object.isFrozen(request?.context)).toBe(true);
  });

  it('changes params on the way in', async () => {
    const server = createShop().use((request, next) =>
      request.method === 'tools/call'
        ? next({ ...request, params: { ...request.params, name: 'sell', arguments: { item: 'coffee' } } })
        : next(request),
    );
    const { structuredContent } = await openMemory(server).call('scrap');
    expect(structuredContent).toEqual({ sold: 'coffee' });
  });

  it('changes the result on the way out', async () => {
    const server = createShop().use(async (request, next) => {
      if (request.method !== 'tools/list') return next(request);
      const page = await next(request);
      return { ...page, tools: page.tools.filter(({ name }) => name !== 'scrap') };
    });
    const { result } = await openMemory(server).request('tools/list');
    expect(result?.['tools']).toMatchObject([{ name: 'sell' }]);
  });

  it('keeps cursors good when it filters pages', async () => {
    const server = createServer({ name: 'paged', version: '1.0.0' }, { logger: silentLogger, pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.tool(name, {}, () => name);
    server.use(async (request, next) => {
      if (request.method !== 'tools/list') return next(request);
      const page = await next(request);
      return { ...page, tools: page.tools.filter(({ name }) => name !== 'a' && name !== 'c') };
    });
    const memory = openMemory(server);
    const names: unknown[] = [];
    let cursor: unknown;
    do {
      const { result } = await memory.request('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name));
      cursor = result?.['nextCursor'];
    } while (cursor !== undefined);
    expect(names).toEqual(['b', 'd', 'e']);
  });

  it('answers itself, and then no handler runs', async () => {
    let ran = 0;
    const server = createShop();
    server.tool('count', {}, () => {
      ran += 1;
      return 'x';
    });
    server.use((request, next) =>
      request.method === 'tools/call' ? { content: [{ type: 'text', text: 'from the cache' }] } : next(request),
    );
    expect((await openMemory(server).call('count')).content).toMatchObject([{ text: 'from the cache' }]);
    expect(ran).toBe(0);
  });

  it('throws a protocol error, which is the answer', async () => {
    const server = createShop().use(() => {
      throw new ProtocolError('invalidParams', 'Not on Sundays', { data: { open: 'Monday' } });
    });
    const { error } = await openMemory(server).request('prompts/list');
    expect(error).toEqual({ code: -32602, message: 'Not on Sundays', data: { open: 'Monday' } });
  });

  it('throws a tool error, which an outer one sees as the result that it becomes', async () => {
    const seen: unknown[] = [];
    const server = createShop()
      .use(async (request, next) => {
        const result = await next(request);
        seen.push(result);
        return result;
      })
      .use(() => {
        throw new ToolError('Out of stock', { left: 0 });
      });
    const result = await openMemory(server).call('sell', { item: 'tea' });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { left: 0 },
      content: [{ text: 'Out of stock' }],
    });
    expect(seen).toMatchObject([{ isError: true }]);
  });

  it('sees the error of the request, and may answer in its place', async () => {
    const server = createShop().use(async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        if (request.method !== 'prompts/get' || !(error instanceof ProtocolError)) throw error;
        return { messages: [{ role: 'user', content: { type: 'text', text: error.message } }] };
      }
    });
    const { result } = await openMemory(server).request('prompts/get', { name: 'absent' });
    expect(result?.['messages']).toMatchObject([{ content: { text: 'Unknown prompt: absent' } }]);
  });

  it('sees a handler fail as its caller does', async () => {
    const seen: unknown[] = [];
    const server = createShop().use(async (request, next) => {
      const result = await next(request);
      seen.push(result);
      return result;
    });
    server.tool('fail', {}, () => {
      throw new Error('secret');
    });
    await openMemory(server).call('fail');
    expect(seen).toMatchObject([{ isError: true, content: [{ text: 'The tool fail failed (reference ref-1)' }] }]);
  });

  it('does not see what broke the protocol, or is not served', async () => {
    let seen = 0;
    const server = createShop().use((request, next) => {
      seen += 1;
      return next(request);
    });
    const memory = openMemory(server);
    expect((await memory.request('tools/call', { name: 7 })).error?.code).toBe(-32602);
    expect((await memory.request('tools/absent')).error?.code).toBe(-32601);
    expect((await memory.request('tools/list', {}, {})).error?.code).toBe(-32602);
    expect(seen).toBe(0);
  });

  it('hands a request for input on as it is, and wraps the retry, too', async () => {
    const seen: unknown[] = [];
    const server = createShop().use(async (request, next) => {
      const result = await next(request);
      seen.push(result.resultType);
      return result;
    });
    const form = { message: 'How many?', schema: z.object({ n: z.int() }) };
    server.tool('ask', {}, async (_args, context) => {
      const answer = await context.elicit('n', form);
      return answer.action === 'accept' ? String(answer.content.n) : 'none';
    });
    const asked = await send(server, 'ask');
    expect(asked.asks).toEqual(['n']);
    const done = await send(server, 'ask', {}, { state: asked.state, answers: { n: accept({ n: 3 }) } });
    expect(done.text).toBe('3');
    expect(seen).toEqual(['input_required', undefined]);
  });

  it('runs on past an answer that it did not wait for', async () => {
    const log = createRecorder();
    const server = createShop(log).use(async (request, next) => {
      void next(request);
      return Promise.resolve({ content: [] });
    });
    server.tool('fail', {}, async () => {
      await Promise.resolve();
      throw new ProtocolError('invalidParams', 'too late');
    });
    expect((await openMemory(server).call('fail')).content).toEqual([]);
    await until(() => log.lines.some(({ level }) => level === 'warn'));
    expect(log.lines.find(({ level }) => level === 'warn')).toMatchObject({
      message: 'a request failed after an interceptor had answered it',
      fields: { method: 'tools/call', err: { message: 'too late' } },
    });
  });

  it('changes nothing for others in what it answers discovery with', async () => {
    const server = createShop().use(async (request, next) => {
      if (request.method !== 'server/discover') return next(request);
      const result = await next(request);
      Reflect.deleteProperty(result.capabilities, 'tools');
      return result;
    });
    const memory = openMemory(server);
    await memory.request('server/discover');
    expect((await memory.request('tools/list')).error).toBeUndefined();
  });
});

describe('use', () => {
  it('takes functions alone', () => {
    expect(() => createShop().use({} as never)).toThrow(new TypeError('use takes a function, not object'));
  });

  it('is too late once the server is served', async () => {
    const served = createShop();
    served.endpoint();
    expect(() => served.use((_request, next) => next())).toThrow(
      'the server shop is served already: call use before it, or what it is mounted in, is served',
    );
    const asked = createShop();
    await openMemory(asked).request('tools/list');
    expect(() => asked.use((_request, next) => next())).toThrow(TypeError);
  });

  it('adds nothing where there is no interceptor: lists go out as the text that was made once', () => {
    const { handlers } = createShop().endpoint();
    const context = {} as never;
    const page = handlers['tools/list']?.({}, context);
    expect(handlers['tools/list']?.({}, context)).toBe(page);
    expect(page).toHaveProperty('json');
    expect(handlers).not.toHaveProperty('server/discover');
  });
});
