import { describe, expect, it } from 'vitest';
import { type Client, connect, type Progress } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import { type Answer, discoveryTo, eventOf, resultTo, scriptFetch, streamed } from './http/scripted-fetch.ts';
import { closeAfterwards } from './serve-http.ts';

const LARGE = '9223372036854775807';

/** A server whose `ttlMs` is `ttl`, written as it stands; its tools have an entry with a large number in it. */
async function reach(ttl: string, exactIntegers: boolean, scope = '"private"'): Promise<Client> {
  const hints = `"resultType":"complete","ttlMs":${ttl},"cacheScope":${scope}`;
  const { fetch } = scriptFetch(({ message: { id, method } }): Answer => {
    const bodies: { readonly [method: string]: string } = {
      'server/discover': `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"completions":{}}`,
      'tools/list': `"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"n":{"const":${LARGE}}}}}]`,
      'resources/list': `"resources":[{"name":"a","uri":"a:/1","size":${LARGE}}]`,
      'resources/read': `"contents":[{"uri":"a:/1","text":"x"}]`,
      'completion/complete': `"completion":{"values":["x"],"total":${LARGE}}`,
    };
    const body = `{"jsonrpc":"2.0","id":${id},"result":{${bodies[method ?? '']},${hints}}}`;
    return { headers: { 'content-type': 'application/json' }, body };
  });
  return closeAfterwards(await connect('http://depot.test/mcp', { fetch, exactIntegers, clock: createManualClock() }));
}

describe.each([false, true])('a number that the protocol names is one, also beyond 2^53: exactIntegers %s', (exact) => {
  it('as the time that an answer is fresh, in a discovery too', async () => {
    const client = await reach(LARGE, exact);
    expect(client.era).toBe('modern');
    expect((await client.listTools()).ttlMs).toBe(Number(LARGE));
    expect((await client.readResource('a:/1')).ttlMs).toBe(Number(LARGE));
    expect(await client.readResource('a:/1')).toBe(await client.readResource('a:/1'));
  });

  it('as a size and a total', async () => {
    const client = await reach('0', exact);
    expect((await client.listResources()).resources[0]?.size).toBe(Number(LARGE));
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'n', value: '' },
    });
    expect(completed.completion.total).toBe(Number(LARGE));
  });

  it('as progress', async () => {
    const { fetch } = scriptFetch(({ message: { id, method, params } }): Answer => {
      if (method === 'server/discover') {
        const body = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`;
        return { headers: { 'content-type': 'application/json' }, body };
      }
      const { progressToken } = (params?.['_meta'] ?? {}) as { readonly progressToken?: unknown };
      return streamed((stream) => {
        stream.write(
          `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(progressToken)},"progress":${LARGE},"total":${LARGE}}}\n\n`,
        );
        stream.write(eventOf({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } }));
        stream.end();
      });
    });
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, exactIntegers: exact }));
    const told: Progress[] = [];
    await client.callTool('a', {}, { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([{ progress: Number(LARGE), total: Number(LARGE) }]);
  });
});

it('is one in an item of a list, too', async () => {
  const { fetch } = scriptFetch(({ message: { id, method } }): Answer => {
    const result =
      method === 'server/discover'
        ? `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"`
        : `"content":[{"type":"text","text":"a"},{"type":"resource_link","name":"b","uri":"a:/1","size":${LARGE}}]`;
    const body = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete",${result}}}`;
    return { headers: { 'content-type': 'application/json' }, body };
  });
  const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, exactIntegers: true }));
  expect((await client.callTool('a')).content[1]).toMatchObject({ size: Number(LARGE) });
});

it('members that are null are passed over, however many there are', async () => {
  const nulls = Object.fromEntries(Array.from({ length: 400_000 }, (_, index) => [`n${index}`, null]));
  const tool = { name: 'a', inputSchema: { type: 'object' }, ...nulls };
  const { fetch } = scriptFetch(
    (request) => discoveryTo(request) ?? resultTo(request, { tools: [tool], ttlMs: 0, cacheScope: 'private' }),
  );
  const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
  expect((await client.listTools()).tools).toEqual([{ name: 'a', inputSchema: { type: 'object' } }]);
});

it('stays exact where the protocol leaves it open', async () => {
  const client = await reach('0', true);
  const [tool] = (await client.listTools()).tools;
  expect(tool?.inputSchema).toMatchObject({ properties: { n: { const: BigInt(LARGE) } } });
});

it.each(['null', '0'])('a hint that is null says nothing, in a discovery too: ttlMs %s', async (ttl) => {
  const client = await reach(ttl, false, 'null');
  expect(client.era).toBe('modern');
  expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
});
