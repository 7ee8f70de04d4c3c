import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';

import { headersOf, openNodeRoute, postOf } from '../http-route.ts';
import { openStdio } from '../stdio-route.ts';
import { type Received, requestOf } from '../wire.ts';
import { allChanges, createListened, listenHttp, openHttp, subscriptionId } from './listen-http.ts';

/** The id of the subscription that a notification belongs to. */
function idOf(params: Received['params']): unknown {
  return (params?.['_meta'] as { readonly [key: string]: unknown } | undefined)?.[subscriptionId];
}

describe('subscriptions/listen', () => {
  it('[SUB-03] [SUB-04] [SUB-06] [SUB-08] acknowledges first, with the agreed subset, under the id of the request', async () => {
    const url = await openHttp(createListened());
    const subscription = await listenHttp(url, { promptsListChanged: true, toolsListChanged: true }, 'w7');
    expect(await subscription.seen(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: { [subscriptionId]: 'w7' } },
      },
    ]);
  });

  it('[SUB-15] [SUB-16] [SUB-17] [SUB-18] tells of each change that was asked for, under a numeric id too', async () => {
    const server = createListened().prompt('p', {}, () => 'p');
    const subscription = await listenHttp(await openHttp(server), allChanges, 7);
    await subscription.seen(1);
    server.tool('new', {}, () => '');
    server.prompt('new', {}, () => '');
    server.removeResource('test://r');
    server.resourceUpdated('test://r');
    const [, ...told] = await subscription.seen(5);
    expect(told.map(({ method, params }) => [method, params])).toEqual([
      ['notifications/resources/updated', { uri: 'test://r', _meta: { [subscriptionId]: 7 } }],
      ['notifications/tools/list_changed', { _meta: { [subscriptionId]: 7 } }],
      ['notifications/prompts/list_changed', { _meta: { [subscriptionId]: 7 } }],
      ['notifications/resources/list_changed', { _meta: { [subscriptionId]: 7 } }],
    ]);
  });

  it('[SUB-02] [SUB-18] tells of nothing else', async () => {
    const server = createListened();
    const subscription = await listenHttp(await openHttp(server), {
      resourceSubscriptions: ['test://r', 'test://dir'],
    });
    await subscription.seen(1);
    server.tool('new', {}, () => '');
    await Promise.resolve();
    for (const uri of ['test://other', 'test://r2', 'test://dir/below', 'test://r']) server.resourceUpdated(uri);
    const told = (await subscription.seen(3)).slice(1).map(({ params }) => params?.['uri']);
    expect(told).toEqual(['test://dir/below', 'test://r']);
  });

  it('tells once of a thing that changes often in one go, and ends nobody who reads', async () => {
    const server = createListened();
    const subscription = await listenHttp(await openHttp(server), allChanges);
    await subscription.seen(1);
    for (let change = 0; change < 20_000; change += 1) server.resourceUpdated('test://r');
    await subscription.seen(2);
    server.resourceUpdated('test://r');
    const messages = await subscription.seen(3);
    expect(messages.slice(1).map(({ method }) => method)).toEqual([1, 2].map(() => 'notifications/resources/updated'));
  });

  it('tells once of what changes in one go, and not at all when nothing did', async () => {
    const server = createListened();
    const subscription = await listenHttp(await openHttp(server), allChanges);
    await subscription.seen(1);
    server.removeTool('t');
    server.tool('t', {}, () => 'other').tool('u', {}, () => '');
    expect(server.removeTool('absent')).toBe(false);
    await Promise.resolve();
    server.resourceUpdated('test://r');
    const told = (await subscription.seen(3)).map(({ method }) => method);
    expect(told.slice(1)).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
  });

  it.each([
    [undefined, 'notifications'],
    [[], 'notifications'],
    [{ toolsListChanged: 'yes' }, 'toolsListChanged'],
    [{ resourceSubscriptions: 'test://r' }, 'resourceSubscriptions'],
    [{ resourceSubscriptions: Array.from({ length: 1001 }, (_, index) => `test://r${index}`) }, '1000'],
  ])('answers -32602 to a filter that is none, without a stream: %#', async (notifications, named) => {
    const route = await openNodeRoute(createListened());
    const answer = await route.call(postOf(requestOf('subscriptions/listen', { notifications })));
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(named) as string },
    });
  });

  it('refuses a request that is longer than may be held for thousands of them', async () => {
    const { url } = await openNodeRoute(createListened());
    const message = requestOf('subscriptions/listen', { notifications: allChanges, more: 'x'.repeat(128 * 1024) });
    const response = await fetch(url, { method: 'POST', headers: headersOf(message), body: JSON.stringify(message) });
    expect(await response.json()).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('131072') as string },
    });
  });

  it('refuses a client that takes no event stream', async () => {
    const route = await openNodeRoute(createListened());
    const message = requestOf('subscriptions/listen', { notifications: allChanges });
    const answer = await route.call(postOf(message, { accept: 'application/json' }));
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([406, -32600]);
  });

  it('[SUB-11] answers with the id of the subscription when the server closes', async () => {
    const running = await serveHttp(createListened(), { port: 0 });
    onTestFinished(() => running.close());
    const subscription = await listenHttp(new URL(running.url), allChanges, 'w1');
    await subscription.seen(1);
    const started = performance.now();
    await running.close({ graceMs: 5_000 });
    await subscription.ended();
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(subscription.messages.at(-1)).toMatchObject({
      id: 'w1',
      result: { resultType: 'complete', _meta: { [subscriptionId]: 'w1' } },
    });
  });

  it('stops telling whoever closed the stream', async () => {
    const logged: string[] = [];
    const logger = {
      info: (fields: object) => void logged.push((fields as { method: string }).method),
      warn: () => undefined,
      error: () => undefined,
    };
    const server = createListened({ logger });
    const subscription = await listenHttp(await openHttp(server), allChanges);
    await subscription.seen(1);
    subscription.cancel();
    await expect.poll(() => logged).toContain('subscriptions/listen');
    server.tool('new', {}, () => '');
    await Promise.resolve();
    expect(subscription.messages).toHaveLength(1);
  });

  it('[SUB-05] [SUB-08] keeps several apart over stdio by their ids, and ends one that is cancelled', async () => {
    const server = createListened();
    const route = await openStdio(server);
    route.send(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 4 }));
    route.send(requestOf('subscriptions/listen', { notifications: allChanges }, { id: '4' }));
    const isAck =
      (id: string | number) =>
      ({ method, params }: Received) =>
        method === 'notifications/subscriptions/acknowledged' && idOf(params) === id;
    await route.seen(isAck(4));
    await route.seen(isAck('4'));
    server.tool('new', {}, () => '');
    await route.seen(({ method }) => method === 'notifications/tools/list_changed');
    route.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } });
    route.send(requestOf('tools/list', {}, { id: 5 }));
    await route.seen(({ id }) => id === 5);
    server.tool('newer', {}, () => '');
    server.resourceUpdated('test://r');
    await route.seen(({ method }) => method === 'notifications/resources/updated');
    const told = route.messages().filter(({ method }) => method === 'notifications/tools/list_changed');
    expect(told.map(({ params }) => idOf(params))).toEqual([4, '4', '4']);
    expect(route.messages().filter(({ id }) => id === 4)).toEqual([]);
    await route.end();
  });

  it('[SUB-19] [PROG-11] carries no progress and no log message of other requests', async () => {
    const server = createListened().tool('loud', {}, (_args, ctx) => {
      ctx.progress(1, 2);
      ctx.log('emergency', 'loud');
      return '';
    });
    const route = await openNodeRoute(server);
    const subscription = await listenHttp(route.url, allChanges);
    await subscription.seen(1);
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
    const message = requestOf('tools/call', { name: 'loud', arguments: {} });
    await route.call(
      postOf({ ...message, params: { ...message.params, _meta: { ...(message.params['_meta'] as object), ...meta } } }),
    );
    server.resourceUpdated('test://r');
    const told = (await subscription.seen(2)).map(({ method }) => method);
    expect(told).toEqual(['notifications/subscriptions/acknowledged', 'notifications/resources/updated']);
  });

  it('[DISC-05] is advertised by the families that have it', async () => {
    const response = await openNodeRoute(createListened());
    const { text } = await response.call(postOf(requestOf('server/discover')));
    expect(JSON.parse(text)).toMatchObject({
      result: { capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } } },
    });
  });
});
