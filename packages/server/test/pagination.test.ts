import { encodeCursor } from '@switchyard/protocol';
import { createServer, type Server, silentLogger } from '@switchyard/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';

interface Page {
  readonly keys: string[];
  readonly nextCursor: string | undefined;
  readonly ttlMs: unknown;
  readonly cacheScope: unknown;
}

const kinds = [
  ['tools/list', 'tools', 'name', (server: Server, key: string) => server.tool(key, {}, () => 'x')],
  ['prompts/list', 'prompts', 'name', (server: Server, key: string) => server.prompt(key, {}, () => 'x')],
  [
    'resources/list',
    'resources',
    'uri',
    (server: Server, key: string) => server.resource(`mem://${key}`, { name: key }, () => 'x'),
  ],
  [
    'resources/templates/list',
    'resourceTemplates',
    'uriTemplate',
    (server: Server, key: string) => server.resourceTemplate(`mem://${key}/{id}`, { name: key }, () => 'x'),
  ],
] as const;

async function pageOf(server: Server, [method, member, key]: (typeof kinds)[number], cursor?: string): Promise<Page> {
  const { result, error } = await openMemory(server).request(method, cursor === undefined ? {} : { cursor });
  if (result === undefined) throw new Error(String(error?.code));
  const entries = result[member] as { readonly [name: string]: string }[];
  return {
    keys: entries.map((entry) => entry[key] as string),
    nextCursor: result['nextCursor'] as string | undefined,
    ttlMs: result['ttlMs'],
    cacheScope: result['cacheScope'],
  };
}

async function allPages(server: Server, kind: (typeof kinds)[number]): Promise<Page[]> {
  const pages = [await pageOf(server, kind)];
  for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await pageOf(server, kind, cursor));
  }
  return pages;
}

function createPaged(pageSize: number, keys: readonly string[], kind: (typeof kinds)[number] = kinds[0]): Server {
  const server = createServer({ name: 'paged', version: '1.0.0' }, { logger: silentLogger, pageSize });
  for (const key of keys) kind[3](server, key);
  return server;
}

describe.each(kinds.map((kind) => [kind[0], kind] as const))('%s', (_, kind) => {
  it.each([
    [1, 10, [1]],
    [9, 10, [9]],
    [10, 10, [10]],
    [11, 10, [10, 1]],
    [21, 10, [10, 10, 1]],
    [3, 1, [1, 1, 1]],
    [501, 500, [500, 1]],
  ])('[PAG-01] cuts %i entries into pages of %i, sorted, none twice', async (count, size, sizes) => {
    const keys = Array.from({ length: count }, (_, index) => `k${String(index).padStart(4, '0')}`);
    const pages = await allPages(createPaged(size, keys.toReversed(), kind), kind);
    expect(pages.map((page) => page.keys.length)).toEqual(sizes);
    const all = pages.flatMap((page) => page.keys);
    expect(all).toEqual([...new Set(all)].sort());
    expect(all).toHaveLength(count);
  });

  it('[CACHE-01] [CACHE-02] [CACHE-03] [CACHE-05] carries the same freshness on every page', async () => {
    const server = createServer(
      { name: 'paged', version: '1.0.0' },
      { logger: silentLogger, pageSize: 1, cache: { ttlMs: 5, cacheScope: 'public' } },
    );
    for (const key of ['a', 'b', 'c']) kind[3](server, key);
    const pages = await allPages(server, kind);
    expect(pages.map(({ ttlMs, cacheScope }) => ({ ttlMs, cacheScope }))).toEqual(
      [1, 2, 3].map(() => ({ ttlMs: 5, cacheScope: 'public' })),
    );
    const [page] = await allPages(createPaged(10, ['a'], kind), kind);
    expect(page).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  });

  it('[PAG-08] refuses a cursor that no list of its kind gave', async () => {
    const server = createPaged(1, ['a', 'b'], kind);
    const foreign = [
      'zzz',
      '',
      '10',
      encodeCursor({ after: 'a', order: 'absent' }),
      ...kinds
        .filter(([method]) => method !== kind[0])
        .map(([, member]) => encodeCursor({ after: 'a', order: member })),
    ];
    for (const cursor of foreign) {
      const { error } = await openMemory(server).request(kind[0], { cursor });
      expect(error?.code).toBe(-32602);
    }
  });

  it('[TOOL-05] is the same text each time while nothing changes', async () => {
    const one = createPaged(10, ['c', 'a', 'b'], kind);
    const other = createPaged(10, ['b', 'c', 'a'], kind);
    expect(await pageOf(one, kind)).toEqual(await pageOf(other, kind));
    expect(await pageOf(one, kind)).toEqual(await pageOf(one, kind));
  });
});

