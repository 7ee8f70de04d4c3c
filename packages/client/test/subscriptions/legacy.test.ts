import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { closeAfterwards, updated, warnings } from '../cache/serve-cached.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { sendError, sendJson, startHttpServer } from '../scripted-http-server.ts';
import { createScriptedPeer, type ScriptedPeer, type Written } from '../scripted-peer.ts';

const capabilities = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } };

/** A legacy server; `refused` are the URIs that nobody may subscribe to, and `held` is asked what the test answers. */
async function serveLegacy(
  offers: JsonObject = capabilities,
  refused: readonly string[] = [],
  held: (method: string) => boolean = () => false,
) {
  const clock = createManualClock();
  const peer: ScriptedPeer = createScriptedPeer(({ id, method, params }: Written) => {
    if (id === undefined) return true;
    if (method === 'initialize') {
      peer.answer(id, {
        protocolVersion: '2025-11-25',
        capabilities: offers,
        serverInfo: { name: 'old', version: '1' },
      });
    } else if (method === 'server/discover' || refused.includes(String(params?.['uri']))) {
      peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
    } else if (!held(String(method))) peer.answer(id, {});
    return true;
  });
  const client = closeAfterwards(
    await connect(peer.transport, { name: 'depot', clock, onWarning: (warning) => warnings.push(warning) }),
  );
  return { client, peer, clock };
}

const subscribes = ({ written }: ScriptedPeer) =>
  written.flatMap(({ method, params }) =>
    method === 'resources/subscribe' || method === 'resources/unsubscribe'
      ? [`${method.slice('resources/'.length)} ${String(params?.['uri'])}`]
      : [],
  );

describe('a subscription to a legacy server', () => {
  it('asks for each resource, takes lists by their capability, and tells what is missing', async () => {
    const { client, peer } = await serveLegacy(capabilities, ['a:/2']);
    const subscription = await client.subscribe({
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['a:/1', 'a:/2'],
    });
    expect(subscription.acknowledged).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a:/1'] });
    expect(subscription.missing).toEqual({ promptsListChanged: true, resourceSubscriptions: ['a:/2'] });
    expect(subscribes(peer)).toEqual(['subscribe a:/1', 'subscribe a:/2']);
    expect(warnings.map(({ code }) => code)).toEqual(['not-acknowledged']);
  });

  it('hears of changes, and of no others', async () => {
    const { client, peer, clock } = await serveLegacy();
    const told: string[] = [];
    await client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: ['a:/1'] },
      { onListChanged: (list) => told.push(list), onResourceUpdated: (uri) => told.push(uri) },
    );
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    peer.send({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
    peer.send(updated('a:/1'));
    peer.send(updated('a:/2'));
    await clock.advance(100);
    expect(told).toEqual(['tools', 'a:/1']);
  });

  it('shares a resource with others of the client, and gives it up with the last', async () => {
    const { client, peer } = await serveLegacy();
    const first = await client.subscribe({ resourceSubscriptions: ['a:/1'] });
    const second = await client.subscribe({ resourceSubscriptions: ['a:/1'] });
    await first.close();
    await settle();
    expect(subscribes(peer)).toEqual(['subscribe a:/1']);
    await second.close();
    await settle();
    expect(subscribes(peer)).toEqual(['subscribe a:/1', 'unsubscribe a:/1']);
  });

  it('asks nothing of a server that has no subscriptions', async () => {
    const { client, peer } = await serveLegacy({ resources: {} });
    const subscription = await client.subscribe({ resourceSubscriptions: ['a:/1'] });
    expect(subscription.acknowledged).toEqual({});
    expect(subscribes(peer)).toEqual([]);
  });
});

