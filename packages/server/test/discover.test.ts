import { createServer, type Server, silentLogger } from '@switchyard/server';
import { createResponder, Serialised } from '@switchyard/server/endpoint';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';
import { requestOf } from './wire.ts';

const create = (): Server =>
  createServer(
    { name: 'discover', version: '1.0.0', title: 'Discover', instructions: 'Ask first' },
    { logger: silentLogger },
  );

/** A way to define something, the capabilities that follow from it, and the methods that are then served. */
const families: readonly [string, (server: Server) => Server, string[], string[]][] = [
  ['nothing', (server) => server, [], []],
  ['a tool', (server) => server.tool('t', {}, () => 'x'), ['tools'], ['tools/list', 'tools/call']],
  [
    'a resource',
    (server) => server.resource('mem://r', { name: 'r' }, () => 'x'),
    ['resources'],
    ['resources/list', 'resources/templates/list', 'resources/read'],
  ],
  [
    'a template',
    (server) => server.resourceTemplate('mem://{r}', { name: 'r' }, () => 'x'),
    ['resources'],
    ['resources/list', 'resources/templates/list', 'resources/read'],
  ],
  [
    'a prompt',
    (server) => server.prompt('p', { args: { a: '' } }, () => 'x'),
    ['prompts'],
    ['prompts/list', 'prompts/get'],
  ],
  [
    'a prompt that completes',
    (server) => server.prompt('p', { args: { a: { complete: () => [] } } }, () => 'x'),
    ['completions', 'prompts'],
    ['prompts/list', 'prompts/get', 'completion/complete'],
  ],
  [
    'a template that completes',
    (server) => server.resourceTemplate('mem://{a}', { name: 'r', complete: { a: () => [] } }, () => 'x'),
    ['completions', 'resources'],
    ['resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'],
  ],
];

const every = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
];

async function capabilitiesOf(server: Server): Promise<string[]> {
  const { result } = await openMemory(server).request('server/discover');
  return Object.keys(result?.['capabilities'] as object)
    .filter((name) => name !== 'logging')
    .sort();
}

describe('server/discover', () => {
  it('[DISC-01] [DISC-02] [DISC-03] [DISC-04] [LOG-01] says what the server is and speaks', async () => {
    const { result } = await openMemory(create().tool('t', {}, () => 'x')).request('server/discover');
    expect(result).toStrictEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'discover', version: '1.0.0', title: 'Discover' } },
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'Ask first',
      ttlMs: expect.any(Number),
      cacheScope: 'private',
    });
  });

  it('[DISC-03] [META-09] says all of who the server is, which no other response does', async () => {
    const info = {
      name: 'full',
      version: '2.0.0',
      title: 'Full',
      description: 'Says everything',
      websiteUrl: 'https://example.com',
      icons: [{ src: 'https://example.com/i.png', sizes: ['48x48'] }],
    };
    const server = createServer({ ...info, instructions: 'Ask first' }, { logger: silentLogger });
    const memory = openMemory(server.tool('t', {}, () => ({ content: [], _meta: { 'com.example/a': 1 } })));
    const metaOf = async (method: string, params = {}): Promise<unknown> =>
      (await memory.request(method, params)).result?.['_meta'];
    expect(await metaOf('server/discover')).toStrictEqual({ 'io.modelcontextprotocol/serverInfo': info });
    const short = { 'io.modelcontextprotocol/serverInfo': { name: 'full', version: '2.0.0' } };
    expect(await metaOf('tools/list')).toStrictEqual(short);
    expect(await metaOf('tools/call', { name: 't' })).toStrictEqual({ ...short, 'com.example/a': 1 });
    expect(await metaOf('server/discover')).toStrictEqual({ 'io.modelcontextprotocol/serverInfo': info });
  });

  it('has no instructions where the author gives none', async () => {
    const { result } = await openMemory(createServer({ name: 'x', version: '1' }, { logger: silentLogger })).request(
      'server/discover',
    );
    expect(result).not.toHaveProperty('instructions');
  });

  it.each(families)(
    '[DISC-05] [DISC-06] [MSG-34] [RES-01] [PRM-01] [PRM-12] [COMP-01] [COMP-05] advertises exactly what is served with %s',
    async (_, define, capabilities, served) => {
      const server = define(create());
      expect(await capabilitiesOf(server)).toEqual(capabilities);
      const memory = openMemory(server);
      for (const method of every) {
        const { error } = await memory.request(method, { name: 'absent', uri: 'absent' });
        expect([method, error?.code === -32601]).toEqual([method, !served.includes(method)]);
      }
    },
  );

  it('[DISC-05] tells of definitions that were added after the server was first asked', async () => {
    const server = create();
    expect(await capabilitiesOf(server)).toEqual([]);
    for (const [, define] of families.slice(1, 5)) define(server);
    expect(await capabilitiesOf(server)).toEqual(['prompts', 'resources', 'tools']);
    expect((await openMemory(server).request('tools/list')).result?.['tools']).toHaveLength(1);
  });

  it('[META-09] [MSG-08] puts its name and a result type on every result', async () => {
    const server = create();
    for (const [, define] of families.slice(1, 3)) define(server);
    server.prompt('p', { args: { a: { complete: () => [] } } }, () => 'x');
    const memory = openMemory(server);
    const requests: [string, object][] = [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', { name: 't' }],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'mem://r' }],
      ['prompts/list', {}],
      ['prompts/get', { name: 'p', arguments: { a: '' } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
    ];
    for (const [method, params] of requests) {
      const { result } = await memory.request(method, params);
      expect(result).toMatchObject({
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'discover', version: '1.0.0' } },
      });
    }
  });

  it.each(['{}', '{"tools":[]}'])(
    '[MSG-08] is JSON where an endpoint serialised its result itself: %s',
    async (json) => {
      const endpoint = {
        ...create().endpoint(),
        capabilities: { tools: {} },
        handlers: { 'tools/list': () => new Serialised(json) },
      };
      const exchange = { signal: new AbortController().signal, send: () => undefined };
      const text = await createResponder(endpoint).respond(JSON.stringify(requestOf('tools/list')), exchange);
      expect(JSON.parse(text ?? '')).toMatchObject({
        result: { resultType: 'complete', ...(JSON.parse(json) as object) },
      });
    },
  );
});
