import { describe, expect, it } from 'vitest';
import { namesOf, serve, toolsOf, warnings } from '../cache/serve-cached.ts';
import { settle } from '../manual-clock.ts';
import { acknowledge, lastListen, listens, tell } from './listening.ts';

const offers = { tools: { listChanged: true }, resources: { listChanged: true }, prompts: {} };

describe('a client that is given onListChanged', () => {
  it('[MSG-41] [PRM-12] [cache-04] listens to what the server tells of, hears the changes, comes back after a break, and lists anew', async () => {
    const told: string[] = [];
    let tools = ['a'];
    const { client, peer, clock, drop } = await serve(
      ({ method }) => (method === 'subscriptions/listen' ? undefined : toolsOf(tools, { ttlMs: 1e9 })),
      { offers, onListChanged: (list) => told.push(list) },
    );
    await settle();
    expect(listens(peer)[0]?.params?.['notifications']).toEqual({ toolsListChanged: true, resourcesListChanged: true });
    acknowledge(peer, lastListen(peer), { toolsListChanged: true });
    await settle();
    expect(warnings.map(({ code }) => code)).toEqual(['not-acknowledged']);
    expect(namesOf(await client.listTools())).toEqual(['a']);

    tools = ['a', 'b'];
    tell(peer, lastListen(peer), 'tools/list_changed');
    await clock.advance(100);
    expect(told).toEqual(['tools']);
    expect(namesOf(await client.listTools())).toEqual(['a', 'b']);

    await drop();
    tools = ['c'];
    await clock.advance(1000);
    expect(listens(peer)).toHaveLength(2);
    expect(listens(peer)[1]?.id).not.toBe(listens(peer)[0]?.id);
    acknowledge(peer, lastListen(peer), { toolsListChanged: true });
    await settle();
    // Nobody read the resources, and nobody tells of them: they may have changed.
    expect(told).toEqual(['tools', 'tools', 'resources']);
    expect(namesOf(await client.listTools())).toEqual(['c']);
  });

  it('is connected before the server agrees, and survives one that is not able to at first', async () => {
    const { peer, clock } = await serve(() => undefined, { offers, listensToLists: true });
    await settle();
    peer.send({ jsonrpc: '2.0', id: lastListen(peer), error: { code: -32603, message: 'busy' } });
    await clock.advance(1000);
    expect(listens(peer)).toHaveLength(2);
  });

  it('asks nothing of a server that tells of no list', async () => {
    const { peer } = await serve(() => undefined, { offers: { tools: {} }, onListChanged: () => undefined });
    await settle();
    expect(listens(peer)).toEqual([]);
  });
});

describe('a client that is not', () => {
  it('does not listen: its cache goes by the times of the server', async () => {
    const { peer } = await serve(() => undefined, { offers, onNotification: () => undefined });
    await settle();
    expect(listens(peer)).toEqual([]);
  });
});
