import {
  createServer,
  type ResourceReturn,
  type Server,
  silentLogger,
  type TemplateVariables,
} from '@switchyard/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';

const create = (): Server => createServer({ name: 'depot', version: '1.0.0' }, { logger: silentLogger });
const uri = 'mem://one';

async function read(server: Server, target = uri): Promise<{ readonly [key: string]: unknown }> {
  const { result, error } = await openMemory(server).request('resources/read', { uri: target });
  if (result === undefined) throw Object.assign(new Error(error?.message), error);
  const { _meta, resultType, ...rest } = result;
  expect(resultType).toBe('complete');
  return rest;
}

const stale = { ttlMs: 0, cacheScope: 'private' };

describe('a resource', () => {
  it.each<[string, ResourceReturn, object]>([
    ['text', 'hello', { contents: [{ uri, mimeType: 'text/plain', text: 'hello' }], ...stale }],
    ['the empty string', '', { contents: [{ uri, mimeType: 'text/plain', text: '' }], ...stale }],
    ['bytes', Uint8Array.of(0, 255, 128), { contents: [{ uri, mimeType: 'text/plain', blob: 'AP+A' }], ...stale }],
    ['no bytes', new Uint8Array(), { contents: [{ uri, mimeType: 'text/plain', blob: '' }], ...stale }],
    ['a buffer', Buffer.from('ab'), { contents: [{ uri, mimeType: 'text/plain', blob: 'YWI=' }], ...stale }],
    ['one content', { uri: 'mem://other', text: 'x' }, { contents: [{ uri: 'mem://other', text: 'x' }], ...stale }],
    [
      'several contents',
      [
        { uri, text: 'a' },
        { uri: `${uri}/b`, blob: 'YQ==' },
      ],
      {
        contents: [
          { uri, text: 'a' },
          { uri: `${uri}/b`, blob: 'YQ==' },
        ],
        ...stale,
      },
    ],
    [
      'a full result with its own freshness',
      { contents: [{ uri, text: 'a' }], ttlMs: 9, cacheScope: 'public' },
      { contents: [{ uri, text: 'a' }], ttlMs: 9, cacheScope: 'public' },
    ],
    [
      'a full result without freshness',
      { contents: [{ uri, text: 'a' }] },
      { contents: [{ uri, text: 'a' }], ...stale },
    ],
  ])('[RES-05] [RES-06] [CACHE-01] may return %s', async (_, returned, expected) => {
    const server = create().resource(uri, { name: 'one', mimeType: 'text/plain' }, () => returned);
    expect(await read(server)).toStrictEqual(expected);
  });

  it('[RES-18] encodes bytes as Base64, however many they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const [content] = (await read(create().resource(uri, { name: 'one' }, () => bytes)))['contents'] as {
          blob: string;
        }[];
        expect(content?.blob).toBe(Buffer.from(bytes).toString('base64'));
      }),
      { numRuns: 50 },
    );
    const large = new Uint8Array(1_000_003).fill(7);
    const [content] = (await read(create().resource(uri, { name: 'one' }, () => large)))['contents'] as {
      blob: string;
    }[];
    expect(content?.blob).toBe(Buffer.from(large).toString('base64'));
  });

  it('says how long it stays fresh and who may share it', async () => {
    const server = create().resource(uri, { name: 'one', cache: { ttlMs: 60_000, cacheScope: 'public' } }, () => 'x');
    expect(await read(server)).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  });

  it('[RES-04] is listed as it was described', async () => {
    const server = create().resource(
      uri,
      {
        name: 'one',
        title: 'One',
        description: 'The one',
        mimeType: 'text/plain',
        size: 5,
        annotations: { audience: ['user'], priority: 0.5 },
        icons: [{ src: 'data:image/png;base64,AA==' }],
        meta: { 'com.example/a': 1 },
        cache: { ttlMs: 1 },
      },
      () => 'x',
    );
    const { result } = await openMemory(server).request('resources/list');
    expect(result?.['resources']).toStrictEqual([
      {
        uri,
        name: 'one',
        title: 'One',
        description: 'The one',
        mimeType: 'text/plain',
        size: 5,
        annotations: { audience: ['user'], priority: 0.5 },
        icons: [{ src: 'data:image/png;base64,AA==' }],
        _meta: { 'com.example/a': 1 },
      },
    ]);
  });

  it.each(['mem://absent', 'mem://ONE', 'mem://one/', 'mem://one?x', '', 'one', 'file:///etc/passwd', '\ud800'])(
    '[RES-08] [RES-09] trap 27: is -32602 with its URI where there is none: %j',
    async (target) => {
      const server = create().resource(uri, { name: 'one' }, () => 'x');
      const { error } = await openMemory(server).request('resources/read', { uri: target });
      expect(error).toEqual({ code: -32602, message: expect.any(String), data: { uri: target } });
    },
  );

  it('[RES-08] is -32602 where its handler knows no such thing', async () => {
    const server = create().resource(uri, { name: 'one' }, () => undefined);
    await expect(read(server)).rejects.toMatchObject({ code: -32602, data: { uri } });
  });
});

