import type { LegacyOptions } from '@switchyard/server';
import { createServer, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { until } from '../turns.ts';
import type { Received } from '../wire.ts';
import {
  type Answer,
  type Events,
  type LegacyPeer,
  legacyRequest,
  notificationOf,
  openLegacy,
} from './legacy-route.ts';
import { createHeldServer, decline, held, isStream, open } from './stream-peer.ts';

describe('the response to a POST', () => {
  it('is JSON while nothing precedes it, and a stream otherwise', async () => {
    const { peer } = await open();
    expect(isStream(await peer.post(legacyRequest('tools/list')))).toBe(false);
    const logged = await peer.post(legacyRequest('tools/call', { name: 'log' }));
    expect(isStream(logged)).toBe(true);
    expect((await logged.events().rest()).map(({ method, id }) => method ?? id)).toEqual(['notifications/message', 1]);
  });

  it('becomes a stream when it takes long', async () => {
    const { server, release } = createHeldServer();
    const peer = await (await openLegacy(server, { streamAfterMs: 0 })).open();
    const answer = await peer.post(legacyRequest('tools/call', { name: 'held' }));
    expect(isStream(answer)).toBe(true);
    release();
    expect(await answer.events().rest()).toMatchObject([{ id: 1, result: { content: [{ text: 'released' }] } }]);
  });

  it('stays JSON for a client that takes no streams, which gets no notifications', async () => {
    const { peer } = await open({ streamAfterMs: 0 });
    const answer = await peer.post(legacyRequest('tools/call', { name: 'log' }), {
      headers: { accept: 'application/json' },
    });
    expect(isStream(answer)).toBe(false);
    expect((await answer.json()).result).toMatchObject({ content: [{ text: 'logged' }] });
  });

  it('[LEGS-14] begins with an event that has an id, no data, and the time to come back', async () => {
    const { peer } = await open({ retryMs: 250 });
    const events = (await peer.post(legacyRequest('tools/call', { name: 'log' }))).events();
    expect(await events.next()).toEqual({ id: '1-0', retry: '250', data: '' });
    expect(await events.next()).toMatchObject({ id: '1-1', event: 'message' });
  });

  it.each(['2025-03-26', '2025-06-18'])('[http-04] has no event without data for a client of %s', async (revision) => {
    const { peer } = await open({}, {}, revision);
    const events = (await peer.post(legacyRequest('tools/call', { name: 'log' }))).events();
    expect(await events.next()).toMatchObject({ id: '1-1', event: 'message' });
  });

  it('[LEGS-13] gives every event of a session an id of its own', async () => {
    const { peer } = await open();
    const ids: (string | undefined)[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const events = (await peer.post(legacyRequest('tools/call', { name: 'log' }, turn))).events();
      for (let event = await events.next(); event !== undefined; event = await events.next()) ids.push(event.id);
    }
    expect(ids).toHaveLength(9);
    expect(new Set(ids).size).toBe(9);
  });

  it('[sampling-01] carries the requests of the server, which the client answers while it is open', async () => {
    const { peer } = await open();
    const events = (await peer.post(legacyRequest('tools/call', { name: 'sample' }))).events();
    const ask = await events.message();
    expect(ask).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 5 } });
    const result = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    expect((await peer.post({ jsonrpc: '2.0', id: ask?.id, result })).status).toBe(202);
    expect((await events.rest()).at(-1)?.result).toMatchObject({ content: [{ text: '{"type":"text","text":"hi"}' }] });
  });

  it('[LEGS-12] carries what belongs to its request and nothing else', async () => {
    const { peer } = await open();
    const [first, second] = (
      await Promise.all([5, 6].map((id) => peer.post(legacyRequest('tools/call', { name: 'ask' }, id))))
    ).map((answer) => answer.events()) as [Events, Events];
    const asks = [await first.message(), await second.message()];
    expect(asks[0]?.id).not.toBe(asks[1]?.id);
    await peer.post(decline(asks[1]));
    expect((await second.rest()).map(({ id }) => id)).toEqual([6]);
    await peer.post(decline(asks[0]));
    expect((await first.rest()).map(({ id }) => id)).toEqual([5]);
  });
});