describe('a resource of a legacy server that is given up', () => {
  const last = ({ written }: ScriptedPeer, method: string): Written | undefined =>
    written.findLast((message) => message.method === method);

  it('is asked for again when the server has answered that', async () => {
    const { client, peer } = await serveLegacy(capabilities, [], (method) => method === 'resources/unsubscribe');
    const first = await client.subscribe({ resourceSubscriptions: ['a:/1'] });
    const closing = first.close();
    await settle();
    const second = client.subscribe({ resourceSubscriptions: ['a:/1', 'a:/2'] });
    await settle();
    expect(subscribes(peer)).toEqual(['subscribe a:/1', 'unsubscribe a:/1', 'subscribe a:/2']);
    peer.answer(last(peer, 'resources/unsubscribe')?.id, {});
    await closing;
    expect((await second).acknowledged).toEqual({ resourceSubscriptions: ['a:/1', 'a:/2'] });
    expect(subscribes(peer).at(-1)).toBe('subscribe a:/1');
  });

  it('holds nobody up for longer than two seconds', async () => {
    const { client, peer, clock } = await serveLegacy(capabilities, [], (method) => method === 'resources/unsubscribe');
    const first = await client.subscribe({ resourceSubscriptions: ['a:/1'] });
    const closing = first.close();
    const second = client.subscribe({ resourceSubscriptions: ['a:/1'] });
    await clock.advance(2000);
    await closing;
    expect((await second).acknowledged).toEqual({ resourceSubscriptions: ['a:/1'] });
    expect(subscribes(peer)).toEqual(['subscribe a:/1', 'unsubscribe a:/1', 'subscribe a:/1']);
  });

  it('while it is asked for is given up with what has not been asked for yet', async () => {
    const { client, peer, clock } = await serveLegacy(capabilities, [], (method) => method === 'resources/subscribe');
    const giving = new AbortController();
    const uris = Array.from({ length: 20 }, (_, at) => `a:/${at}`);
    const opening = client.subscribe({ resourceSubscriptions: uris }, { signal: giving.signal });
    const outcome = failure(opening);
    await settle();
    giving.abort();
    await settle();
    for (const { id, method } of peer.written) if (method === 'resources/subscribe') peer.answer(id, {});
    await clock.advance(5000);
    expect((await outcome).code).toBe('aborted');
    const asked = uris.slice(0, 4);
    expect(subscribes(peer)).toEqual([
      ...asked.map((uri) => `subscribe ${uri}`),
      ...asked.map((uri) => `unsubscribe ${uri}`),
    ]);
  });
});

describe('a legacy server that dropped its session', () => {
  it('is asked for everything again when it was greeted anew, and what was missed is told', async () => {
    const subscribed: string[] = [];
    let session = 0;
    const isDropped = () => session === 1 && subscribed.length === 1;
    await using server = await startHttpServer((request, response) => {
      const { id, method, params } = request.message;
      if (method === 'initialize') {
        session += 1;
        const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'old', version: '1' } };
        sendJson(response, { jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': `s${session}` });
      } else if (method === 'server/discover') sendError(response, request, 404, -32601);
      else if (id === undefined) response.writeHead(202).end();
      else if (request.headers['mcp-session-id'] === 's1' && isDropped()) response.writeHead(404).end();
      else {
        if (method === 'resources/subscribe') subscribed.push(`${String(params?.['uri'])} in s${session}`);
        sendJson(response, { jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools: [] } : {} });
      }
    });
    const clock = createManualClock();
    const client = closeAfterwards(
      await connect(server.url, { name: 'depot', clock, onWarning: (warning) => warnings.push(warning) }),
    );
    const updates: string[] = [];
    const subscription = await client.subscribe(
      { resourceSubscriptions: ['a:/1'] },
      { onResourceUpdated: (uri) => updates.push(uri) },
    );
    await client.listTools();
    await expect.poll(() => subscription.state).toBe('returning');
    await clock.advance(1000);
    await expect.poll(() => subscribed).toEqual(['a:/1 in s1', 'a:/1 in s2']);
    await expect.poll(() => updates).toEqual(['a:/1']);
  });
});
