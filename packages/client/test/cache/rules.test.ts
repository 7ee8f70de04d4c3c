import { createMemoryKeyValueStore, type KeyValueStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { contentsOf, listChanged, namesOf, serve, tool, toolsOf, updated } from './serve-cached.ts';

const identity = 'https://depot.example/mcp';
const shared = { cacheScope: 'public' };
const icons = [{ src: 'https://elsewhere.example/i.png' }];
const hostile = { ...tool('hostile'), outputSchema: { type: 'object', $ref: 'https://elsewhere.example/schema' } };

describe('clients that share a cache', () => {
  it('[CACHE-17] give out only what passes their own checks, whoever asked first', async () => {
    const cache = createResponseCache();
    const answer = () => ({ ...toolsOf([], shared), tools: [tool('ok'), hostile] });
    const lax = await serve(answer, { cache, identity, checks: false });
    const strict = await serve(answer, { cache, identity });
    expect(namesOf(await lax.client.listTools())).toEqual(['ok', 'hostile']);
    expect(namesOf(await strict.client.listTools())).toEqual(['ok']);
    expect((await strict.client.listTools()).leftOut.map(({ name }) => name)).toEqual(['hostile']);
    expect(namesOf(await lax.client.listTools())).toEqual(['ok', 'hostile']);
    expect([lax.asked(), strict.asked()]).toEqual([['tools/list'], []]);
  });

  it('refuse what is too large for them', async () => {
    const cache = createResponseCache();
    const answer = () => contentsOf('a:/1', 'x'.repeat(5000), shared);
    const lax = await serve(answer, { cache, identity });
    const strict = await serve(answer, { cache, identity, resultSize: { maxBytes: 1000 } });
    await lax.client.readResource('a:/1');
    expect((await failure(strict.client.readResource('a:/1'))).code).toBe('result-rejected');
    expect((await lax.client.readResource('a:/1')).contents).toHaveLength(1);
    expect(lax.asked()).toHaveLength(1);
  });

  it('[ICON-03] show the icons of those origins alone that they trust', async () => {
    const cache = createResponseCache();
    const answer = () => ({ ...toolsOf([], shared), tools: [{ ...tool('a'), icons }] });
    const trusting = await serve(answer, { cache, identity, icons: { trustedOrigins: 'any' } });
    const other = await serve(answer, { cache, identity });
    expect((await trusting.client.listTools()).tools[0]?.icons).toEqual(icons);
    expect((await other.client.listTools()).tools[0]?.icons).toBeUndefined();
    expect(other.asked()).toEqual([]);
  });

  it('keep what is refused by their own rules for nobody', async () => {
    const cache = createResponseCache();
    const { client, asked } = await serve(() => contentsOf('a:/1', 'x'.repeat(5000)), {
      cache,
      identity,
      resultSize: { maxBytes: 1000 },
    });
    await failure(client.readResource('a:/1'));
    await failure(client.readResource('a:/1'));
    expect(asked()).toHaveLength(2);
  });

  it('give out one object for as long as it is fresh, also where something was left out', async () => {
    const { client } = await serve(() => ({ ...toolsOf([]), tools: [tool('ok'), hostile] }));
    const first = await client.listTools();
    expect(await client.listTools()).toBe(first);
    expect(Object.isFrozen(first.tools)).toBe(true);
  });

  it('hear of a change however they read integers', async () => {
    const cache = createResponseCache();
    let version = 1;
    const answer = ({ method }: { readonly method?: string }) =>
      method === 'tools/list' ? toolsOf([`v${version}`], shared) : contentsOf('a:/1', `v${version}`, shared);
    const one = await serve(answer, { cache, identity });
    const exact = await serve(answer, { cache, identity, exactIntegers: true });
    for (const { client } of [one, exact]) await Promise.all([client.listTools(), client.readResource('a:/1')]);
    expect(exact.asked()).toHaveLength(2);
    version = 2;
    one.peer.send(listChanged);
    one.peer.send(updated('a:/1'));
    await settle();
    expect(namesOf(await exact.client.listTools())).toEqual(['v2']);
    expect((await exact.client.readResource('a:/1')).contents).toMatchObject([{ text: 'v2' }]);
  });

  it.each([
    ['without its entries', (value: { [name: string]: unknown }) => delete value['tools'] && delete value['contents']],
    ['with an entry of another form', (value: { [name: string]: unknown }) => (value['tools'] = [{ name: 7 }])],
    ['without a scope', (value: { [name: string]: unknown }) => delete value['cacheScope']],
    ['that left out what is no name', (value: { [name: string]: unknown }) => (value['leftOut'] = [7])],
  ])('ask the server where a store holds an answer %s', async (_, spoil) => {
    const store = createMemoryKeyValueStore();
    const spoiling: KeyValueStore = {
      ...store,
      async get(key) {
        const text = await store.get(key);
        if (text === undefined) return undefined;
        const entry = JSON.parse(text) as { value: { [name: string]: unknown } };
        spoil(entry.value);
        return JSON.stringify(entry);
      },
    };
    const answer = () => toolsOf(['a'], shared);
    await (await serve(answer, { cache: createResponseCache({ store: spoiling }), identity })).client.listTools();
    await settle();
    const second = await serve(answer, { cache: createResponseCache({ store: spoiling }), identity });
    expect(namesOf(await second.client.listTools())).toEqual(['a']);
    expect(second.asked()).toHaveLength(1);
  });
});

describe('an answer that stands in', () => {
  it('teaches the client that got it what it says of tools', async () => {
    let time = 1;
    const cache = createResponseCache({ epochNow: () => time });
    const outputSchema = { type: 'object', required: ['count'], properties: { count: { type: 'number' } } };
    const list = { ...toolsOf([], { ...shared, ttlMs: 10 }), tools: [{ ...tool('stock'), outputSchema }] };
    const first = await serve(() => list, { cache, identity });
    await first.client.listTools({ staleOnErrorMs: 1e9 });
    const second = await serve(
      ({ method }) =>
        method === 'tools/list'
          ? { error: { code: -32603, message: 'down' } }
          : { content: [], structuredContent: { count: 'many' } },
      { cache, identity },
    );
    time = 11;
    expect((await second.client.listTools({ staleOnErrorMs: 1e9 })).isStale).toBe(true);
    expect((await failure(second.client.callTool('stock'))).code).toBe('result-rejected');
  });
});