describe('pages', () => {
  it('[PAG-07] neither repeat nor hide an entry that stays while others are added', async () => {
    const server = createPaged(2, ['b', 'd', 'f', 'h']);
    const first = await pageOf(server, kinds[0]);
    expect(first.keys).toEqual(['b', 'd']);
    for (const key of ['a', 'c', 'e', 'z']) server.tool(key, {}, () => 'x');
    const second = await pageOf(server, kinds[0], first.nextCursor);
    expect(second.keys).toEqual(['e', 'f']);
    const third = await pageOf(server, kinds[0], second.nextCursor);
    expect(third.keys).toEqual(['h', 'z']);
    expect(third.nextCursor).toBeUndefined();
  });

  it('[PAG-07] go on behind an entry that another server of the same kind does not have', async () => {
    const [fuller, emptier] = [createPaged(2, ['a', 'b', 'c', 'd', 'e']), createPaged(2, ['a', 'd', 'e'])];
    const { nextCursor } = await pageOf(fuller, kinds[0]);
    expect((await pageOf(emptier, kinds[0], nextCursor)).keys).toEqual(['d', 'e']);
    expect(await pageOf(createPaged(2, ['a']), kinds[0], nextCursor)).toMatchObject({
      keys: [],
      nextCursor: undefined,
    });
  });

  it('[PAG-07] give every entry once from any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        async (keys, size) => {
          const pages = await allPages(createPaged(size, keys), kinds[0]);
          expect(pages.flatMap((page) => page.keys)).toEqual([...keys].sort());
        },
      ),
      { numRuns: 50 },
    );
  });

  it('have no entries where a family is served without any', async () => {
    const server = createServer({ name: 'empty', version: '1.0.0' }, { logger: silentLogger });
    server.resourceTemplate('mem://t/{id}', { name: 't' }, () => 'x');
    expect(await pageOf(server, kinds[2])).toEqual({
      keys: [],
      nextCursor: undefined,
      ttlMs: 60_000,
      cacheScope: 'private',
    });
  });

  it.each([[0], [-1], [1.5], [NaN], [Infinity], ['10']])('refuse the size %j when the server is made', (pageSize) => {
    expect(() => createServer({ name: 'x', version: '1' }, { pageSize: pageSize as number })).toThrow(/pageSize/);
  });

  it.each([[{ ttlMs: -1 }], [{ ttlMs: 0.5 }], [{ ttlMs: NaN }], [{ cacheScope: 'shared' }]])(
    '[CACHE-02] [CACHE-03] refuse the freshness %j when the server is made',
    (cache) => {
      expect(() => createServer({ name: 'x', version: '1' }, { cache: cache as object })).toThrow(/cache/);
      const server = createServer({ name: 'x', version: '1' });
      expect(() => server.resource('mem://a', { name: 'a', cache: cache as object }, () => 'x')).toThrow(/cache/);
    },
  );

  it('never end on a key that no cursor can name: such a URI is refused when it is defined', () => {
    const server = createServer({ name: 'x', version: '1' }, { pageSize: 1 });
    const long = `mem://${'q'.repeat(5_000)}`;
    expect(() => server.resource(long, { name: 'a' }, () => 'x')).toThrow(TypeError);
    expect(() => server.resourceTemplate(`${long}/{id}`, { name: 'a' }, () => 'x')).toThrow(TypeError);
  });
});
