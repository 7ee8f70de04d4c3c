import { describe, expect, it } from 'vitest';
import { serve, type Served, toolsOf, warnings } from '../cache/serve-cached.ts';
import { settle } from '../manual-clock.ts';
import type { SubscribeOptions, Subscription } from '../../src/index.ts';
import { acknowledge, endGracefully, lastListen, listens, tell } from './listening.ts';

async function subscribed(
  options: SubscribeOptions = {},
  tools: () => readonly string[] = () => ['a'],
  random = 0,
): Promise<Served & { readonly subscription: Subscription }> {
  const served = await serve(
    ({ method }) => (method === 'subscriptions/listen' ? undefined : toolsOf(tools(), { ttlMs: 1e9 })),
    { random: () => random },
  );
  const opening = served.client.subscribe({ toolsListChanged: true }, options);
  await settle();
  acknowledge(served.peer);
  return { ...served, subscription: await opening };
}

describe('after an end', () => {
  it('[SUB-13] a graceful one is followed by a return without a warning', async () => {
    const { peer, clock, subscription } = await subscribed();
    endGracefully(peer);
    await settle();
    expect(subscription.state).toBe('returning');
    await clock.advance(999);
    expect(listens(peer)).toHaveLength(1);
    await clock.advance(1);
    expect(listens(peer)).toHaveLength(2);
    acknowledge(peer);
    await settle();
    expect(subscription.state).toBe('open');
    expect(warnings).toEqual([]);
  });

  it('[SUB-14] [STDIO-17] of the connection the next one is listened to, under a new id', async () => {
    const { peer, clock, drop, subscription } = await subscribed();
    await drop();
    await clock.advance(1000);
    expect(peer.opened).toBe(2);
    const ids = listens(peer).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    acknowledge(peer);
    await settle();
    expect(subscription.state).toBe('open');
    expect(warnings.map(({ code }) => code)).toEqual(['subscription-lost']);
  });

  it.each([
    [0, 1],
    [1, 0.5],
  ])(
    'attempts that fail come ever later, up to a minute, and are warned of once: by chance %d',
    async (random, part) => {
      const { peer, clock } = await subscribed({}, () => ['a'], random);
      const delays: number[] = [];
      let last = clock.now();
      for (let attempt = 0; attempt < 9; attempt += 1) {
        const before = listens(peer).length;
        peer.send({ jsonrpc: '2.0', id: lastListen(peer), error: { code: -32603, message: 'down' } });
        while (listens(peer).length === before) await clock.advance(500);
        delays.push(clock.now() - last);
        last = clock.now();
      }
      const whole = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000];
      expect(delays).toEqual(whole.map((ms) => ms * part));
      expect(warnings).toHaveLength(1);
    },
  );

  it.each<[string, (served: Served) => unknown]>([
    ['a graceful end', ({ peer }) => endGracefully(peer)],
    [
      'an end for good',
      ({ peer }) => peer.send({ jsonrpc: '2.0', id: lastListen(peer), error: { code: -32601, message: 'gone' } }),
    ],
    ['an end of the connection', ({ drop }) => drop()],
  ])('%s right after a change does not swallow it, also where somebody listed in between', async (_, end) => {
    const told: string[] = [];
    let tools = ['a'];
    const served = await subscribed({ onListChanged: (list) => told.push(list) }, () => tools);
    await served.client.listTools();
    tools = ['a', 'b'];
    tell(served.peer, lastListen(served.peer), 'tools/list_changed');
    await served.client.listTools();
    await end(served);
    await settle();
    expect(told).toEqual(['tools']);
  });

  it('a flood that was held back is told of at the end', async () => {
    const told: string[] = [];
    const served = await serve(({ method }) => (method === 'subscriptions/listen' ? undefined : toolsOf(['a'])), {
      maxNotificationsPerSecond: 1,
    });
    const opening = served.client.subscribe(
      { toolsListChanged: true, promptsListChanged: true },
      { onListChanged: (list) => told.push(list) },
    );
    await settle();
    acknowledge(served.peer);
    await opening;
    tell(served.peer, lastListen(served.peer), 'tools/list_changed');
    tell(served.peer, lastListen(served.peer), 'prompts/list_changed');
    endGracefully(served.peer);
    await settle();
    expect(told).toEqual(['tools', 'prompts']);
  });

  it('whoever closes it hears nothing of what was on its way', async () => {
    const told: string[] = [];
    const { peer, subscription } = await subscribed({ onListChanged: (list) => told.push(list) });
    tell(peer, lastListen(peer), 'tools/list_changed');
    await subscription.close();
    expect(told).toEqual([]);
  });

  it('there is none where the server does not have it any more', async () => {
    const { peer, clock, subscription } = await subscribed();
    peer.send({ jsonrpc: '2.0', id: lastListen(peer), error: { code: -32601, message: 'gone' } });
    expect(await subscription.closed).toMatchObject({ how: 'failed', error: { code: -32601 } });
    await clock.advance(1e6);
    expect(listens(peer)).toHaveLength(1);
    expect(warnings.map(({ code }) => code)).toEqual(['subscription-lost']);
  });

  it.each([
    ['differs', ['b'], ['tools']],
    ['is the same', ['a'], []],
  ])('a list that was read before is read again, and told of where it %s', async (_, names, expected) => {
    const told: string[] = [];
    let tools = ['a'];
    const { client, peer, clock, asked } = await subscribed({ onListChanged: (list) => told.push(list) }, () => tools);
    await client.listTools();
    tools = names;
    endGracefully(peer);
    await clock.advance(1000);
    acknowledge(peer);
    await settle();
    expect(asked().filter((method) => method === 'tools/list')).toHaveLength(2);
    expect(told).toEqual(expected);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    expect(asked().filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  it('a list that nobody read is told of, since it may have changed', async () => {
    const told: string[] = [];
    const { peer, clock, asked } = await subscribed({ onListChanged: (list) => told.push(list) });
    endGracefully(peer);
    await clock.advance(1000);
    acknowledge(peer);
    await settle();
    expect(told).toEqual(['tools']);
    expect(asked()).not.toContain('tools/list');
  });

  it('what the cache has is stale, whether somebody wants to hear of it or not', async () => {
    const { client, peer, clock, asked } = await subscribed();
    await client.listTools();
    endGracefully(peer);
    await clock.advance(1000);
    acknowledge(peer);
    await settle();
    await client.listTools();
    expect(asked().filter((method) => method === 'tools/list')).toHaveLength(2);
  });
});

describe('a silent stream', () => {
  it('[http-08] stays open for as long as it is silent, and the time limits of requests do not count', async () => {
    const { peer, clock, subscription } = await subscribed();
    await clock.advance(20 * 60_000);
    expect(subscription.state).toBe('open');
    expect(listens(peer)).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('[http-08] is opened anew after maxSilenceMs, once', async () => {
    const { peer, clock, subscription } = await subscribed({ maxSilenceMs: 5 * 60_000 });
    await clock.advance(6 * 60_000);
    expect(listens(peer)).toHaveLength(2);
    acknowledge(peer);
    await clock.advance(4 * 60_000);
    expect(subscription.state).toBe('open');
    expect(warnings.map(({ code }) => code)).toEqual(['subscription-lost']);
  });
});

describe('what is not acknowledged', () => {
  it.each([
    [0, 0.9],
    [0.5, 1],
    [1, 1.1],
  ])(
    '[CACHE-15] is polled with jitter, less often while that fails: by chance %d, %d times as late',
    async (random, part) => {
      const pollMs = 10_000 * part;
      const told: string[] = [];
      let tools: readonly string[] | undefined = ['a'];
      const { client, peer, clock, asked } = await serve(
        ({ method }) => {
          if (method === 'subscriptions/listen') return undefined;
          return tools === undefined ? { error: { code: -32603, message: 'down' } } : toolsOf(tools, { ttlMs: 1e9 });
        },
        { random: () => random },
      );
      await client.listTools();
      const opening = client.subscribe(
        { toolsListChanged: true },
        { pollMs: 10_000, onListChanged: (list) => told.push(list) },
      );
      await settle();
      acknowledge(peer, lastListen(peer), {});
      await opening;
      await settle();
      const lists = () => asked().filter((method) => method === 'tools/list').length;
      const before = lists();
      await clock.advance(pollMs - 1);
      expect(lists()).toBe(before);
      await clock.advance(1);
      expect(lists()).toBe(before + 1);
      expect(told).toEqual([]);
      tools = ['b'];
      await clock.advance(pollMs);
      expect(told).toEqual(['tools']);
      tools = undefined;
      await clock.advance(pollMs);
      const failed = lists();
      await clock.advance(2 * pollMs - 1);
      expect(lists()).toBe(failed);
      await clock.advance(1);
      expect(lists()).toBe(failed + 1);
    },
  );

  it('is not polled where the caller did not ask for that', async () => {
    const { client, peer, clock, asked } = await serve(({ method }) =>
      method === 'subscriptions/listen' ? undefined : toolsOf(['a'], { ttlMs: 1e9 }),
    );
    await client.listTools();
    const opening = client.subscribe({ toolsListChanged: true }, { onListChanged: () => undefined });
    await settle();
    acknowledge(peer, lastListen(peer), {});
    await opening;
    const before = asked().length;
    await clock.advance(1e6);
    expect(asked()).toHaveLength(before);
  });

  it('is told to each subscription by what it knew, whoever listed since', async () => {
    let tools = ['a'];
    const served = await serve(
      ({ method }) => (method === 'subscriptions/listen' ? undefined : toolsOf(tools, { ttlMs: 1e9 })),
      { random: () => 0 },
    );
    const { client, peer, clock, drop } = served;
    await client.listTools();
    const told: string[] = [];
    for (const name of ['one', 'two']) {
      const opening = client.subscribe({ toolsListChanged: true }, { onListChanged: () => told.push(name) });
      await settle();
      acknowledge(peer);
      await opening;
      await settle();
    }
    await drop();
    await settle();
    tools = ['b'];
    await client.listTools({ cache: 'reload' });
    await clock.advance(1000);
    for (const { id } of listens(peer).slice(2)) {
      acknowledge(peer, id);
      await settle();
    }
    expect(told.sort()).toEqual(['one', 'two']);
  });

  it('that fails is warned of, also where the end before it was graceful', async () => {
    const { peer, clock } = await subscribed();
    endGracefully(peer);
    await settle();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await clock.advance(60_000);
      peer.send({ jsonrpc: '2.0', id: lastListen(peer), error: { code: -32603, message: 'down' } });
      await settle();
    }
    expect(warnings.map(({ code }) => code)).toEqual(['subscription-lost']);
  });
});
