import { createServer, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';

import { openNodeRoute, postOf } from '../http-route.ts';
import { accept, send } from '../input/input-route.ts';
import { type MemoryRoute, openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';
import { callOf, type Received } from '../wire.ts';
import { nextTurn, until } from '../turns.ts';

function named(name: string, options: ServerOptions = {}): Server {
  return createServer({ name, version: '1.0.0' }, { logger: silentLogger, createReference: () => 'ref-1', ...options });
}

/** A server with one of each. */
function createShop(): Server {
  return named('shop')
    .tool('sell', { input: z.object({ item: z.string() }), output: z.object({ sold: z.string() }) }, ({ item }) => ({
      sold: item,
    }))
    .resource('shop://hours', { name: 'Hours' }, () => 'nine to five')
    .resourceTemplate(
      'shop://items/{item}',
      { name: 'Item', complete: { item: (typed) => [`${typed}ea`] } },
      ({ item }) => (item === 'tea' ? 'green' : undefined),
    )
    .prompt('pitch', { args: { item: { complete: (typed) => [`${typed}offee`] } } }, ({ item }) => `Buy ${item}`);
}

async function listOf(memory: MemoryRoute, method: string, member: string, key: string): Promise<unknown[]> {
  const { result, error } = await memory.request(method);
  if (error !== undefined) throw new Error(error.message);
  return ((result?.[member] ?? []) as { [key: string]: unknown }[]).map((entry) => entry[key]);
}

const toolsOf = (server: Server): Promise<unknown[]> => listOf(openMemory(server), 'tools/list', 'tools', 'name');

describe('a mounted server', () => {
  it('shows its tools and prompts under the prefix, its resources and templates under their URIs', async () => {
    const memory = openMemory(
      named('mall')
        .tool('open', {}, () => 'x')
        .mount('shop', createShop()),
    );
    expect(await listOf(memory, 'tools/list', 'tools', 'name')).toEqual(['open', 'shop_sell']);
    expect(await listOf(memory, 'prompts/list', 'prompts', 'name')).toEqual(['shop_pitch']);
    expect(await listOf(memory, 'resources/list', 'resources', 'uri')).toEqual(['shop://hours']);
    expect(await listOf(memory, 'resources/templates/list', 'resourceTemplates', 'uriTemplate')).toEqual([
      'shop://items/{item}',
    ]);
  });

  it('serves them', async () => {
    const memory = openMemory(named('mall').mount('shop', createShop()));
    expect(await memory.call('shop_sell', { item: 'tea' })).toMatchObject({ structuredContent: { sold: 'tea' } });
    expect((await memory.call('shop_sell', {})).content[0]?.text).toMatch(/^Invalid arguments for shop_sell: /);
    expect(
      (await memory.request('prompts/get', { name: 'shop_pitch', arguments: { item: 'tea' } })).result,
    ).toMatchObject({
      messages: [{ content: { text: 'Buy tea' } }],
    });
    const read = async (uri: string): Promise<Received> => memory.request('resources/read', { uri });
    expect((await read('shop://hours')).result).toMatchObject({ contents: [{ text: 'nine to five' }] });
    expect((await read('shop://items/tea')).result).toMatchObject({ contents: [{ text: 'green' }] });
    expect((await read('shop://items/milk')).error).toMatchObject({ code: -32602, message: 'Resource not found' });
    expect((await memory.request('tools/call', { name: 'sell' })).error?.message).toBe('Unknown tool: sell');
  });

  it('completes', async () => {
    const memory = openMemory(named('mall').mount('shop', createShop()));
    const complete = async (ref: object, value: string): Promise<unknown> =>
      (await memory.request('completion/complete', { ref, argument: { name: 'item', value } })).result?.['completion'];
    expect(await complete({ type: 'ref/prompt', name: 'shop_pitch' }, 'c')).toMatchObject({ values: ['coffee'] });
    expect(await complete({ type: 'ref/resource', uri: 'shop://items/{item}' }, 't')).toMatchObject({
      values: ['tea'],
    });
  });

  it('makes the server that it is mounted in advertise what it serves', async () => {
    const mall = named('mall').mount('shop', createShop());
    const { result } = await openMemory(mall).request('server/discover');
    expect(Object.keys(result?.['capabilities'] as object).sort()).toEqual([
      'completions',
      'logging',
      'prompts',
      'resources',
      'tools',
    ]);
  });

  it('still works alone', async () => {
    const shop = createShop();
    openMemory(named('mall').mount('shop', shop));
    expect(await toolsOf(shop)).toEqual(['sell']);
    expect(await openMemory(shop).call('sell', { item: 'tea' })).toMatchObject({ structuredContent: { sold: 'tea' } });
  });

  it('may be mounted several levels deep, and in several servers', async () => {
    const shop = createShop();
    const city = named('city').mount('mall', named('mall').mount('shop', shop));
    expect(await toolsOf(city)).toEqual(['mall_shop_sell']);
    expect(await openMemory(city).call('mall_shop_sell', { item: 'tea' })).toMatchObject({
      structuredContent: { sold: 'tea' },
    });
    expect(await toolsOf(named('street').mount('corner', shop))).toEqual(['corner_sell']);
  });

  it('shows what it defines and removes later, and tells the subscribers above once', async () => {
    const shop = createShop();
    const city = named('city').mount('mall', named('mall').mount('shop', shop));
    await nextTurn();
    const { told } = await listen(city, { toolsListChanged: true, promptsListChanged: true });
    expect(await toolsOf(city)).toEqual(['mall_shop_sell']);
    shop.removeTool('sell');
    shop.tool('rent', {}, () => 'rented');
    city.tool('own', {}, () => 'x');
    expect(await toolsOf(city)).toEqual(['mall_shop_rent', 'own']);
    await until(() => told.length > 0);
    await nextTurn();
    expect(told).toEqual(['notifications/tools/list_changed']);
    shop.removePrompt('pitch');
    await until(() => told.length > 1);
    expect(told[1]).toBe('notifications/prompts/list_changed');
    expect((await openMemory(city).request('prompts/list')).error?.code).toBe(-32601);
  });

  it('tells the subscribers above that a resource holds something else', async () => {
    const shop = createShop();
    const { told } = await listen(named('city').mount('mall', named('mall').mount('shop', shop)), {
      resourceSubscriptions: ['shop://hours'],
    });
    shop.resourceUpdated('shop://hours');
    await until(() => told.length > 0);
    expect(told).toEqual(['notifications/resources/updated']);
  });

  it('keeps what is checked of a tool: its result, capabilities and headers', async () => {
    const shop = createShop()
      .tool('lie', { output: z.object({ sold: z.string() }) }, () => ({ sold: 1 }) as never)
      .tool('ask', { requires: ['sampling'] }, () => 'x')
      .tool('route', { input: headerInput }, () => 'routed');
    const mall = named('mall').mount('shop', shop);
    expect(await openMemory(mall).call('shop_lie')).toMatchObject({
      isError: true,
      content: [{ text: 'The tool shop_lie failed (reference ref-1)' }],
    });
    await expect(openMemory(mall).call('shop_ask')).rejects.toMatchObject({ code: -32021 });
    const route = await openNodeRoute(mall);
    const call = callOf('shop_route', { region: 'eu' });
    expect((await route.call(postOf(call))).text).toContain('"code":-32020');
    expect((await route.call(postOf(call, { 'mcp-param-region': 'eu' }))).text).toContain('routed');
  });

  it('asks for input under its exposed name, and its state is good for no other', async () => {
    const shop = named('shop').tool('ask', {}, async (_args, context) => {
      const answer = await context.elicit('n', { message: 'How many?', schema: z.object({ n: z.int() }) });
      return answer.action === 'accept' ? String(answer.content.n) : 'none';
    });
    const mall = named('mall', { state: { keys: [KEY] } })
      .mount('a', shop)
      .mount('b', shop);
    const { state } = await send(mall, 'a_ask');
    const retry = { state, answers: { n: accept({ n: 3 }) } };
    expect((await send(mall, 'b_ask', {}, retry)).error?.code).toBe(-32602);
    expect((await send(mall, 'a_ask', {}, retry)).text).toBe('3');
  });

  it('is logged, when it fails, where it is served', async () => {
    const [inner, outer] = [createRecorder(), createRecorder()];
    const shop = named('shop', { logger: inner }).tool('fail', {}, () => {
      throw new Error('broken');
    });
    await openMemory(named('mall', { logger: outer }).mount('shop', shop)).call('shop_fail');
    expect(inner.lines).toEqual([]);
    expect(outer.lines[0]).toMatchObject({ fields: { name: 'shop_fail', err: { message: 'broken' } } });
  });

  it('makes the lists above as fresh as its own, and as private', async () => {
    const hints = async (cache: ServerOptions['cache']): Promise<unknown> => {
      const shop = createServer({ name: 'shop', version: '1.0.0' }, cache === undefined ? {} : { cache });
      const mall = named('mall', { cache: { ttlMs: 9_000, cacheScope: 'public' } });
      mall.mount(
        'shop',
        shop.tool('sell', {}, () => 'x'),
      );
      const { ttlMs, cacheScope } = (await openMemory(mall).request('tools/list')).result ?? {};
      return { ttlMs, cacheScope };
    };
    expect(await hints({ ttlMs: 5, cacheScope: 'public' })).toEqual({ ttlMs: 5, cacheScope: 'public' });
    expect(await hints({ ttlMs: 99_000, cacheScope: 'private' })).toEqual({ ttlMs: 9_000, cacheScope: 'private' });
  });
});

describe('mount', () => {
  it.each(['', 'a.b', 'a b', 'ä', 'x'.repeat(65), 7])('refuses the prefix %j', (prefix) => {
    expect(() => named('mall').mount(prefix as string, createShop())).toThrow(
      `the prefix ${JSON.stringify(prefix)} cannot stand before names`,
    );
  });

  it('refuses what createServer did not make', () => {
    expect(() => named('mall').mount('shop', { ...createShop() })).toThrow(
      'mount takes a server that createServer made',
    );
  });

  it('refuses a prefix that has a server, and a cycle', () => {
    const [mall, shop] = [named('mall'), createShop()];
    mall.mount('shop', shop);
    expect(() => mall.mount('shop', named('other'))).toThrow('the server mall already has a server mounted as "shop"');
    expect(() => mall.mount('shop', shop)).toThrow(TypeError);
    expect(() => mall.mount('self', mall)).toThrow('the server mall cannot be mounted in mall, which it holds');
    expect(() => shop.mount('up', mall)).toThrow('the server mall cannot be mounted in shop, which it holds');
    expect(() => shop.mount('up', named('city').mount('x', mall))).toThrow(TypeError);
  });

  it('is too late once the server, or one that it is mounted in, is served', () => {
    const [mall, shop] = [named('mall'), createShop()];
    mall.mount('shop', shop).endpoint();
    expect(() => mall.mount('b', named('b'))).toThrow('the server mall is served already: call mount before it');
    expect(() => shop.mount('b', named('b'))).toThrow('the server shop is served already');
    expect(() => shop.use((_request, next) => next())).toThrow(TypeError);
    // What is served may be mounted elsewhere: nothing of it changes.
    expect(() => named('street').mount('corner', shop)).not.toThrow();
  });

  it.each<[string, (server: Server) => Server, (server: Server) => Server]>([
    ['tool "shop_sell"', (mall) => mall.tool('shop_sell', {}, () => 'x'), (shop) => shop.tool('sell', {}, () => 'x')],
    [
      'prompt "shop_sell"',
      (mall) => mall.prompt('shop_sell', {}, () => 'x'),
      (shop) => shop.prompt('sell', {}, () => 'x'),
    ],
    [
      'resource "shop://x"',
      (mall) => mall.resource('shop://x', { name: 'x' }, () => 'x'),
      (shop) => shop.resource('shop://x', { name: 'x' }, () => 'x'),
    ],
    [
      'resource template "shop://{x}"',
      (mall) => mall.resourceTemplate('shop://{x}', { name: 'x' }, () => 'x'),
      (shop) => shop.resourceTemplate('shop://{x}', { name: 'x' }, () => 'x'),
    ],
  ])('[TOOL-12] refuses a second %s, whichever comes second, and stays as it was', async (what, above, below) => {
    const message = `the server mall already has the ${what}`;
    const [mall, shop] = [above(named('mall')), below(named('shop'))];
    expect(() => mall.mount('shop', shop)).toThrow(message);
    expect(() => mall.mount('other', named('other'))).not.toThrow();

    const [early, late] = [named('mall'), named('shop')];
    early.mount('shop', late);
    below(late);
    expect(() => above(early)).toThrow(message);

    const [first, second] = [above(named('mall')), named('shop')];
    first.mount('shop', second);
    expect(() => below(second)).toThrow(message);
    expect((await openMemory(second).request('server/discover')).result?.['capabilities']).toEqual({ logging: {} });
  });

  it('refuses two paths to one name, several levels up', () => {
    const inner = named('inner');
    const city = named('city').mount('a', named('a').mount('b', inner));
    city.mount(
      'a_b',
      named('ab').tool('c', {}, () => 'x'),
    );
    expect(() => inner.tool('c', {}, () => 'x')).toThrow('the server city already has the tool "a_b_c"');
  });

  it('takes a server twice under two prefixes, but no resource of it', () => {
    const tools = named('tools').tool('t', {}, () => 'x');
    const mall = named('mall').mount('a', tools).mount('b', tools);
    expect(() => tools.resource('mem://r', { name: 'r' }, () => 'x')).toThrow(
      'the server mall already has the resource "mem://r"',
    );
    expect(() => mall.mount('c', createShop()).mount('d', createShop())).toThrow(TypeError);
  });

  it('refuses a name that gets too long, now or later', () => {
    const long = 'n'.repeat(120);
    const message = `tool "${long}" of the server shop has no name in mall, where it is mounted as "long_prefix"`;
    const shop = named('shop').tool(long, {}, () => 'x');
    expect(() => named('mall').mount('long_prefix', shop)).toThrow(message);
    const late = named('shop');
    named('mall').mount('long_prefix', late);
    expect(() => late.tool(long, {}, () => 'x')).toThrow(message);
    expect(() => late.tool('n'.repeat(116), {}, () => 'x')).not.toThrow();
  });

  it('finds a name that two splits would fit where it was defined', async () => {
    const mall = named('mall')
      .mount(
        'a',
        named('a').tool('b_c', {}, () => 'from a'),
      )
      .mount(
        'a_b',
        named('ab').tool('d', {}, () => 'from ab'),
      );
    expect((await openMemory(mall).call('a_b_c')).content[0]?.text).toBe('from a');
    expect((await openMemory(mall).call('a_b_d')).content[0]?.text).toBe('from ab');
  });
});

const KEY = Buffer.alloc(32, 7).toString('base64url');

const headerInput = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
};

/** Subscribes to a server until the test ends, and answers the methods of what it is told after the acknowledgement. */
async function listen(server: Server, filter: object): Promise<{ readonly told: readonly string[] }> {
  await nextTurn();
  const closing = new AbortController();
  const told: string[] = [];
  let isAcknowledged = false;
  const ended = server.respond(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 'listen',
      method: 'subscriptions/listen',
      params: {
        notifications: filter,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
    {
      signal: closing.signal,
      send(text) {
        if (isAcknowledged) told.push((JSON.parse(text) as Received).method ?? '');
        isAcknowledged = true;
      },
    },
  );
  onTestFinished(async () => {
    closing.abort();
    await ended;
  });
  await until(() => isAcknowledged);
  return { told };
}
