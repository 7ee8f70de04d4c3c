import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { connect, type Transport } from '../src/index.ts';
import { failure } from './expect-failure.ts';
import { settle } from './manual-clock.ts';
import { createScriptedPeer } from './scripted-peer.ts';
import { cancellations, lastId, serve, warnings } from './serve-scripted.ts';

describe('an abort', () => {
  it('[CAN-01] [cancel-02] rejects at once with its reason as cause, tells the server, and the late answer is ignored [CAN-11]', async () => {
    const { client, peer } = await serve();
    const controller = new AbortController();
    const call = failure(client.callTool('x', {}, { signal: controller.signal }));
    await settle();
    const id = lastId(peer);
    controller.abort('enough');
    expect(await call).toMatchObject({ code: 'aborted', server: 'depot', cause: 'enough' });
    expect(cancellations(peer)).toMatchObject([{ params: { requestId: id, reason: 'aborted' } }]);
    peer.answer(id, { content: [] });
    expect(warnings).toEqual([]);
  });

  it('before the call sends nothing', async () => {
    const { client, peer } = await serve();
    const error = await failure(client.callTool('x', {}, { signal: AbortSignal.abort() }));
    expect(error.code).toBe('aborted');
    expect(peer.written).toHaveLength(1);
  });

  it('[CAN-07] [CAN-12] after the answer changes nothing', async () => {
    const { client, peer } = await serve();
    const controller = new AbortController();
    const call = client.callTool('x', {}, { signal: controller.signal });
    await settle();
    peer.answer(lastId(peer), { content: [] });
    await call;
    controller.abort();
    await settle();
    expect(cancellations(peer)).toEqual([]);
  });

  it('ends a list between two pages', async () => {
    const { client, peer } = await serve();
    const controller = new AbortController();
    const call = failure(client.listTools({ signal: controller.signal }));
    await settle();
    peer.answer(lastId(peer), { tools: [], nextCursor: 'c' });
    await settle();
    controller.abort();
    expect((await call).code).toBe('aborted');
  });

  it('leaves nothing behind at a signal that outlives many calls', async () => {
    const { client, peer } = await serve();
    const { signal } = new AbortController();
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 20 }, () => client.callTool('x', {}, { signal }));
      await settle();
      expect(getEventListeners(signal, 'abort')).toHaveLength(20);
      for (const { id, method } of peer.written.slice(-20))
        if (method === 'tools/call') peer.answer(id, { content: [] });
      await Promise.all(calls);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('gives up connecting', async () => {
    const peer = createScriptedPeer(() => true);
    const controller = new AbortController();
    const opening = failure(connect(peer.transport, { name: 'depot', signal: controller.signal }));
    await settle();
    controller.abort();
    expect((await opening).code).toBe('aborted');
    expect((await failure(connect(peer.transport, { signal: AbortSignal.abort() }))).code).toBe('aborted');
    expect(peer.opened).toBe(1);
  });

  it('closes a connection that opens after connecting was given up', async () => {
    const peer = createScriptedPeer(() => true);
    const opening = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const transport: Transport = {
      name: 'late',
      async open(options) {
        await opening.promise;
        const connection = await peer.transport.open(options);
        void connection.closed.then(() => closed.resolve());
        return connection;
      },
    };
    const controller = new AbortController();
    const connecting = failure(connect(transport, { signal: controller.signal }));
    await settle();
    controller.abort();
    expect((await connecting).code).toBe('aborted');
    opening.resolve();
    await closed.promise;
    expect(peer.written).toEqual([]);
  });
});
