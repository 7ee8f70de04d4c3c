import { describe, expect, it } from 'vitest';
import type { ResourceChange, SubscribeOptions } from '../../src/index.ts';
import { type Answer, contentsOf, serve, type Served } from '../cache/serve-cached.ts';
import { settle } from '../manual-clock.ts';
import { acknowledge, endGracefully, lastListen, listens, tell } from './listening.ts';

const notFound = { error: { code: -32602, message: 'not found' } };

/** A client that watches `a:/1` and `a:/2`, whose contents the test changes. */
async function watching(
  held: { [uri: string]: Answer },
  options: SubscribeOptions = {},
): Promise<Served & { readonly changes: ResourceChange[] }> {
  const changes: ResourceChange[] = [];
  const served = await serve(({ method, params }) =>
    method === 'subscriptions/listen' ? undefined : (held[String(params?.['uri'])] ?? notFound),
  );
  const opening = served.client.subscribe(
    { resourceSubscriptions: ['a:/1', 'a:/2'] },
    { onResourceChanged: (change) => changes.push(change), ...options },
  );
  await settle();
  acknowledge(served.peer);
  await opening;
  await settle();
  return { ...served, changes };
}

const textOf = (change: ResourceChange | undefined): unknown =>
  change !== undefined && 'result' in change ? change.result.contents[0] : change;