describe('a client that goes away', () => {
  it('trap 25: [LEGS-15] has not cancelled its request', async () => {
    const { server, release } = createHeldServer();
    const peer = await (await openLegacy(server)).open();
    const events = (await peer.post(held)).events();
    expect(await events.message()).toMatchObject({ params: { progress: 1 } });
    const last = events.lastId();
    events.breakOff();
    release();
    const resumed = (await peer.get({ headers: { 'last-event-id': last } })).events();
    expect(await resumed.rest()).toMatchObject([
      { params: { progress: 2 } },
      { id: 3, result: { content: [{ text: 'released' }] } },
    ]);
  });

  it('[LEGS-13] gets what it did not see of its stream, and nothing of another', async () => {
    const { server, release, started } = createHeldServer();
    const peer = await (await openLegacy(server)).open();
    const events = (await peer.post(held)).events();
    await events.next();
    const primed = events.lastId();
    await started;
    events.breakOff();
    server.tool('other', {}, () => 'other');
    release();
    const messages = await (await peer.get({ headers: { 'last-event-id': primed } })).events().rest();
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      'notifications/progress',
      'notifications/progress',
      3,
    ]);
  });

  it('cancels with a notification, and gets no response', async () => {
    const { peer, traces } = await open({ streamAfterMs: 0 });
    const answer = await peer.post(legacyRequest('tools/call', { name: 'wait' }, 4));
    const events = answer.events();
    expect(
      (await peer.post(notificationOf('notifications/cancelled', { requestId: 4, reason: 'enough' }))).status,
    ).toBe(202);
    expect(await events.rest()).toEqual([]);
    expect(traces.reasons).toEqual(['cancelled: enough']);
  });

  it.each<[string, (peer: LegacyPeer) => Promise<Answer>]>([
    ['it is cancelled', (peer) => peer.post(notificationOf('notifications/cancelled', { requestId: 4 }))],
    ['its session is deleted', (peer) => peer.delete()],
  ])('gets an error, as JSON, for a request without a stream when %s', async (_, end) => {
    const { peer, traces } = await open();
    const pending = peer.post(legacyRequest('tools/call', { name: 'wait' }, 4));
    await until(() => traces.runs === 1);
    await end(peer);
    const answer = await pending;
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toMatchObject({ id: 4, error: { code: -32603 } });
  });

  it('gets an error for each request of a batch, none of which is answered', async () => {
    const { peer, traces } = await open({}, {}, '2025-03-26');
    const pending = peer.post([4, 5].map((id) => legacyRequest('tools/call', { name: 'wait' }, id)));
    await until(() => traces.runs === 2);
    await peer.delete();
    expect(await (await pending).json()).toMatchObject([
      { id: 4, error: { code: -32603 } },
      { id: 5, error: { code: -32603 } },
    ]);
  });

  it('finds an ask that was sent meanwhile when it comes back', async () => {
    const server = createServer({ name: 'late', version: '1.0.0' }, { logger: silentLogger });
    const gate = Promise.withResolvers<void>();
    server.tool('late', {}, async (_args, ctx) => {
      ctx.progress(1);
      await gate.promise;
      const answer = await ctx.elicit('go', { message: 'Go on?', schema: { type: 'object', properties: {} } });
      return answer.action;
    });
    const peer = await (await openLegacy(server)).open('2025-11-25', { elicitation: {} });
    const events = (
      await peer.post(legacyRequest('tools/call', { name: 'late', _meta: { progressToken: 1 } }))
    ).events();
    await events.message();
    events.breakOff();
    gate.resolve();
    const resumed = (await peer.get({ headers: { 'last-event-id': events.lastId() } })).events();
    await peer.post(decline(await resumed.message()));
    expect(await resumed.rest()).toMatchObject([{ id: 1, result: { content: [{ text: 'decline' }] } }]);
  });

  it('fails an ask at once where no stream leads to it', async () => {
    const { peer, traces } = await open();
    const answer = await peer.post(legacyRequest('tools/call', { name: 'ask' }), {
      headers: { accept: 'application/json' },
    });
    expect((await answer.json()).result).toMatchObject({ isError: true });
    expect(traces.cleaned).toEqual(['ask']);
  });

  it('is asked on the stream that it listens to where its POST takes none', async () => {
    const { peer } = await open();
    const events = (await peer.get()).events();
    await events.next();
    const pending = peer.post(legacyRequest('tools/call', { name: 'ask' }), {
      headers: { accept: 'application/json' },
    });
    await peer.post(decline(await events.message()));
    expect((await (await pending).json()).result).toMatchObject({ content: [{ text: 'decline' }] });
    events.breakOff();
  });

  it('ends what it waits for when its session ends', async () => {
    const { peer, traces } = await open();
    const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }))).events();
    await events.message();
    await peer.delete();
    expect((await events.rest()).map(({ method }) => method)).toEqual(['notifications/cancelled']);
    expect(traces.cleaned).toEqual(['ask']);
  });
});

