import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { contentsOf, listChanged, namesOf, serve, toolsOf, updated } from './serve-cached.ts';

describe('a fresh answer', () => {
  it('[CACHE-12] [CACHE-13] [CACHE-14] [cache-05] is given until its time is over, and never fetched by a timer', async () => {
    const { client, clock, asked } = await serve((_, count) => toolsOf([`t${count}`], { ttlMs: 1000 }));
    const seen: unknown[] = [];
    let at = 0;
    for (const next of [0, 1, 999, 1000, 1001]) {
      await clock.advance(next - at);
      at = next;
      seen.push(...namesOf(await client.listTools()));
    }
    await clock.advance(100_000);
    expect(seen).toEqual(['t1', 't1', 't1', 't2', 't2']);
    expect(asked()).toHaveLength(2);
  });

  it.each([
    ['0', { ttlMs: 0, cacheScope: 'public' }],
    ['absent', { ttlMs: undefined, cacheScope: 'private' }],
    ['negative', { ttlMs: -5, cacheScope: 'private' }],
  ])('[CACHE-11] [cache-05] is none with a ttlMs that is %s', async (_, hints) => {
    const { client, asked } = await serve((__, count) => toolsOf([`t${count}`], hints));
    for (let read = 0; read < 5; read += 1) await client.listTools();
    expect(asked()).toHaveLength(5);
  });

  it('is fresh for no longer than maxTtlMs', async () => {
    let now = 0;
    const cache = createResponseCache({ maxTtlMs: 100, epochNow: () => now });
    const { client, asked } = await serve(() => toolsOf(['a']), { cache });
    await client.listTools();
    now = 99;
    await client.listTools();
    expect(asked()).toHaveLength(1);
    now = 100;
    await client.listTools();
    expect(asked()).toHaveLength(2);
  });

  it('is one and the same frozen object for every caller', async () => {
    const { client } = await serve(() => toolsOf(['a']));
    const [first, second] = [await client.listTools(), await client.listTools()];
    expect(second).toBe(first);
    expect(Object.isFrozen(first.tools[0]?.inputSchema)).toBe(true);
  });

  it('[CACHE-09] serves only its own request', async () => {
    const { client, asked } = await serve(({ params }) => contentsOf(params?.['uri'], 'x'));
    for (const uri of ['a:/1', 'a:/2', 'a:/1']) {
      const { contents } = await client.readResource(uri);
      expect(contents[0]?.uri).toBe(uri);
    }
    expect(asked()).toHaveLength(2);
  });

  it('is not given after the client was closed', async () => {
    const { client } = await serve(() => toolsOf(['a']));
    await client.listTools();
    await client.close();
    expect((await failure(client.listTools())).code).toBe('closed');
  });

  it.each([
    ['reload', { cache: 'reload' }, 2, 2],
    ['no-store', { cache: 'no-store' }, 2, 2],
    ['further metadata', { meta: { 'com.example/as': 'admin' } }, 2, 2],
    ['a trace', { meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }, 1, 1],
  ] as const)('is asked for anew or not with %s', async (_, options, expected, afterwards) => {
    const { client, asked } = await serve((__, count) => toolsOf([`t${count}`]));
    await client.listTools();
    await client.listTools(options);
    expect(asked()).toHaveLength(expected);
    const kept = namesOf(await client.listTools());
    expect(asked()).toHaveLength(afterwards);
    // What was reloaded is kept, and what was not to be stored is not.
    expect(kept).toEqual(['cache' in options && options.cache === 'reload' ? 't2' : 't1']);
  });

  it('is fetched each time with cache: false', async () => {
    const { client, asked } = await serve(() => toolsOf(['a']), { cache: false });
    const list = await client.listTools();
    await client.listTools();
    expect(asked()).toHaveLength(2);
    expect(Object.isFrozen(list)).toBe(false);
  });
});