describe('a watched resource', () => {
  it('is read at the beginning, and told of only where it differs afterwards', async () => {
    const held: { [uri: string]: Answer } = { 'a:/1': contentsOf('a:/1', 'one'), 'a:/2': contentsOf('a:/2', 'two') };
    const { peer, clock, changes, asked, client } = await watching(held);
    expect(asked().filter((method) => method === 'resources/read')).toHaveLength(2);
    expect(changes).toEqual([]);
    tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
    await clock.advance(100);
    expect(changes).toEqual([]);
    held['a:/1'] = contentsOf('a:/1', 'changed');
    for (let sent = 0; sent < 5; sent += 1) tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
    await clock.advance(100);
    expect(changes.map(textOf)).toEqual([{ uri: 'a:/1', text: 'changed' }]);
    expect(asked().filter((method) => method === 'resources/read')).toHaveLength(4);
    expect((await client.readResource('a:/1')).contents[0]).toEqual({ uri: 'a:/1', text: 'changed' });
    expect(asked().filter((method) => method === 'resources/read')).toHaveLength(4);
  });

  it('whose reading hangs holds up no news of others', async () => {
    const told: string[] = [];
    let isHanging = false;
    const held: { [uri: string]: Answer } = { 'a:/1': contentsOf('a:/1', 'one'), 'a:/2': contentsOf('a:/2', 'two') };
    const changes: ResourceChange[] = [];
    const { client, peer, clock } = await serve(({ method, params }) => {
      if (method === 'subscriptions/listen' || (isHanging && params?.['uri'] === 'a:/1')) return undefined;
      return held[String(params?.['uri'])] ?? notFound;
    });
    const opening = client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: ['a:/1', 'a:/2'] },
      {
        onListChanged: (list) => told.push(list),
        onResourceUpdated: (uri) => told.push(uri),
        onResourceChanged: (change) => changes.push(change),
      },
    );
    await settle();
    acknowledge(peer);
    await opening;
    await settle();
    isHanging = true;
    tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
    await clock.advance(100);
    held['a:/2'] = contentsOf('a:/2', 'changed');
    tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/2' });
    tell(peer, lastListen(peer), 'tools/list_changed');
    await clock.advance(100);
    expect(told).toEqual(['a:/1', 'tools', 'a:/2']);
    expect(changes.map(textOf)).toEqual([{ uri: 'a:/2', text: 'changed' }]);
  });

  it('is read anew where one below it was updated, whatever the cache has', async () => {
    const held: { [uri: string]: Answer } = { 'a:/1': contentsOf('a:/1', 'one'), 'a:/2': contentsOf('a:/2', 'two') };
    const { peer, clock, client } = await watching(held, { onResourceChanged: () => undefined });
    await client.readResource('a:/1');
    held['a:/1'] = contentsOf('a:/1', 'changed');
    tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1/below' });
    await clock.advance(100);
    expect((await client.readResource('a:/1')).contents[0]).toMatchObject({ text: 'changed' });
    expect((await client.readResource('a:/2')).contents[0]).toMatchObject({ text: 'two' });
  });

  it('is read anew by whoever is told of it, though a flood of other news holds up that of the cache', async () => {
    let text = 'one';
    const { client, peer, clock } = await serve(
      ({ method, params }) =>
        method === 'subscriptions/listen' ? undefined : contentsOf(params?.['uri'], text, { ttlMs: 1e9 }),
      { maxNotificationsPerSecond: 1 },
    );
    const read: unknown[] = [];
    const opening = [
      client.subscribe({ resourceSubscriptions: ['a:/2'] }),
      client.subscribe(
        { resourceSubscriptions: ['a:/1'] },
        { onResourceUpdated: async (uri) => void read.push((await client.readResource(uri)).contents[0]) },
      ),
    ];
    await settle();
    for (const { id } of listens(peer)) acknowledge(peer, id);
    await Promise.all(opening);
    await client.readResource('a:/1');
    text = 'changed';
    const [other = -1, own = -1] = listens(peer).map(({ id }) => id);
    tell(peer, other, 'resources/updated', { uri: 'a:/2' });
    tell(peer, own, 'resources/updated', { uri: 'a:/1' });
    await clock.advance(100);
    expect(read).toEqual([{ uri: 'a:/1', text: 'changed' }]);
  });

  it('is read in place of those below it where more of them were updated than can wait', async () => {
    const read: string[] = [];
    let isHanging = false;
    const { client, peer, clock } = await serve(({ method, params }) => {
      if (method === 'subscriptions/listen') return undefined;
      read.push(String(params?.['uri']));
      return isHanging ? undefined : contentsOf(String(params?.['uri']), 'same');
    });
    const opening = client.subscribe({ resourceSubscriptions: ['a:/1'] }, { onResourceChanged: () => undefined });
    await settle();
    acknowledge(peer);
    await opening;
    await settle();
    isHanging = true;
    const burst = 900;
    for (let round = 0; round < 4; round += 1) {
      for (let child = 0; child < burst; child += 1) {
        tell(peer, lastListen(peer), 'resources/updated', { uri: `a:/1/${round * burst + child}` });
      }
      await clock.advance(1000);
    }
    expect(read).toHaveLength(5);
    isHanging = false;
    for (let turn = 0; turn < 40; turn += 1) await clock.advance(60_000);
    expect(read.filter((uri) => uri === 'a:/1')).toHaveLength(2);
    expect(read.length).toBeLessThan(2010);
  });

  it.each([
    ['a version in _meta', { _meta: { 'com.example/etag': 'v1' } }, { _meta: { 'com.example/etag': 'v2' } }, 1],
    [
      'lastModified',
      { annotations: { lastModified: '2026-01-01T00:00:00Z' } },
      { annotations: { lastModified: '2026-01-02T00:00:00Z' } },
      1,
    ],
    ['other metadata', { _meta: { servedAt: 1 } }, { _meta: { servedAt: 2 } }, 0],
    ['a blob', { blob: 'AA==' }, { blob: 'AQ==' }, 1],
    ['a media type', { mimeType: 'text/plain' }, { mimeType: 'text/html' }, 1],
  ])('differs by %s or not', async (_, before, after, expected) => {
    const held = (more: object): Answer => ({
      contents: [{ uri: 'a:/1', text: 'same', ...more }],
      ttlMs: 0,
      cacheScope: 'private',
    });
    const resources: { [uri: string]: Answer } = { 'a:/1': held(before), 'a:/2': held({}) };
    const { peer, clock, changes } = await watching(resources);
    resources['a:/1'] = held(after);
    tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
    await clock.advance(100);
    expect(changes).toHaveLength(expected);
  });

  it('is read again after a return, and told of where it differs from before', async () => {
    const held: { [uri: string]: Answer } = { 'a:/1': contentsOf('a:/1', 'one'), 'a:/2': contentsOf('a:/2', 'two') };
    const { peer, clock, changes } = await watching(held);
    endGracefully(peer);
    await settle();
    held['a:/2'] = contentsOf('a:/2', 'changed while nobody listened');
    await clock.advance(1000);
    acknowledge(peer);
    await settle();
    expect(changes.map(textOf)).toEqual([{ uri: 'a:/2', text: 'changed while nobody listened' }]);
  });

  it('that is gone is told of once, with the error, and again when it is back', async () => {
    const held: { [uri: string]: Answer } = { 'a:/1': contentsOf('a:/1', 'one'), 'a:/2': contentsOf('a:/2', 'two') };
    const { peer, clock, changes } = await watching(held);
    const update = async () => {
      tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
      await clock.advance(100);
    };
    held['a:/1'] = notFound;
    await update();
    await update();
    expect(changes).toMatchObject([{ uri: 'a:/1', error: { code: -32602 } }]);
    held['a:/1'] = contentsOf('a:/1', 'one');
    await update();
    expect(changes).toHaveLength(2);
  });

  it('hears of what lies below it, and the server may say nothing about others', async () => {
    const held: { [uri: string]: Answer } = {
      'a:/1': contentsOf('a:/1', 'one'),
      'a:/2': contentsOf('a:/2', 'two'),
      'a:/1/below': contentsOf('a:/1/below', 'new'),
      'b:/9': contentsOf('b:/9', 'not asked for'),
    };
    const updates: string[] = [];
    const { peer, clock, changes } = await watching(held, { onResourceUpdated: (uri) => updates.push(uri) });
    for (const uri of ['a:/1/below', 'b:/9', 'a:/11']) tell(peer, lastListen(peer), 'resources/updated', { uri });
    await clock.advance(100);
    expect(updates).toEqual(['a:/1/below']);
    expect(changes.map(textOf)).toEqual([{ uri: 'a:/1/below', text: 'new' }]);
  });

  it('is not read where nobody wants to know what it holds', async () => {
    const { client, peer, clock, asked } = await serve(({ method }) =>
      method === 'subscriptions/listen' ? undefined : contentsOf('a:/1', 'x'),
    );
    const updates: string[] = [];
    const opening = client.subscribe(
      { resourceSubscriptions: ['a:/1'] },
      { onResourceUpdated: (uri) => updates.push(uri) },
    );
    await settle();
    acknowledge(peer);
    await opening;
    endGracefully(peer);
    await clock.advance(1000);
    acknowledge(peer);
    await settle();
    expect(updates).toEqual(['a:/1']);
    expect(asked()).not.toContain('resources/read');
  });

  it('that the server fails to read once is not told of, neither then nor when it is back', async () => {
    const held: { [uri: string]: Answer } = { 'a:/1': contentsOf('a:/1', 'one'), 'a:/2': contentsOf('a:/2', 'two') };
    const { peer, clock, changes } = await watching(held);
    for (const answer of [{ error: { code: -32603, message: 'busy' } }, contentsOf('a:/1', 'one')]) {
      held['a:/1'] = answer;
      tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
      await clock.advance(100);
    }
    expect(changes).toEqual([]);
  });

  it('is not told of backwards where it changes while it is read, also without a cache', async () => {
    const readings: number[] = [];
    const changes: ResourceChange[] = [];
    const { client, peer, clock } = await serve(
      ({ id, method }) => {
        if (method === 'resources/read') readings.push(Number(id));
        return undefined;
      },
      { cache: false },
    );
    const answer = (id: number | undefined, text: string): void =>
      peer.answer(id, { resultType: 'complete', ...contentsOf('a:/1', text) });
    const opening = client.subscribe(
      { resourceSubscriptions: ['a:/1'] },
      { onResourceChanged: (change) => changes.push(change) },
    );
    await settle();
    acknowledge(peer);
    await opening;
    await settle();
    for (let sent = 0; sent < 3; sent += 1) {
      tell(peer, lastListen(peer), 'resources/updated', { uri: 'a:/1' });
      await clock.advance(100);
    }
    expect(readings).toHaveLength(1);
    answer(readings[0], 'old');
    await settle();
    expect(readings).toHaveLength(2);
    answer(readings[1], 'new');
    await clock.advance(1000);
    for (const id of readings.slice(2)) answer(id, 'new');
    await settle();
    expect(changes.map(textOf)).toEqual([{ uri: 'a:/1', text: 'new' }]);
  });
});