describe('a stream that is polled', () => {
  it('[LEGS-14] is closed after its time, and its client comes back for the answer', async () => {
    const { server, release } = createHeldServer();
    const peer = await (await openLegacy(server, { pollAfterMs: 1 })).open();
    const events = (await peer.post(held)).events();
    const [seen] = await events.rest();
    expect(seen).toMatchObject({ params: { progress: 1 } });
    release();
    let last = events.lastId();
    const found: Received[] = [];
    while (!found.some(({ id }) => id === 3)) {
      const resumed = (await peer.get({ headers: { 'last-event-id': last } })).events();
      found.push(...(await resumed.rest()));
      last = resumed.lastId();
    }
    expect(found.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 3]);
  });

  it('stays open for a client of a revision that does not come back', async () => {
    const { server, release } = createHeldServer();
    const route = await openLegacy(server, { pollAfterMs: 1 });
    const events = (await (await route.open('2025-06-18')).post(held)).events();
    await events.message();
    // Timers of one duration fire in the order they were set in: when this later one has, so has the other.
    await (await (await route.open()).post(held)).events().rest();
    release();
    expect((await events.rest()).at(-1)).toMatchObject({ id: 3 });
  });
});

describe('what is kept for a client that comes back', () => {
  it('is bounded in events and bytes: a stream that lost some is not resumed', async () => {
    const { peer } = await open({ maxStreamEvents: 2 });
    const events = (
      await peer.post(legacyRequest('tools/call', { name: 'count', _meta: { progressToken: 1 } }))
    ).events();
    await events.next();
    const primed = events.lastId();
    await events.rest();
    expect((await peer.get({ headers: { 'last-event-id': primed } })).status).toBe(400);
    const [stream, last] = events.lastId().split('-');
    const resumed = await peer.get({ headers: { 'last-event-id': `${stream}-${Number(last) - 1}` } });
    expect(await resumed.events().rest()).toMatchObject([{ id: 1 }]);
  });

  it.each<[string, LegacyOptions]>([
    ['of one stream', { maxStreamBytes: 10 }],
    ['of all', { maxReplayBytes: 10 }],
  ])('is bounded in bytes %s', async (_name, options) => {
    const { peer } = await open(options);
    const events = (await peer.post(legacyRequest('tools/call', { name: 'log' }))).events();
    await events.next();
    const primed = events.lastId();
    expect(await events.rest()).toHaveLength(2);
    expect((await peer.get({ headers: { 'last-event-id': primed } })).status).toBe(400);
  });

  it('is forgotten of streams that ended long ago', async () => {
    const { peer } = await open({ maxEndedStreams: 1 });
    const lastIds: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const events = (await peer.post(legacyRequest('tools/call', { name: 'log' }, turn))).events();
      await events.rest();
      lastIds.push(events.lastId());
    }
    const statuses = [];
    for (const id of lastIds) statuses.push((await peer.get({ headers: { 'last-event-id': id } })).status);
    expect(statuses).toEqual([400, 200, 200]);
  });
});
