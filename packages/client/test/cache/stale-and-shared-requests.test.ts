import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { contentsOf, listChanged, namesOf, serve, toolsOf, warnings } from './serve-cached.ts';

const internal = { error: { code: -32603, message: 'down' } };

describe('a stale answer', () => {
  it('[CACHE-16] [cache-05] stands in for an error where the caller allows it, and says so', async () => {
    const { client, clock } = await serve((_, count) => (count === 1 ? toolsOf(['a'], { ttlMs: 1000 }) : internal));
    const first = await client.listTools();
    expect(first.isStale).toBeUndefined();
    await clock.advance(3000);
    const stale = await client.listTools({ staleOnErrorMs: 2000 });
    expect(stale).toEqual({ ...first, isStale: true });
    expect(warnings.map(({ code }) => code)).toEqual(['stale-answer']);
    await clock.advance(1);
    await expect(client.listTools({ staleOnErrorMs: 2000 })).rejects.toMatchObject({ code: -32603 });
    await expect(client.listTools()).rejects.toMatchObject({ code: -32603 });
  });

  it('stands in after a change was announced, and while the server is away', async () => {
    const { client, peer, clock } = await serve((_, count) => (count === 1 ? toolsOf(['a']) : undefined));
    await client.listTools();
    peer.send(listChanged);
    const late = client.listTools({ staleOnErrorMs: 100_000, timeoutMs: 10 });
    await clock.advance(10);
    expect((await late).isStale).toBe(true);
  });

  it('is one that was never fresh, too, where the caller said so when it was fetched', async () => {
    const { client } = await serve((_, count) => (count === 1 ? toolsOf(['a'], { ttlMs: 0 }) : internal));
    await client.listTools({ staleOnErrorMs: 1000 });
    expect((await client.listTools({ staleOnErrorMs: 1000 })).isStale).toBe(true);
  });

  it('is kept for others who share the cache, whoever asked for it', async () => {
    const cache = createResponseCache();
    const identity = 'https://depot.example/mcp';
    const answer = (_: unknown, count: number) =>
      count === 1 ? toolsOf(['a'], { ttlMs: 0, cacheScope: 'public' }) : internal;
    const first = await serve(answer, { cache, identity });
    const second = await serve(answer, { cache, identity });
    await second.client.listTools({ staleOnErrorMs: 1000 });
    await first.client.listTools();
    expect((await second.client.listTools({ staleOnErrorMs: 1000 })).isStale).toBe(true);
  });

  it('is one that another caller asked for, too, where both wait for the same answer', async () => {
    const { client, peer } = await serve((_, count) => (count === 1 ? undefined : internal));
    const first = client.listTools();
    const second = client.listTools({ staleOnErrorMs: 1000 });
    await settle();
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...toolsOf(['a'], { ttlMs: 0 }) });
    await Promise.all([first, second]);
    expect((await client.listTools({ staleOnErrorMs: 1000 })).isStale).toBe(true);
  });

  it.each([
    ['a refusal', { error: { code: -32602, message: 'no' } }],
    ['an unknown method', { error: { code: -32601, message: 'no' } }],
  ])('does not stand in for %s', async (_, refusal) => {
    const { client, clock } = await serve((__, count) => (count === 1 ? toolsOf(['a'], { ttlMs: 1 }) : refusal));
    await client.listTools();
    await clock.advance(2);
    await expect(client.listTools({ staleOnErrorMs: 1e9 })).rejects.toMatchObject({ code: refusal.error.code });
  });

  it('does not stand in for what the caller gave up', async () => {
    const { client, peer } = await serve((_, count) => (count === 1 ? toolsOf(['a']) : undefined));
    await client.listTools();
    peer.send(listChanged);
    const giving = new AbortController();
    const late = client.listTools({ staleOnErrorMs: 1e9, signal: giving.signal });
    giving.abort();
    expect((await failure(late)).code).toBe('aborted');
  });

  it('needs a time that can be meant', async () => {
    const { client } = await serve(() => toolsOf(['a']));
    for (const staleOnErrorMs of [-1, Number.NaN, '5', null]) {
      const options = { staleOnErrorMs: staleOnErrorMs as number };
      expect((await failure(client.listTools(options))).code).toBe('invalid-argument');
    }
    expect((await failure(client.listTools({ cache: 'always' as never }))).code).toBe('invalid-argument');
    const other = serve(() => undefined, { cache: true as never });
    await expect(other).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('equal requests', () => {
  it('share one while it is under way', async () => {
    const { client, peer, asked } = await serve(() => undefined);
    const lists = Array.from({ length: 10 }, () => client.listTools());
    await settle();
    expect(asked()).toHaveLength(1);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...toolsOf(['a'], { ttlMs: 0 }) });
    const answers = await Promise.all(lists);
    expect(new Set(answers).size).toBe(1);
  });

  it('are given up one by one; the server is told when the last is', async () => {
    const { client, peer, asked } = await serve(() => undefined);
    const [one, two] = [new AbortController(), new AbortController()];
    const first = client.listTools({ signal: one.signal });
    const second = client.listTools({ signal: two.signal });
    await settle();
    one.abort();
    expect((await failure(first)).code).toBe('aborted');
    expect(peer.written.at(-1)?.method).toBe('tools/list');
    two.abort();
    expect((await failure(second)).code).toBe('aborted');
    await settle();
    expect(peer.written.at(-1)?.method).toBe('notifications/cancelled');
    const third = client.listTools();
    await settle();
    expect(asked()).toHaveLength(2);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...toolsOf(['a']) });
    expect(namesOf(await third)).toEqual(['a']);
  });

  it('go out alone where their limits differ, or their progress is wanted', async () => {
    const { client, peer, asked } = await serve(() => undefined);
    const lists = [
      client.listTools(),
      client.listTools({ timeoutMs: 5 }),
      client.listTools({ onProgress: () => undefined }),
      client.readResource('a:/1'),
    ];
    await settle();
    expect(asked()).toHaveLength(4);
    for (const { id, method } of peer.written.slice(1)) {
      peer.answer(id, { resultType: 'complete', ...(method === 'tools/list' ? toolsOf([]) : contentsOf('a:/1', 'x')) });
    }
    await Promise.all(lists);
  });

  it('leave whoever came late the whole of his time', async () => {
    const { client, peer, clock, asked } = await serve(() => undefined);
    const early = client.readResource('a:/1', { timeoutMs: 1000 });
    await clock.advance(900);
    const late = client.readResource('a:/1', { timeoutMs: 1000 });
    const outcome = failure(early);
    await clock.advance(100);
    expect((await outcome).code).toBe('timeout');
    await clock.advance(900);
    expect(asked()).toHaveLength(2);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...contentsOf('a:/1', 'x') });
    expect((await late).contents).toHaveLength(1);
  });

  it('that wait for one under way have their time from when they are sent', async () => {
    const { client, peer, clock, asked } = await serve(() => undefined, { maxTimeoutMs: 1000 });
    const first = client.readResource('a:/1');
    await settle();
    const next = client.readResource('a:/1', { cache: 'reload' });
    await clock.advance(800);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...contentsOf('a:/1', 'old') });
    await first;
    await clock.advance(800);
    expect(asked()).toHaveLength(2);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...contentsOf('a:/1', 'new') });
    expect((await next).contents).toMatchObject([{ text: 'new' }]);
  });

  it('that wait and are given up are not sent', async () => {
    const { client, peer, asked } = await serve(() => undefined);
    const giving = new AbortController();
    const first = client.readResource('a:/1');
    const next = client.readResource('a:/1', { cache: 'reload', signal: giving.signal });
    await settle();
    giving.abort();
    expect((await failure(next)).code).toBe('aborted');
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...contentsOf('a:/1', 'x') });
    await first;
    await settle();
    expect(asked()).toHaveLength(1);
  });

  it('never share one across principals', async () => {
    let who = 'amber';
    const { client, peer, asked } = await serve(() => undefined, { principal: () => who });
    const first = client.listTools();
    who = 'birch';
    const second = client.listTools();
    await settle();
    expect(asked()).toHaveLength(2);
    for (const { id } of peer.written.slice(1)) peer.answer(id, { resultType: 'complete', ...toolsOf([`t${id}`]) });
    expect(await first).not.toEqual(await second);
  });

  it('fail together, and the next one asks again', async () => {
    const { client, asked } = await serve((_, count) => (count === 1 ? internal : toolsOf(['a'])));
    const outcomes = await Promise.allSettled([client.listTools(), client.listTools()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(namesOf(await client.listTools())).toEqual(['a']);
    expect(asked()).toHaveLength(2);
  });
});

describe('an answer that depends on input', () => {
  it('[CACHE-10] [cache-05] is not kept: its request was sent again with answers or a state', async () => {
    const { client, asked } = await serve(({ params }, count) =>
      params?.['requestState'] === undefined
        ? { resultType: 'input_required', requestState: `s${count}` }
        : contentsOf('a:/1', 'x'),
    );
    await client.readResource('a:/1');
    await client.readResource('a:/1');
    expect(asked()).toHaveLength(4);
  });
});
