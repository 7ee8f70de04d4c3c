import { describe, expect, it } from 'vitest';
import { type Client, connect } from '../../src/index.ts';
import { discoveryTo, type Fetched, scriptFetch } from '../http/scripted-fetch.ts';
import { settle } from '../manual-clock.ts';
import { createPeerContext } from '../../src/peer/peer-context.ts';
import { createAskedCredentials } from '../../src/http/header-credentials.ts';
import { requestKey } from '../../src/cache/cached-request.ts';
import { closeAfterwards, contentsOf, serve, toolsOf } from './serve-cached.ts';

/** A server that tells each caller who he is, and refuses whom the test says. */
async function reach() {
  const refused = new Set<string>();
  const held: (() => void)[] = [];
  let user = 'amber';
  let asking: Promise<void> | undefined;
  let asked = 0;
  const { fetch, requests } = scriptFetch(async (request: Fetched) => {
    const start = discoveryTo(request);
    if (start !== undefined) return start;
    const who = String(request.headers['authorization']);
    if (refused.has(who)) return { status: 401, body: 'who?' };
    const { id, params } = request.message;
    const uri = String(params?.['uri']);
    if (uri === 'a:/slow') await new Promise<void>((resolve) => held.push(resolve));
    const result = { resultType: 'complete', ...contentsOf(uri, `of ${who}`) };
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, result }),
    };
  });
  const client = closeAfterwards(
    await connect('http://depot.test/mcp', {
      fetch,
      async headers() {
        asked += 1;
        await asking;
        return { authorization: user };
      },
    }),
  );
  const read = async (uri: string): Promise<unknown> => {
    const [content] = (await client.readResource(uri)).contents;
    return content !== undefined && 'text' in content ? content.text : content;
  };
  return {
    client,
    refused,
    requests,
    read,
    asked: () => asked,
    /** From now on this one calls; the function of the headers answers when the test says so. */
    become(next: string): () => void {
      const answer = Promise.withResolvers<void>();
      user = next;
      asking = answer.promise;
      return answer.resolve;
    },
    release: () => held.splice(0).forEach((go) => go()),
  };
}

const settleSoon = async (client: Client): Promise<void> => {
  await settle();
  expect(client.name).toBeDefined();
};

describe('what is private', () => {
  it('[CACHE-17] is not found while credentials are asked for, and nobody can say who calls', async () => {
    const { client, refused, read, become } = await reach();
    expect(await read('a:/1')).toBe('of amber');
    refused.add('amber');
    const answer = become('birch');
    const other = read('a:/2');
    await settleSoon(client);
    const same = read('a:/1');
    answer();
    expect(await other).toBe('of birch');
    expect(await same).toBe('of birch');
    expect(await read('a:/1')).toBe('of birch');
  });

  it('[CACHE-17] is kept for whom the request was sent that was answered, whoever calls before and after', async () => {
    const { client, refused, read, become, release } = await reach();
    // Amber is refused while two are under way: what goes out then is birch's.
    refused.add('amber');
    const toBirch = become('birch');
    const first = read('a:/1');
    await settleSoon(client);
    const slow = read('a:/slow');
    await settleSoon(client);
    toBirch();
    await first;
    await settleSoon(client);
    // Its answer comes when birch is refused, and again nobody knows who calls.
    refused.add('birch');
    const toCedar = become('cedar');
    const second = read('a:/2');
    await settleSoon(client);
    release();
    expect(await slow).toBe('of birch');
    const third = read('a:/slow');
    toCedar();
    await second;
    await settleSoon(client);
    release();
    expect(await third).toBe('of cedar');
  });

  it('[CACHE-17] is not given to one who joined a request that then went out in another name', async () => {
    const { client, refused, read, become, release } = await reach();
    await read('a:/1');
    refused.add('amber');
    const toBirch = become('birch');
    const own = read('a:/slow');
    const joined = read('a:/slow');
    toBirch();
    await settleSoon(client);
    release();
    expect(await own).toBe('of birch');
    await settleSoon(client);
    release();
    expect(await joined).toBe('of birch');
  });

  it('is found again under the headers that a function answered', async () => {
    const { read, requests, asked } = await reach();
    await read('a:/1');
    const count = requests.length;
    await read('a:/1');
    expect(requests).toHaveLength(count);
    expect(asked()).toBe(1);
  });

  it('[CACHE-17] of a caller whom nobody knows is neither kept, found nor shared', async () => {
    let who: string | null = 'amber';
    const { client, asked } = await serve(() => toolsOf(['a']), { principal: () => who });
    await client.listTools();
    who = null;
    await Promise.all([client.listTools(), client.listTools()]);
    await client.listTools();
    expect(asked()).toHaveLength(4);
    who = 'amber';
    await client.listTools();
    expect(asked()).toHaveLength(4);
  });

  it('[CACHE-17] goes by the name that a request was sent in, where another one holds before and after', async () => {
    let who = 'amber';
    let sentAs = 'birch';
    const { client, asked } = await serve(() => toolsOf(['a']), { principal: () => who, sentAs: () => sentAs });
    await client.listTools();
    await client.listTools();
    expect(asked()).toHaveLength(2);
    who = 'birch';
    await client.listTools();
    expect(asked()).toHaveLength(2);
    who = 'cedar';
    sentAs = 'dogwood';
    await Promise.all([client.listTools(), client.listTools()]);
    expect(asked()).toHaveLength(4);
  });

  it('is told by headers of a function: of those that were sent, and of nobody known while it is asked', async () => {
    const { signal } = new AbortController();
    let user = 'amber';
    const credentials = createAskedCredentials(createPeerContext({ server: 'depot' }), () => ({ authorization: user }));
    expect(credentials.principal()).toBeNull();
    const request = { httpMethod: 'POST', url: 'https://depot.example/mcp', signal };
    const fields = await credentials.fieldsFor(request);
    const amber = credentials.principal();
    expect(amber).toMatch(/^headers:/);
    user = 'birch';
    const refused = { status: 401, challenge: '', header: () => undefined, fields, operation: 'x', signal };
    const again = credentials.onRefusal?.(refused);
    expect(credentials.principal()).toBeNull();
    expect(await again).toBe(true);
    expect(credentials.principal()).not.toBe(amber);
    expect(credentials.principal(fields)).toBe(amber);
  });
});

describe('a key of the cache', () => {
  it('is short, and another one for each URI', () => {
    const keys = ['a', 'b'].map((end) => requestKey('resources/read', { uri: `a:/${'x'.repeat(1e6)}${end}` }));
    expect(new Set(keys).size).toBe(2);
    expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(400);
  });
});
