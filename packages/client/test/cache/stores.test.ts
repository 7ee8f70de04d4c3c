import { createMemoryKeyValueStore, type KeyValueStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../src/index.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { contentsOf, listChanged, namesOf, serve, tool, toolsOf, updated, warnings } from './serve-cached.ts';

const identity = 'https://depot.example/mcp';
const shared = { cacheScope: 'public' };

/** A store whose reads or writes wait for the test. */
function createSlowStore() {
  const inner = createMemoryKeyValueStore();
  const waiting: (() => void)[] = [];
  const slow = { get: false, set: false };
  const pass = async (isSlow: boolean): Promise<void> => {
    if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const store: KeyValueStore = {
    ...inner,
    async get(key) {
      const found = await inner.get(key);
      await pass(slow.get);
      return found;
    },
    async set(key, value, options) {
      await pass(slow.set);
      await inner.set(key, value, options);
    },
  };
  return { store, slow, release: () => waiting.splice(0).forEach((go) => go()) };
}

/** Clients with a cache each and a store in common, of a server whose list has a version. */
function createProcesses(store: KeyValueStore) {
  const at = { version: 1 };
  const open = () =>
    serve(() => toolsOf([`v${at.version}`], shared), { identity, cache: createResponseCache({ store }) });
  return { at, open };
}

describe('a store', () => {
  it('that answers late does not put an older answer in the place of a newer one', async () => {
    const { store, slow, release } = createSlowStore();
    const { at, open } = createProcesses(store);
    await (await open()).client.listTools();
    await settle();
    at.version = 2;
    slow.get = true;
    const { client } = await open();
    const first = client.listTools({ timeoutMs: 50_000 });
    await settle();
    expect(namesOf(await client.listTools({ cache: 'reload' }))).toEqual(['v2']);
    release();
    await settle();
    release();
    await first;
    expect(namesOf(await client.listTools())).toEqual(['v2']);
  });

  it.each([
    ['a change that came meanwhile', false],
    ['memory that was cleared meanwhile', true],
  ])('that answers late does not bring back what is over: %s', async (_, isCleared) => {
    const { store, slow, release } = createSlowStore();
    const { at, open } = createProcesses(store);
    await (await open()).client.listTools();
    await settle();
    slow.get = true;
    at.version = 2;
    const cache = createResponseCache({ store });
    const { client, peer } = await serve(() => toolsOf(['v2'], shared), { identity, cache });
    const list = client.listTools();
    await settle();
    if (isCleared) cache.clear();
    else peer.send(listChanged);
    await settle();
    release();
    await settle();
    release();
    expect(namesOf(await list)).toEqual(['v2']);
  });

  it('[CACHE-18] has nothing left of what was being written when a change was announced', async () => {
    const { store, slow, release } = createSlowStore();
    const { at, open } = createProcesses(store);
    const { client, peer } = await open();
    slow.set = true;
    await client.listTools();
    await settle();
    peer.send(listChanged);
    at.version = 2;
    await settle();
    release();
    await settle();
    expect(namesOf(await (await open()).client.listTools())).toEqual(['v2']);
  });

  it('[CACHE-18] hears of each change, also of one after another process wrote anew', async () => {
    const { at, open } = createProcesses(createMemoryKeyValueStore());
    const watcher = await open();
    watcher.peer.send(listChanged);
    await settle();
    await (await open()).client.listTools();
    await settle();
    at.version = 2;
    watcher.peer.send(listChanged);
    await settle();
    expect(namesOf(await (await open()).client.listTools())).toEqual(['v2']);
  });

  it('[CACHE-18] loses the answer before where the next one may not be kept', async () => {
    const store = createMemoryKeyValueStore();
    const answer = (_: unknown, count: number) => toolsOf([`v${count}`], { ...shared, ttlMs: count === 1 ? 1e6 : 0 });
    const { client } = await serve(answer, { identity, cache: createResponseCache({ store }) });
    await client.listTools();
    await client.listTools({ cache: 'reload', staleOnErrorMs: 1 });
    await settle();
    const other = await serve(() => toolsOf(['new'], shared), { identity, cache: createResponseCache({ store }) });
    expect(namesOf(await other.client.listTools())).toEqual(['new']);
  });

  it('with an answer that a client refuses by its own rules keeps it from none that it would take', async () => {
    const store = createMemoryKeyValueStore();
    let text = 'x'.repeat(5000);
    const open = (options: object) =>
      serve(() => contentsOf('a:/1', text, shared), { identity, cache: createResponseCache({ store }), ...options });
    await (await open({})).client.readResource('a:/1');
    text = 'small';
    const strict = await open({ resultSize: { maxBytes: 1000 } });
    expect((await strict.client.readResource('a:/1')).contents[0]).toMatchObject({ text });
    expect(strict.asked()).toEqual(['resources/read']);
  });

  it('with entries that are not as they were written is not believed', async () => {
    const inner = createMemoryKeyValueStore();
    const store: KeyValueStore = {
      ...inner,
      get: async (key) => (await inner.get(key))?.replace('"inputSchema"', '"description":null,"inputSchema"'),
    };
    const { open } = createProcesses(store);
    await (await open()).client.listTools();
    const { client, asked } = await open();
    expect((await client.listTools()).tools).toEqual([tool('v1')]);
    expect(asked()).toEqual(['tools/list']);
  });

  it('that hangs is warned of and left alone for a while', async () => {
    const clock = createManualClock();
    let reads = 0;
    const hanging: KeyValueStore = {
      ...createMemoryKeyValueStore(),
      get() {
        reads += 1;
        return new Promise(() => undefined);
      },
    };
    const { client } = await serve(() => toolsOf(['a'], { ttlMs: 0 }), {
      identity,
      principal: () => 'amber',
      manualClock: clock,
      cache: createResponseCache({ store: hanging }),
    });
    const first = client.listTools();
    await clock.advance(1000);
    await first;
    expect(warnings.map(({ code }) => code)).toEqual(['cache-store-failed']);
    await client.listTools();
    expect(reads).toBe(1);
    await clock.advance(30_000);
    const late = client.listTools();
    await clock.advance(1000);
    await late;
    expect(reads).toBe(2);
  });

  it('that fails with what is no text is warned of all the same', async () => {
    const strange: KeyValueStore = {
      ...createMemoryKeyValueStore(),
      get: () => Promise.reject(Object.create(null) as Error),
      set: () => Promise.reject(Object.create(null) as Error),
    };
    const { client } = await serve(() => toolsOf(['a'], { ttlMs: 1000, ...shared }), {
      identity,
      cache: createResponseCache({ store: strange }),
    });
    expect(namesOf(await client.listTools())).toEqual(['a']);
    await settle();
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['cache-store-failed']));
  });

  it('that hangs holds few writes: one for a name, and a hundred answers', async () => {
    const written: string[] = [];
    const hanging: KeyValueStore = {
      ...createMemoryKeyValueStore(),
      set(key) {
        written.push(key);
        return new Promise(() => undefined);
      },
    };
    const { client } = await serve(
      ({ params }) => ({ contents: [{ uri: String(params?.['uri']), text: '' }], ttlMs: 1e6, ...shared }),
      { identity, cache: createResponseCache({ store: hanging }) },
    );
    for (let at = 0; at < 120; at += 1) await client.readResource(`a:/${at}`);
    await client.readResource('a:/0', { cache: 'reload' });
    await settle();
    expect(written).toHaveLength(100);
    expect(warnings.map(({ code }) => code)).toContain('cache-store-failed');
  });

  it('has short keys, however long the URIs are that a server tells of', async () => {
    const keys: string[] = [];
    const store: KeyValueStore = {
      ...createMemoryKeyValueStore(),
      delete(key) {
        keys.push(key);
        return Promise.resolve(false);
      },
    };
    const { peer } = await serve(() => toolsOf([]), { identity, cache: createResponseCache({ store }) });
    peer.send(updated(`a:/${'x'.repeat(100_000)}`));
    await settle();
    expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(100);
  });
});

describe('a limit of a cache', () => {
  it.each([
    { maxEntries: 1.5 },
    { maxEntries: Infinity },
    { maxBytes: 1.5 },
    { maxBytes: Infinity },
    { maxEntries: '5' as never },
    { maxTtlMs: 0 },
  ])('that bounds nothing is refused: %o', (limits) => {
    expect(() => createResponseCache(limits)).toThrow(RangeError);
  });
});