describe('a resource template', () => {
  /** Answers the variables of each read, or the code of its error. */
  async function match(template: string, ...targets: readonly string[]): Promise<unknown[]> {
    let got: TemplateVariables | undefined;
    const server = create().resourceTemplate(template, { name: 't' }, (variables) => {
      got = variables;
      return 'x';
    });
    const answers: unknown[] = [];
    for (const target of targets) {
      got = undefined;
      const { error } = await openMemory(server).request('resources/read', { uri: target });
      answers.push(error?.code ?? got);
    }
    return answers;
  }

  it('[resources-01] gives variables decoded exactly once', async () => {
    expect(
      await match(
        'depot://item/{id}',
        'depot://item/%C2%A7%2014',
        'depot://item/a%2Fb',
        'depot://item/50%25',
        'depot://item/%2541',
        'depot://item/%ZZ',
        'depot://item/%ff',
        'depot://item/a/b',
        'depot://item/',
      ),
    ).toEqual([{ id: '§ 14' }, { id: 'a/b' }, { id: '50%' }, { id: '%41' }, -32602, -32602, -32602, -32602]);
  });

  it('[resources-04] reads a query in any order, and refuses a name that it does not know', async () => {
    expect(
      await match(
        'log://entries{?from,limit}',
        'log://entries',
        'log://entries?limit=5',
        'log://entries?limit=5&from=a%26b',
        'log://entries?other=1',
        'log://entriesX',
      ),
    ).toEqual([{}, { limit: '5' }, { limit: '5', from: 'a&b' }, -32602, -32602]);
  });

  it('[resources-05] matches an exploded variable without backtracking', async () => {
    const [, large] = await match('x://u{/ids*}', 'x://u/a/b', `x://u/${'a,'.repeat(20_000)}/!`);
    expect([-32602, 'object']).toContain(typeof large === 'number' ? large : typeof large);
  });

  it('[resources-06] serves a template with literals outside ASCII under its encoded URI', async () => {
    expect(await match('menu://café special/{dish}', 'menu://caf%C3%A9%20special/soup')).toEqual([{ dish: 'soup' }]);
  });

  it('answers where no resource has exactly this URI, the most specific first, and the next where it knows nothing', async () => {
    const server = create();
    server
      .resourceTemplate('x://{a}/{b}', { name: 'general' }, ({ a, b }) => `general ${String(a)} ${String(b)}`)
      .resourceTemplate('x://orders/{id}', { name: 'orders' }, ({ id }) =>
        id === '404' ? undefined : `orders ${String(id)}`,
      )
      .resource('x://orders/1', { name: 'first' }, () => 'exact');
    const textOf = async (target: string): Promise<unknown> =>
      ((await read(server, target))['contents'] as { text: string }[])[0]?.text;
    expect(await textOf('x://orders/1')).toBe('exact');
    expect(await textOf('x://orders/2')).toBe('orders 2');
    expect(await textOf('x://orders/404')).toBe('general orders 404');
    expect(await textOf('x://a/b')).toBe('general a b');
    await expect(read(server, 'x://a/b/c')).rejects.toMatchObject({ code: -32602 });
  });

  it('passes to a template where the resource with the URI knows nothing', async () => {
    const server = create();
    server
      .resource('x://a', { name: 'a' }, () => undefined)
      .resourceTemplate('x://{a}', { name: 't' }, () => 'template');
    expect(await read(server, 'x://a')).toMatchObject({ contents: [{ uri: 'x://a', text: 'template' }] });
  });

  it('[RES-07] is listed apart from resources, with the MIME type of its contents', async () => {
    const server = create().resourceTemplate(
      'orders://{tenant}/{order_id}',
      { name: 'order', mimeType: 'application/json', complete: { tenant: () => [] } },
      () => '{}',
    );
    const { result } = await openMemory(server).request('resources/templates/list');
    expect(result?.['resourceTemplates']).toStrictEqual([
      { uriTemplate: 'orders://{tenant}/{order_id}', name: 'order', mimeType: 'application/json' },
    ]);
    expect(await read(server, 'orders://a/1')).toMatchObject({
      contents: [{ uri: 'orders://a/1', mimeType: 'application/json', text: '{}' }],
    });
  });
});
