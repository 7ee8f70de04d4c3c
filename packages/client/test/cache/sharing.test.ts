import { createMemoryKeyValueStore, type KeyValueStore, StoreError } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../src/index.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { contentsOf, listChanged, namesOf, serve, toolsOf, warnings } from './serve-cached.ts';

const identity = 'https://depot.example/mcp';

describe('a cache of several clients', () => {
  it('[CACHE-17] [cache-01] never gives a private answer to another principal, or to one that nobody knows', async () => {
    const cache = createResponseCache();
    let hits = 0;
    const as = async (principal: string | undefined) => {
      const { client } = await serve(
        ({ method, params }) => {
          hits += 1;
          if (method === 'resources/read') return contentsOf(params?.['uri'], `of ${principal}`);
          return method === 'tools/list'
            ? toolsOf([`of-${principal}`])
            : {
                resourceTemplates: [{ name: 'x', uriTemplate: `a:/${principal}` }],
                ttlMs: 60_000,
                cacheScope: 'private',
              };
        },
        { cache, identity, principal: () => principal },
      );
      return client;
    };
    // A new access token is another principal, also where it is the same user's.
    const callers = ['amber', 'birch', 'amber', 'amber-2', undefined];
    const seen: unknown[] = [];
    for (const caller of callers) {
      const client = await as(caller);
      seen.push([
        namesOf(await client.listTools()),
        (await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate,
        (await client.readResource('a:/1')).contents[0],
      ]);
    }
    expect(seen).toEqual(
      callers.map((caller) => [[`of-${caller}`], `a:/${caller}`, { uri: 'a:/1', text: `of ${caller}` }]),
    );
    expect(hits).toBe(4 * 3);
  });

  it('shares a public answer across principals', async () => {
    const cache = createResponseCache();
    const answer = (_: unknown, count: number) => toolsOf([`t${count}`], { cacheScope: 'public' });
    const first = await serve(answer, { cache, identity, principal: () => 'amber' });
    const second = await serve(answer, { cache, identity, principal: () => 'birch' });
    const list = await first.client.listTools();
    expect(await second.client.listTools()).toBe(list);
    expect(second.asked()).toEqual([]);
  });

  it.each([
    ['another identity', 'https://other.example/mcp'],
    ['none', undefined],
  ])('shares nothing with a server of %s, whatever it calls itself', async (_, other) => {
    const cache = createResponseCache();
    const answer = () => toolsOf(['a'], { cacheScope: 'public' });
    await (await serve(answer, { cache, identity })).client.listTools();
    const second = await serve(answer, { cache, ...(other === undefined ? {} : { identity: other }) });
    await second.client.listTools();
    expect(second.asked()).toHaveLength(1);
  });

  it('finds nothing private any more when the principal changes, also while an answer is on its way', async () => {
    let who = 'amber';
    const { client, asked } = await serve(
      (_, count) => {
        if (count === 2) who = 'cedar';
        return toolsOf([`t${count}`]);
      },
      { identity, principal: () => who },
    );
    await client.listTools();
    who = 'birch';
    expect(namesOf(await client.listTools())).toEqual(['t2']);
    expect(namesOf(await client.listTools())).toEqual(['t3']);
    who = 'birch';
    expect(namesOf(await client.listTools())).toEqual(['t4']);
    expect(asked()).toHaveLength(4);
  });

  it('is told of a change by any of them', async () => {
    const cache = createResponseCache();
    const answer = (_: unknown, count: number) => toolsOf([`t${count}`], { cacheScope: 'public' });
    const first = await serve(answer, { cache, identity });
    const second = await serve(answer, { cache, identity });
    await first.client.listTools();
    first.peer.send(listChanged);
    await second.client.listTools();
    expect(second.asked()).toHaveLength(1);
  });

  it('stays within its limits: the least recently used answer goes first, and one that is too large is not kept', async () => {
    const cache = createResponseCache({ maxEntries: 2 });
    const { client, asked } = await serve(({ params }) => contentsOf(params?.['uri'], 'x'), { cache });
    for (const uri of ['a:/1', 'a:/2', 'a:/1', 'a:/3', 'a:/1']) await client.readResource(uri);
    expect(asked()).toHaveLength(3);
    const small = createResponseCache({ maxBytes: 2000 });
    const other = await serve(({ params }) => contentsOf(params?.['uri'], 'x'.repeat(2000)), { cache: small });
    await other.client.readResource('a:/1');
    await other.client.readResource('a:/1');
    expect(other.asked()).toHaveLength(2);
  });

  it('refuses a limit that is none', () => {
    expect(() => createResponseCache({ maxEntries: 0 })).toThrow(RangeError);
  });
});

describe('the tools of a cached list', () => {
  it('are known to a client that did not list them itself', async () => {
    const cache = createResponseCache();
    const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    const answer = () => ({
      ...toolsOf([], { cacheScope: 'public' }),
      tools: [{ name: 'stock', inputSchema: { type: 'object' }, outputSchema }],
    });
    await (await serve(answer, { cache, identity })).client.listTools();
    const second = await serve(
      ({ method }) => (method === 'tools/call' ? { content: [], structuredContent: { count: 'many' } } : answer()),
      { cache, identity },
    );
    await second.client.listTools();
    await expect(second.client.callTool('stock')).rejects.toMatchObject({ code: 'result-rejected' });
    expect(second.asked()).toEqual(['tools/call']);
  });
});

describe('a cache with a store', () => {
  const process = (store: KeyValueStore, now: () => number) => createResponseCache({ store, epochNow: now });

  it('finds what another process left there, as long as it is fresh, and for the same principal only', async () => {
    const clock = createManualClock();
    const store = createMemoryKeyValueStore();
    const answer = (_: unknown, count: number) => toolsOf([`t${count}`]);
    const options = { identity, manualClock: clock };
    await clock.advance(10);
    await (
      await serve(answer, { ...options, cache: process(store, clock.now), principal: () => 'amber' })
    ).client.listTools();
    await settle();
    const same = await serve(answer, { ...options, cache: process(store, clock.now), principal: () => 'amber' });
    const list = await same.client.listTools();
    expect(namesOf(list)).toEqual(['t1']);
    expect(Object.isFrozen(list.tools)).toBe(true);
    expect(same.asked()).toEqual([]);
    for (const principal of ['birch', undefined]) {
      const other = await serve(answer, { ...options, cache: process(store, clock.now), principal: () => principal });
      await other.client.listTools();
      expect(other.asked()).toHaveLength(1);
    }
    await clock.advance(60_000);
    const late = await serve(answer, { ...options, cache: process(store, clock.now), principal: () => 'amber' });
    await late.client.listTools();
    expect(late.asked()).toHaveLength(1);
    await store.close();
  });

  it('leaves nothing private there of nobody in particular, and nothing of a server without an identity', async () => {
    const store = createMemoryKeyValueStore();
    const kept: string[] = [];
    const noting: KeyValueStore = {
      ...store,
      set: (key, value, options) => {
        kept.push(value);
        return store.set(key, value, options);
      },
    };
    const cache = createResponseCache({ store: noting });
    await (await serve(() => toolsOf(['a']), { cache, identity })).client.listTools();
    await (await serve(() => toolsOf(['a'], { cacheScope: 'public' }), { cache })).client.listTools();
    await settle();
    expect(kept).toEqual([]);
    await (await serve(() => toolsOf(['a'], { cacheScope: 'public' }), { cache, identity })).client.listTools();
    await settle();
    expect(kept).toHaveLength(1);
    await store.close();
  });

  it('does not believe what was stored before a change was announced', async () => {
    const clock = createManualClock();
    const store = createMemoryKeyValueStore();
    // A store whose removals come to nothing.
    const stubborn: KeyValueStore = { ...store, delete: () => Promise.resolve(false) };
    const cache = process(stubborn, clock.now);
    const { client, peer, asked } = await serve(() => toolsOf(['a'], { cacheScope: 'public' }), {
      cache,
      identity,
      manualClock: clock,
    });
    await client.listTools();
    await settle();
    await clock.advance(5);
    peer.send(listChanged);
    cache.clear();
    await client.listTools();
    expect(asked()).toHaveLength(2);
    await store.close();
  });

  it.each([
    ['fails', () => Promise.reject(new StoreError('unavailable', 'gone'))],
    ['holds junk', () => Promise.resolve('junk')],
    [
      'holds another key',
      () => Promise.resolve('{"key":"x","cacheScope":"public","receivedAt":0,"staleAt":1e15,"value":{}}'),
    ],
  ])('asks the server where the store %s', async (_, get) => {
    const store: KeyValueStore = { ...createMemoryKeyValueStore(), get };
    const { client } = await serve(() => toolsOf(['a']), {
      cache: createResponseCache({ store }),
      identity,
      principal: () => 'amber',
    });
    expect(namesOf(await client.listTools())).toEqual(['a']);
  });

  it('waits a second for a store that hangs, and warns of one that fails', async () => {
    const clock = createManualClock();
    const hanging: KeyValueStore = { ...createMemoryKeyValueStore(), get: () => new Promise(() => undefined) };
    const served = await serve(() => toolsOf(['a']), {
      cache: createResponseCache({ store: hanging }),
      identity,
      manualClock: clock,
    });
    const list = served.client.listTools();
    await clock.advance(1000);
    expect(namesOf(await list)).toEqual(['a']);
    const failing: KeyValueStore = {
      ...createMemoryKeyValueStore(),
      set: () => Promise.reject(new StoreError('unavailable', 'gone')),
    };
    const other = await serve(() => toolsOf(['a'], { cacheScope: 'public' }), {
      cache: createResponseCache({ store: failing }),
      identity,
    });
    await other.client.listTools();
    await settle();
    expect(warnings.map(({ code }) => code)).toContain('cache-store-failed');
  });
});