describe('a notification', () => {
  it.each([
    ['tools', ['tools/list']],
    ['prompts', ['prompts/list']],
    ['resources', ['resources/list', 'resources/templates/list']],
  ])('[CACHE-18] of %s makes what is listed of them stale at once, and nothing else', async (changed, stale) => {
    const lists = { tools: [], prompts: [], resources: [], resourceTemplates: [], ttlMs: 60_000, cacheScope: 'public' };
    const { client, peer, asked } = await serve(({ method, params }) =>
      method === 'resources/read' ? contentsOf(params?.['uri'], 'x') : lists,
    );
    const readAll = async (): Promise<void> => {
      await client.listTools();
      await client.listPrompts();
      await client.listResources();
      await client.listResourceTemplates();
      await client.readResource('a:/1');
    };
    await readAll();
    await readAll();
    expect(asked()).toHaveLength(5);
    peer.send({ jsonrpc: '2.0', method: `notifications/${changed}/list_changed` });
    await readAll();
    expect(asked().slice(5)).toEqual(stale);
  });

  it('makes what one resource holds stale, and no other', async () => {
    const { client, peer, asked } = await serve(({ params }) => contentsOf(params?.['uri'], 'x'));
    await client.readResource('a:/1');
    await client.readResource('a:/2');
    peer.send(updated('a:/1'));
    await client.readResource('a:/2');
    expect(asked()).toHaveLength(2);
    await client.readResource('a:/1');
    expect(asked()).toHaveLength(3);
  });

  it('keeps an answer that was on its way from being taken for fresh', async () => {
    const { client, peer, asked } = await serve(() => undefined);
    const early = client.listTools();
    await Promise.resolve();
    await expect.poll(() => asked()).toHaveLength(1);
    peer.send(listChanged);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...toolsOf(['old']) });
    expect(namesOf(await early)).toEqual(['old']);
    const late = client.listTools();
    await expect.poll(() => asked()).toHaveLength(2);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...toolsOf(['new']) });
    expect(namesOf(await late)).toEqual(['new']);
  });

  it('[cache-03] has a list fetched twice at most, however many come while it is', async () => {
    let names = ['a', 'b'];
    const waiting: (() => void)[] = [];
    const lists: Promise<readonly string[]>[] = [];
    const { client, peer, asked } = await serve(
      ({ id }, count) => {
        if (count === 1) return toolsOf(names, { ttlMs: 3_600_000 });
        waiting.push(() => peer.answer(id, { resultType: 'complete', ...toolsOf(names, { ttlMs: 3_600_000 }) }));
        return undefined;
      },
      { onNotification: () => void lists.push(client.listTools().then(namesOf)) },
    );
    await client.listTools();
    names = ['b', 'c'];
    for (let sent = 0; sent < 25; sent += 1) peer.send(listChanged);
    await expect.poll(() => waiting).toHaveLength(1);
    for (let sent = 0; sent < 25; sent += 1) peer.send(listChanged);
    await settle();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.();
    await expect.poll(() => waiting).toHaveLength(1);
    waiting.shift()?.();
    expect(new Set((await Promise.all(lists)).map((each) => each.join()))).toEqual(new Set(['b,c']));
    expect(namesOf(await client.listTools())).toEqual(['b', 'c']);
    expect(asked()).toHaveLength(3);
  });
});

describe('another session', () => {
  it('has everything asked for anew, since the server may be another version of itself', async () => {
    const { client, clock, asked, drop } = await serve(({ method }, count) =>
      method === 'tools/list' ? toolsOf([`t${count}`]) : { prompts: [], ttlMs: 60_000, cacheScope: 'public' },
    );
    await client.listTools();
    await client.listPrompts();
    await clock.advance(1);
    await drop();
    expect(namesOf(await client.listTools())).toEqual(['t3']);
    await clock.advance(1);
    for (let read = 0; read < 2; read += 1) {
      await client.listTools();
      await client.listPrompts();
    }
    expect(asked()).toEqual(['tools/list', 'prompts/list', 'tools/list', 'prompts/list']);
  });
});
