import { describe, expect, it } from 'vitest';
import { settle } from '../manual-clock.ts';
import { acknowledge, lastListen, tell } from '../subscriptions/listening.ts';
import { contentsOf, serve, updated, warnings } from './serve-cached.ts';

const uris = Array.from({ length: 5 }, (_, at) => `a:/watched/${at}`);

describe('more news than can be taken in', () => {
  it('[CACHE-18] make all resources stale, so that none stays as it was for the whole of its time', async () => {
    let version = 1;
    const { client, peer, clock, asked } = await serve(({ params }) => contentsOf(params?.['uri'], `v${version}`));
    for (const uri of uris) await client.readResource(uri);
    version = 2;
    for (let at = 0; at < 1100; at += 1) peer.send(updated(`a:/first/${at}`));
    for (const uri of uris) peer.send(updated(uri));
    for (let at = 0; at < 1100; at += 1) peer.send(updated(`a:/last/${at}`));
    await clock.advance(10);
    const before = asked().length;
    const texts = await Promise.all(uris.map(async (uri) => (await client.readResource(uri)).contents[0]));
    expect(texts).toMatchObject(uris.map(() => ({ text: 'v2' })));
    expect(asked().length - before).toBe(uris.length);
    expect(warnings.map(({ code }) => code)).toContain('notification-flood');
  });

  it('outdate an answer that is on its way, too', async () => {
    const { client, peer, clock, asked } = await serve(() => undefined);
    const reading = client.readResource('a:/1');
    await settle();
    for (let at = 0; at < 3000; at += 1) peer.send(updated(`a:/other/${at}`));
    await clock.advance(10);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...contentsOf('a:/1', 'old') });
    await reading;
    const again = client.readResource('a:/1');
    await settle();
    expect(asked()).toHaveLength(2);
    peer.answer(peer.written.at(-1)?.id, { resultType: 'complete', ...contentsOf('a:/1', 'new') });
    await again;
  });

  it('count as updates of all that a subscription watches', async () => {
    const { client, peer, clock } = await serve(() => undefined);
    const updates = new Set<string>();
    const lists: string[] = [];
    const opening = client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: uris },
      { onResourceUpdated: (uri) => updates.add(uri), onListChanged: (list) => lists.push(list) },
    );
    await settle();
    acknowledge(peer);
    await opening;
    const id = lastListen(peer);
    for (let at = 0; at < 1100; at += 1) tell(peer, id, 'resources/updated', { uri: `b:/first/${at}` });
    for (const uri of uris) tell(peer, id, 'resources/updated', { uri });
    tell(peer, id, 'tools/list_changed');
    for (let at = 0; at < 1100; at += 1) tell(peer, id, 'resources/updated', { uri: `b:/last/${at}` });
    await clock.advance(200);
    expect([...updates].sort()).toEqual(uris);
    expect(lists).toContain('tools');
  });

  it('of a very long URI are news of what is watched above it', async () => {
    const { client, peer, clock } = await serve(() => undefined);
    const updates: string[] = [];
    const opening = client.subscribe(
      { resourceSubscriptions: ['a:/1', 'a:/2'] },
      { onResourceUpdated: (uri) => updates.push(uri) },
    );
    await settle();
    acknowledge(peer);
    await opening;
    tell(peer, lastListen(peer), 'resources/updated', { uri: `a:/1/${'x'.repeat(2048)}` });
    tell(peer, lastListen(peer), 'resources/updated', { uri: `a:/2/${'x'.repeat(20)}` });
    await clock.advance(100);
    expect(updates).toEqual(['a:/1', `a:/2/${'x'.repeat(20)}`]);
  });
});
