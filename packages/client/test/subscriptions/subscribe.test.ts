import type { Notification } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { namesOf, serve, type Served, toolsOf, warnings } from '../cache/serve-cached.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { acknowledge, endGracefully, lastListen, listens, tell } from './listening.ts';

/** A server whose subscriptions the test plays, and whose tools are the ones of the given names. */
async function serveListening(tools: () => readonly string[] = () => []): Promise<Served> {
  return serve(({ method }) => (method === 'subscriptions/listen' ? undefined : toolsOf(tools(), { ttlMs: 1e7 })));
}

describe('a subscription', () => {
  it('[SUB-01] [SUB-07] asks by a filter, and tells what the server did not agree to, with one warning', async () => {
    const { client, peer, clock } = await serveListening();
    const filter = {
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a:/1', 'a:/2', 'a:/1'],
    };
    const opening = client.subscribe(filter);
    await settle();
    expect(listens(peer)[0]?.params?.['notifications']).toEqual(filter);
    acknowledge(peer, lastListen(peer), {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['a:/2', 'b:/9'],
    });
    const subscription = await opening;
    expect(subscription.acknowledged).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a:/2'] });
    expect(subscription.missing).toEqual({ resourcesListChanged: true, resourceSubscriptions: ['a:/1'] });
    expect(subscription.state).toBe('open');
    endGracefully(peer);
    await clock.advance(1000);
    acknowledge(peer, lastListen(peer), {});
    await settle();
    expect(subscription.missing).toMatchObject({ toolsListChanged: true });
    expect(warnings.map(({ code }) => code)).toEqual(['not-acknowledged']);
  });

  it('[SUB-09] [SUB-10] hears what is told under its own id, and nothing else', async () => {
    const { client, peer, clock } = await serveListening();
    const heard: string[] = [];
    const open = async (name: string) => {
      const opening = client.subscribe(
        { toolsListChanged: true },
        { onListChanged: (list) => heard.push(`${name} ${list}`) },
      );
      await settle();
      const id = lastListen(peer);
      acknowledge(peer, id);
      await opening;
      return id;
    };
    const [first, second] = [await open('first'), await open('second')];
    tell(peer, second, 'tools/list_changed');
    await clock.advance(100);
    expect(heard).toEqual(['second tools']);
    tell(peer, first, 'tools/list_changed');
    tell(peer, first, 'prompts/list_changed');
    tell(peer, 4711, 'tools/list_changed');
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await clock.advance(100);
    expect(heard).toEqual(['second tools', 'first tools']);
  });

  it('makes the cache forget what is told, and passes each notification on', async () => {
    const seen: string[] = [];
    let tools = ['a'];
    const { client, peer } = await serve(
      ({ method }) => (method === 'subscriptions/listen' ? undefined : toolsOf(tools, { ttlMs: 1e7 })),
      { onNotification: ({ method }) => seen.push(method) },
    );
    const own: Notification[] = [];
    const opening = client.subscribe({ toolsListChanged: true }, { onNotification: (one) => own.push(one) });
    await settle();
    acknowledge(peer);
    await opening;
    await client.listTools();
    tools = ['b'];
    tell(peer, lastListen(peer), 'tools/list_changed');
    expect(namesOf(await client.listTools())).toEqual(['b']);
    expect(seen).toEqual(['notifications/tools/list_changed']);
    expect(own.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
  });

  it('[cache-03] tells a burst once', async () => {
    const { client, peer, clock } = await serveListening();
    const told: string[] = [];
    const opening = client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: ['a:/dir'] },
      { onListChanged: (list) => told.push(list), onResourceUpdated: (uri) => told.push(uri) },
    );
    await settle();
    acknowledge(peer);
    await opening;
    for (let sent = 0; sent < 50; sent += 1) {
      tell(peer, lastListen(peer), 'tools/list_changed');
      tell(peer, lastListen(peer), 'resources/updated', { uri: `a:/dir/${sent % 2}` });
      tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/directory' });
      await clock.advance(2);
    }
    await clock.advance(1000);
    expect(told.filter((one) => one === 'tools')).toHaveLength(1);
    expect(new Set(told)).toEqual(new Set(['tools', 'a:/dir/0', 'a:/dir/1']));
  });

  it('[SUB-20] is cancelled on stdio by a message, and is over then', async () => {
    const { client, peer } = await serveListening();
    const opening = client.subscribe({ toolsListChanged: true });
    await settle();
    acknowledge(peer);
    const subscription = await opening;
    await subscription.close();
    expect(subscription.state).toBe('closed');
    expect(await subscription.closed).toEqual({ how: 'closed' });
    await settle();
    expect(peer.written.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: lastListen(peer) },
    });
    expect(listens(peer)).toHaveLength(1);
  });

  it('ends with its signal, and with its client', async () => {
    const { client, peer } = await serveListening();
    const ending = new AbortController();
    const openings = [
      client.subscribe({ toolsListChanged: true }, { signal: ending.signal }),
      client.subscribe({ toolsListChanged: true }),
    ];
    await settle();
    for (const { id } of listens(peer)) acknowledge(peer, id);
    const [one, two] = await Promise.all(openings);
    ending.abort();
    expect(await one?.closed).toEqual({ how: 'closed' });
    expect(two?.state).toBe('open');
    await client.close();
    expect(await two?.closed).toEqual({ how: 'closed' });
    expect((await failure(client.subscribe({ toolsListChanged: true }))).code).toBe('closed');
  });

  it.each([
    ['nothing', {}, {}],
    ['a filter of another form', { resourceSubscriptions: 'a:/1' }, {}],
    ['a poll without end', { toolsListChanged: true }, { pollMs: 10 }],
    ['a silence that is none', { toolsListChanged: true }, { maxSilenceMs: 0 }],
  ])('is refused for %s', async (_, filter, options) => {
    const { client } = await serveListening();
    expect((await failure(client.subscribe(filter as never, options))).code).toBe('invalid-argument');
  });

  it('rejects where the server refuses, never agrees, or answers without agreeing', async () => {
    const { client, peer, clock } = await serveListening();
    const refused = client.subscribe({ toolsListChanged: true });
    await settle();
    peer.send({ jsonrpc: '2.0', id: lastListen(peer), error: { code: -32601, message: 'none' } });
    await expect(refused).rejects.toMatchObject({ code: -32601 });
    const empty = client.subscribe({ toolsListChanged: true });
    await settle();
    endGracefully(peer);
    expect((await failure(empty)).code).toBe('invalid-response');
    const silent = failure(client.subscribe({ toolsListChanged: true }));
    await clock.advance(60_000);
    expect((await silent).code).toBe('timeout');
    expect(peer.written.at(-1)?.method).toBe('notifications/cancelled');
    const given = new AbortController();
    const early = failure(client.subscribe({ toolsListChanged: true }, { signal: given.signal }));
    await settle();
    given.abort();
    expect((await early).code).toBe('aborted');
  });
});
