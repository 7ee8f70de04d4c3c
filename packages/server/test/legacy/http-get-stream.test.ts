import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it } from 'vitest';

import { legacyRequest, openLegacy, routeTo } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

import { isStream, open } from './stream-peer.ts';

describe('the stream of GET', () => {
  it('[LEGS-10] [LEGS-11] tells of changes, and never has a response', async () => {
    const { peer, server } = await open();
    const answer = await peer.get();
    expect(isStream(answer)).toBe(true);
    const events = answer.events();
    await peer.request('resources/subscribe', { uri: 'mem://one' });
    server.resourceUpdated('mem://one');
    server.removePrompt('greeting');
    expect([await events.message(), await events.message()]).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'mem://one' } },
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed', params: {} },
    ]);
    events.breakOff();
  });

  it('has what changed before it was opened, once each', async () => {
    const { peer, server } = await open();
    for (const name of ['a', 'b', 'c']) {
      server.tool(name, {}, () => name);
      await Promise.resolve();
    }
    server.removePrompt('greeting');
    await Promise.resolve();
    const events = (await peer.get()).events();
    expect([(await events.message())?.method, (await events.message())?.method]).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
    ]);
    events.breakOff();
  });

  it('[LEGS-13] is resumed after the event that the client saw last', async () => {
    const { peer, server } = await open();
    const events = (await peer.get()).events();
    server.removePrompt('greeting');
    await events.message();
    events.breakOff();
    server.tool('late', {}, () => 'late');
    const resumed = (await peer.get({ headers: { 'last-event-id': events.lastId() } })).events();
    expect(await resumed.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
    resumed.breakOff();
  });

  it('[LEGS-12] is one: a second GET takes the place of the first', async () => {
    const { peer, server } = await open();
    const first = (await peer.get()).events();
    await first.next();
    const second = (await peer.get()).events();
    expect(await first.next()).toBeUndefined();
    server.removePrompt('greeting');
    expect(await second.message()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    second.breakOff();
  });

  it.each(['1-7', '9-1', '0-99', '0', 'x', '1-1-1', '1-99999999999999999999'])(
    'refuses the event id %j, which it never gave',
    async (id) => {
      const { peer } = await open();
      await peer.request('tools/call', { name: 'log' });
      const answer = await peer.get({ headers: { 'last-event-id': id } });
      expect(answer.status).toBe(400);
    },
  );

  it('[LEGS-13] refuses an event id of another session', async () => {
    const { server } = createLegacyServer();
    const route = await openLegacy(server);
    const [one, other] = [await route.open(), await route.open()];
    const events = (await one.post(legacyRequest('tools/call', { name: 'log' }))).events();
    await events.rest();
    expect((await other.get({ headers: { 'last-event-id': events.lastId() } })).status).toBe(400);
  });

  it('refuses a client that takes no streams', async () => {
    const { peer } = await open();
    expect((await peer.get({ headers: { accept: 'application/json' } })).status).toBe(406);
  });

  it('ends when the server does', async () => {
    const { server } = createLegacyServer();
    const running = await serveHttp(server, { port: 0 });
    const peer = await routeTo(running.url).open();
    const events = (await peer.get()).events();
    await events.next();
    const closing = running.close({ graceMs: 60_000 });
    expect(await events.next()).toBeUndefined();
    await closing;
  });
});
