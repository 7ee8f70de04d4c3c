import { ProtocolError } from '@switchyard/protocol';
import { createServer, type Interceptor, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { accept, declaring, send } from '../input/input-route.ts';
import { openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';

function named(name: string, options: ServerOptions = {}): Server {
  return createServer({ name, version: '1.0.0' }, { logger: silentLogger, createReference: () => 'ref-1', ...options });
}

/** Writes down what it sees, under a name. */
function watcher(name: string, seen: string[]): Interceptor {
  return async (request, next) => {
    const { params } = request;
    const about =
      'name' in params ? params.name : 'uri' in params ? params.uri : 'ref' in params ? JSON.stringify(params.ref) : '';
    seen.push(`${name}: ${request.method} ${String(about)}`);
    return next(request);
  };
}

function fill(server: Server): Server {
  return server
    .tool('sell', {}, () => 'sold')
    .prompt('pitch', { args: { item: { complete: () => ['tea'] } } }, () => 'Buy')
    .resource('shop://hours', { name: 'Hours' }, () => 'nine to five')
    .resourceTemplate('shop://items/{item}', { name: 'Item', complete: { item: () => ['tea'] } }, ({ item }) =>
      item === 'tea' ? 'green' : undefined,
    );
}

describe('an interceptor of a mounted server', () => {
  it('leaves out of the list of its host what is read by its URI alone, as the host does without it', async () => {
    const list = async (server: Server): Promise<unknown> => {
      const { result } = await openMemory(server).request('resources/list', {});
      return (result?.['resources'] as readonly { readonly uri: string }[] | undefined)?.map(({ uri }) => uri);
    };
    const create = (shop: Server): Server =>
      named('mall')
        .skill({
          frontmatter: { name: 'refunds', description: 'How to refund' },
          body: 'Refund.',
          files: { 'forms/a.md': '# A' },
        })
        .mount('shop', shop);
    const listed = ['shop://hours', 'skill://refunds/SKILL.md'];
    expect(await list(create(fill(named('shop'))))).toEqual(listed);
    expect(await list(create(fill(named('shop')).use((_, next) => next())))).toEqual(listed);
  });

  it.each<[string, object, string]>([
    ['tools/call', { name: 'mall_shop_sell' }, 'sell'],
    ['prompts/get', { name: 'mall_shop_pitch', arguments: { item: '' } }, 'pitch'],
    ['resources/read', { uri: 'shop://hours' }, 'shop://hours'],
    ['resources/read', { uri: 'shop://items/tea' }, 'shop://items/tea'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'mall_shop_pitch' }, argument: { name: 'item', value: '' } },
      '{"type":"ref/prompt","name":"pitch"}',
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'shop://items/{item}' }, argument: { name: 'item', value: '' } },
      '{"type":"ref/resource","uri":"shop://items/{item}"}',
    ],
  ])('wraps %s of %j under its own names, inside those of the servers above', async (method, params, about) => {
    const seen: string[] = [];
    const shop = fill(named('shop')).use(watcher('shop', seen));
    const mall = named('mall').use(watcher('mall', seen)).mount('shop', shop);
    const city = named('city').use(watcher('city', seen)).mount('mall', mall);
    const plain = named('city').mount('mall', named('mall').mount('shop', fill(named('shop'))));
    const { result, error } = await openMemory(city).request(method, params);
    expect(error).toBeUndefined();
    expect(result).toEqual((await openMemory(plain).request(method, params)).result);
    expect(seen.map((line) => line.split(':')[0])).toEqual(['city', 'mall', 'shop']);
    expect(seen[2]).toBe(`shop: ${method} ${about}`);
  });

  it.each<[string, string]>([
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ])('wraps its part of %s, which is otherwise as without it', async (method, member) => {
    const seen: string[] = [];
    const build = (prepare: (shop: Server) => Server): Server =>
      named('city')
        .tool('own', {}, () => 'x')
        .mount(
          'mall',
          named('mall').mount('shop', prepare(fill(named('shop', { pageSize: 1 }).tool('b', {}, () => 'x')))),
        );
    const city = build((shop) => shop.use(watcher('shop', seen)));
    const { result } = await openMemory(city).request(method);
    expect(result).toEqual((await openMemory(build((shop) => shop)).request(method)).result);
    expect(result?.[member]).not.toHaveLength(0);
    expect(new Set(seen)).toEqual(new Set([`shop: ${method} `]));
  });

  it('hides from lists what it leaves out, in pages of the server above', async () => {
    const shop = named('shop', { cache: { ttlMs: 9, cacheScope: 'public' } });
    for (const name of ['a', 'b', 'c']) shop.tool(name, {}, () => name);
    shop.use(async (request, next) => {
      if (request.method !== 'tools/list') return next(request);
      const page = await next(request);
      return { ...page, ttlMs: 3, tools: page.tools.filter(({ name }) => name !== 'b') };
    });
    const mall = named('mall', { pageSize: 2 })
      .tool('own', {}, () => 'x')
      .mount('shop', shop);
    const memory = openMemory(mall);
    const first = (await memory.request('tools/list')).result;
    expect(first).toMatchObject({ tools: [{ name: 'own' }, { name: 'shop_a' }], ttlMs: 3, cacheScope: 'private' });
    const second = (await memory.request('tools/list', { cursor: first?.['nextCursor'] })).result;
    expect(second?.['tools']).toMatchObject([{ name: 'shop_c' }]);
    expect(second).not.toHaveProperty('nextCursor');
  });

  it('guards what is its own, and nothing else', async () => {
    const refuse: Interceptor = (request, next) => {
      if (request.method.endsWith('/list')) return next(request);
      throw new ProtocolError('invalidParams', 'closed');
    };
    const mall = named('mall')
      .tool('own', {}, () => 'open')
      .resourceTemplate('shop://{+any}', { name: 'Any' }, () => 'anything')
      .mount('shop', fill(named('shop')).use(refuse))
      .mount(
        'other',
        named('other').tool('t', {}, () => 'open'),
      );
    const memory = openMemory(mall);
    const answer = async (method: string, params: object): Promise<unknown> => {
      const { result, error } = await memory.request(method, params);
      return error?.message ?? JSON.stringify(result);
    };
    expect(await answer('tools/call', { name: 'shop_sell' })).toBe('closed');
    expect(await answer('prompts/get', { name: 'shop_pitch', arguments: { item: '' } })).toBe('closed');
    expect(await answer('resources/read', { uri: 'shop://hours' })).toBe('closed');
    expect(await answer('resources/read', { uri: 'shop://items/tea' })).toBe('closed');
    expect(await answer('resources/read', { uri: 'shop://elsewhere' })).toContain('anything');
    expect(await answer('tools/call', { name: 'own' })).toContain('open');
    expect(await answer('tools/call', { name: 'other_t' })).toContain('open');
    expect(await answer('server/discover', {})).toContain('mall');
  });

  it('passes a resource that its server does not know on to the next, and one that it refuses not', async () => {
    const seen: string[] = [];
    const shop = fill(named('shop')).use(watcher('shop', seen));
    const mall = named('mall')
      .mount('shop', shop)
      .resourceTemplate('shop://{+any}', { name: 'Any' }, ({ any }) =>
        any === 'items/none' ? undefined : `any ${String(any)}`,
      );
    const memory = openMemory(mall);
    const read = async (uri: string): Promise<unknown> => {
      const { result, error } = await memory.request('resources/read', { uri });
      return error?.message ?? ((result?.['contents'] ?? []) as { text: string }[])[0]?.text;
    };
    expect(await read('shop://items/tea')).toBe('green');
    expect(await read('shop://items/milk')).toBe('any items/milk');
    expect(await read('shop://items/none')).toBe('Resource not found');
    expect(await read('other://x')).toBe('Resource not found');
    expect(seen).toHaveLength(3);
  });

  it('sees rounds of input end, and changes arguments of all of them alike', async () => {
    const seen: unknown[] = [];
    const shop = named('shop')
      .tool('ask', { input: z.object({ what: z.string() }) }, async ({ what }, context) => {
        const answer = await context.elicit('n', { message: what, schema: z.object({ n: z.int() }) });
        return answer.action === 'accept' ? `${what}: ${answer.content.n}` : 'none';
      })
      .use(async (request, next) => {
        if (request.method !== 'tools/call') return next(request);
        const result = await next({ ...request, params: { ...request.params, arguments: { what: 'How many?' } } });
        seen.push(result.resultType);
        return result;
      });
    const mall = named('mall', { state: { keys: [KEY] } }).mount('shop', shop);
    const asked = await send(mall, 'shop_ask', { what: 'x' });
    const done = await send(mall, 'shop_ask', { what: 'y' }, { state: asked.state, answers: { n: accept({ n: 3 }) } });
    expect(done.text).toBe('How many?: 3');
    expect(seen).toEqual(['input_required', undefined]);
  });

  it('sees a call that goes on as a task end with the task, which it hands on', async () => {
    const seen: unknown[] = [];
    const shop = named('shop')
      .tool('order', { task: 'required' }, async (_args, context) => {
        await context.task();
        return 'ordered';
      })
      .use(async (request, next) => {
        const result = await next(request);
        seen.push(`${request.method} ${String(result.resultType)}`);
        return result;
      });
    const seenAbove: string[] = [];
    const mall = named('mall').use(watcher('mall', seenAbove)).mount('shop', shop);
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const { result } = await send(mall, 'shop_order', {}, { capabilities });
    expect(result).toMatchObject({ resultType: 'task' });
    const answer = await openMemory(mall).request('tasks/get', { taskId: result?.['taskId'] }, declaring(capabilities));
    expect(answer.error).toBeUndefined();
    expect(seen).toEqual(['tools/call task']);
    expect(seenAbove).toEqual(['mall: tools/call shop_order', 'mall: tasks/get ']);
  });

  it('may send a call to another tool of its server, and to no other', async () => {
    const redirect =
      (to: string): Interceptor =>
      (request, next) =>
        request.method === 'tools/call' ? next({ ...request, params: { ...request.params, name: to } }) : next(request);
    const build = (to: string): Server =>
      named('mall')
        .tool('own', {}, () => 'own')
        .mount(
          'shop',
          named('shop')
            .tool('a', {}, () => 'a')
            .tool('b', {}, () => 'b')
            .use(redirect(to)),
        );
    expect((await openMemory(build('b')).call('shop_a')).content[0]?.text).toBe('b');
    await expect(openMemory(build('own')).call('shop_a')).rejects.toThrow('Unknown tool: shop_own');
  });

  it('fails the whole list when it fails its part', async () => {
    const log = createRecorder();
    const shop = fill(named('shop')).use(function guard() {
      return {};
    });
    const mall = named('mall', { logger: log })
      .tool('own', {}, () => 'x')
      .mount('shop', shop);
    expect((await openMemory(mall).request('tools/list')).error?.code).toBe(-32603);
    expect(String(log.lines[0]?.fields['err'])).toContain('the interceptor guard answered no tools/list result');
  });

  it('cannot keep the server above busy with pages without end', async () => {
    const log = createRecorder();
    const shop = fill(named('shop')).use(async (request, next) => {
      if (request.method !== 'tools/list') return next(request);
      const page = await next({ ...request, params: {} });
      return { ...page, nextCursor: 'more' };
    });
    expect(
      (await openMemory(named('mall', { logger: log }).mount('shop', shop)).request('tools/list')).error?.code,
    ).toBe(-32603);
    expect(String(log.lines[0]?.fields['err'])).toContain('more than 1000 pages');
  });

  it('wraps what is defined later', async () => {
    const seen: string[] = [];
    const shop = named('shop').use(watcher('shop', seen));
    const memory = openMemory(named('mall').mount('shop', shop));
    await memory.request('server/discover');
    fill(shop);
    await memory.call('shop_sell');
    await memory.request('resources/read', { uri: 'shop://hours' });
    shop.removeResource('shop://hours');
    expect((await memory.request('resources/read', { uri: 'shop://hours' })).error?.message).toBe('Resource not found');
    expect(seen).toEqual(['shop: tools/call sell', 'shop: resources/read shop://hours']);
  });
});

const KEY = Buffer.alloc(32, 7).toString('base64url');
