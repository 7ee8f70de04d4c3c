import { describe, expect, it } from 'vitest';
import { type Client, createResponseCache } from '../../src/index.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import type { ScriptedPeer } from '../scripted-peer.ts';
import { serve, tool, toolsOf } from '../cache/serve-cached.ts';
import { acknowledge, endGracefully, lastListen, listens } from './listening.ts';

const identity = 'https://depot.example/mcp';

/** Subscribes to lists of tools at a server that acknowledges nothing, so that they are polled each second. */
async function pollTools(client: Client, peer: ScriptedPeer): Promise<string[]> {
  const told: string[] = [];
  const opening = client.subscribe(
    { toolsListChanged: true },
    { pollMs: 1000, onListChanged: (list) => told.push(list) },
  );
  await settle();
  acknowledge(peer, lastListen(peer), {});
  await opening;
  return told;
}

describe('what a server does not tell of', () => {
  it('is polled where the list came from a cache that another client filled', async () => {
    const cache = createResponseCache();
    let tools = ['a'];
    const answer = ({ method }: { readonly method?: string }) =>
      method === 'subscriptions/listen' ? undefined : toolsOf(tools, { ttlMs: 1e9, cacheScope: 'public' });
    await (await serve(answer, { cache, identity })).client.listTools();
    const { client, peer, clock, asked } = await serve(answer, { cache, identity });
    const told = await pollTools(client, peer);
    await client.listTools();
    expect(asked()).toEqual(['subscriptions/listen']);
    tools = ['b'];
    await clock.advance(1000);
    expect(told).toEqual(['tools']);
  });

  it('is told of once by what the poll before saw, also where somebody listed in between', async () => {
    let tools = ['a'];
    const { client, peer, clock } = await serve(({ method }) =>
      method === 'subscriptions/listen' ? undefined : toolsOf(tools, { ttlMs: 1e9 }),
    );
    await client.listTools();
    const told = await pollTools(client, peer);
    await settle();
    tools = ['b'];
    await client.listTools({ cache: 'reload' });
    await clock.advance(3000);
    expect(told).toEqual(['tools']);
  });

  it('is told of where one that was listed before the first poll is another one than was listed first', async () => {
    let tools = ['a'];
    const { client, peer, clock } = await serve(({ method }) =>
      method === 'subscriptions/listen' ? undefined : toolsOf(tools, { ttlMs: 1e9 }),
    );
    const told = await pollTools(client, peer);
    await client.listTools();
    tools = ['b'];
    await client.listTools({ cache: 'reload' });
    await clock.advance(3000);
    expect(told).toEqual(['tools']);
  });

  it('is polled also where an entry nests deeper than anything can be written, which is left out', async () => {
    let deep: object = {};
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const hostile = { name: 'deep', inputSchema: { type: 'object' }, _meta: deep };
    let tools: readonly object[] = [tool('a'), hostile];
    const { client, peer, clock } = await serve(({ method }) =>
      method === 'subscriptions/listen' ? undefined : { ...toolsOf([]), tools, deep, ttlMs: 0 },
    );
    expect((await client.listTools()).leftOut).toMatchObject([{ name: 'deep' }]);
    const told = await pollTools(client, peer);
    await clock.advance(3000);
    expect(told).toEqual([]);
    tools = [hostile];
    await clock.advance(3000);
    expect(told).toEqual(['tools']);
  });

  it('is polled no sooner than a timer can wait, whatever longer time was given', async () => {
    const manual = createManualClock();
    const delays: number[] = [];
    const clock = {
      ...manual,
      after(delayMs: number, task: () => void) {
        delays.push(delayMs);
        return manual.after(delayMs, task);
      },
    };
    const { client, peer } = await serve(() => undefined, { manualClock: clock, random: () => 0.99 });
    const opening = client.subscribe({ toolsListChanged: true }, { pollMs: 2 ** 31 - 1 });
    await settle();
    acknowledge(peer, lastListen(peer), {});
    await opening;
    await settle();
    expect(Math.max(...delays)).toBe(2 ** 31 - 1);
  });
});

describe('what may have been missed', () => {
  it('is looked for by one look at a time, however often the server ends the subscription meanwhile', async () => {
    const { client, peer, clock, asked } = await serve(
      ({ method }, count) => (method === 'tools/list' && count === 1 ? toolsOf(['a']) : undefined),
      { cache: false, timeoutMs: 600_000, random: () => 0 },
    );
    await client.listTools();
    const opening = client.subscribe({ toolsListChanged: true }, { onListChanged: () => undefined });
    for (let stay = 0; stay < 8; stay += 1) {
      await settle();
      acknowledge(peer);
      await opening;
      await settle();
      endGracefully(peer);
      await clock.advance(60_000);
    }
    expect(listens(peer)).toHaveLength(9);
    expect(asked().filter((method) => method === 'tools/list')).toHaveLength(2);
  });
});
