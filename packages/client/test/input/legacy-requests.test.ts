import { describe, expect, it } from 'vitest';
import type { FormAsk, InputHandlers, UrlAsk } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { cancellations, lastId, watch } from '../serve-scripted.ts';
import { answersIn, form, page, question, said, serveLegacy, warnings } from './asking-peer.ts';

const berth = form({ berth: { type: 'integer' } }, { required: ['berth'] });
const handlers: InputHandlers = {
  elicitForm: () => Promise.resolve({ action: 'accept', content: { berth: 3 } }),
  elicitUrl: () => Promise.resolve({ action: 'accept' }),
  sample: () => Promise.resolve(said('Yes')),
  roots: [{ uri: 'file:///srv/a' }],
};
const ask = (id: number | string, request: object): object => ({ jsonrpc: '2.0', id, ...request });

describe('a request of a legacy server', () => {
  it('[LEGC-12] is answered by the same handlers, under its id', async () => {
    const { peer } = await serveLegacy(handlers);
    peer.send(ask(1, berth));
    peer.send(ask('2', page('https://a.example', { elicitationId: 'e1' })));
    peer.send(ask(3, question()));
    peer.send(ask(4, { method: 'roots/list' }));
    peer.send(ask(5, { method: 'ping' }));
    await settle();
    expect(answersIn(peer).toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
      { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { berth: 3 } } },
      { jsonrpc: '2.0', id: '2', result: { action: 'accept' } },
      { jsonrpc: '2.0', id: 3, result: said('Yes') },
      { jsonrpc: '2.0', id: 4, result: { roots: [{ uri: 'file:///srv/a' }] } },
      { jsonrpc: '2.0', id: 5, result: {} },
    ]);
  });

  it('[LEGC-14] finds its capabilities in initialize, with the news of changed roots', async () => {
    const { peer } = await serveLegacy(handlers);
    expect(peer.written.find(({ method }) => method === 'initialize')?.params?.['capabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: { listChanged: true },
    });
  });

  it.each<[string, InputHandlers, object, number]>([
    ['a method that there is not', handlers, { method: 'tools/list' }, -32601],
    ['forms without a handler', {}, berth, -32601],
    [
      'pages where only forms are served',
      { elicitForm: handlers.elicitForm as never },
      page('https://a.example'),
      -32602,
    ],
    ['forms where only pages are served', { elicitUrl: handlers.elicitUrl as never }, berth, -32602],
    ['a model without a handler', {}, question(), -32601],
    ['roots without a handler', {}, { method: 'roots/list' }, -32601],
    ['a form that is none', handlers, form({ a: { type: 'object' } }), -32602],
    ['tools that were not declared', handlers, question({ tools: [{ name: 'x' }] }), -32602],
    ['params that are missing', handlers, { method: 'sampling/createMessage' }, -32602],
    ['a model that the user refuses', { sample: () => Promise.resolve({ action: 'decline' }) }, question(), -1],
    ['a handler that fails', { sample: () => Promise.reject(new Error('secret path')) }, question(), -32603],
    ['an answer that is none', { sample: () => Promise.resolve({} as never) }, question(), -32603],
  ])(
    '[MSG-16] [MSG-21] [LEGC-12] gets an error that says nothing of this side: %s',
    async (_name, input, request, code) => {
      const { peer } = await serveLegacy(input);
      peer.send(ask(1, request));
      await settle();
      expect(answersIn(peer)).toMatchObject([{ id: 1, error: { code } }]);
      expect(JSON.stringify(answersIn(peer))).not.toContain('secret path');
      expect(warnings.map((warning) => warning.code)).toEqual(code === -32601 ? [] : ['input-failed']);
    },
  );

  it('gets a form for secrets declined', async () => {
    const { peer } = await serveLegacy(handlers);
    peer.send(ask(1, form({ password: { type: 'string' } })));
    await settle();
    expect(answersIn(peer)).toMatchObject([{ id: 1, result: { action: 'decline' } }]);
  });

  it('[CAN-10] [LEGB-01] that is taken back aborts its handler and gets no answer, and another goes on', async () => {
    const signals: AbortSignal[] = [];
    const { peer } = await serveLegacy({
      ...handlers,
      elicitForm: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    peer.send(ask(1, berth));
    peer.send(ask(2, berth));
    await settle();
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } });
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(answersIn(peer)).toEqual([]);
  });

  it('aborts its handler when the client is closed', async () => {
    const signals: AbortSignal[] = [];
    const { peer, client } = await serveLegacy({
      elicitForm: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    peer.send(ask(1, berth));
    await settle();
    await client.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('lets the time of all running calls stand still, as it does not say which it belongs to', async () => {
    const answer = Promise.withResolvers<void>();
    const seen: FormAsk[] = [];
    const { peer, client, clock } = await serveLegacy({
      elicitForm: async (shown) => {
        seen.push(shown);
        await answer.promise;
        return { action: 'accept', content: { berth: 1 } };
      },
    });
    const call = watch(client.callTool('moor', {}, { timeoutMs: 1000 }));
    await settle();
    peer.send(ask(1, berth));
    await clock.advance(60_000);
    expect(call.outcome).toBeUndefined();
    expect(seen).toMatchObject([{ interrupts: undefined, round: 1, revision: '2025-11-25' }]);
    answer.resolve();
    await settle();
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
  });

  it('keeps no call alive for ever: beyond the rounds its time goes on', async () => {
    const { peer, client, clock } = await serveLegacy({ maxRounds: 2, elicitForm: () => new Promise(() => undefined) });
    const call = watch(client.callTool('moor', {}, { timeoutMs: 1000 }));
    await settle();
    for (const id of [1, 2, 3]) {
      peer.send(ask(id, berth));
      await settle();
      peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      await settle();
    }
    peer.send(ask(4, berth));
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    expect(cancellations(peer)).toHaveLength(1);
  });

  it('gets no answer beyond a hundred that are under way', async () => {
    const { peer } = await serveLegacy({ elicitForm: () => new Promise(() => undefined) });
    for (let id = 1; id <= 105; id += 1) peer.send(ask(id, berth));
    await settle();
    expect(warnings.filter(({ code }) => code === 'unexpected-request')).toHaveLength(5);
  });
});

describe('changed roots', () => {
  it('[LEGC-14] are announced when the caller says so', async () => {
    const { peer, client } = await serveLegacy(handlers);
    await client.rootsChanged();
    expect(peer.written.at(-1)).toEqual({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  });

  it('[LEGC-14] are announced by themselves where they can be watched, until the client is closed', async () => {
    let change: () => void = () => undefined;
    let stopped = 0;
    const { peer, client } = await serveLegacy({
      roots: {
        list: () => [],
        watch(onChange) {
          change = onChange;
          return () => (stopped += 1);
        },
      },
    });
    const told = () => peer.written.filter(({ method }) => method === 'notifications/roots/list_changed').length;
    change();
    await settle();
    expect(told()).toBe(1);
    await client.close();
    change();
    await settle();
    expect([told(), stopped]).toEqual([1, 1]);
  });
});

describe('a page that a legacy server requires first', () => {
  const required = (id: number, elicitations: unknown): object => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32042, message: 'Link first', data: { elicitations } },
  });
  const link = { mode: 'url', elicitationId: 'e1', url: 'https://a.example/link', message: 'Link' };

  it('[LEGC-15] is asked of the user, and the request sent again under a new id when he has been there', async () => {
    const seen: UrlAsk[] = [];
    const { peer, client, requests } = await serveLegacy({
      elicitUrl: async (shown) => {
        seen.push(shown);
        await shown.completed;
        return { action: 'accept' };
      },
    });
    const call = client.callTool('pay', { sum: 5 });
    await settle();
    peer.send(required(lastId(peer), [link]));
    await settle();
    expect(seen).toMatchObject([
      { host: 'a.example', interrupts: { method: 'tools/call', name: 'pay', arguments: { sum: 5 } } },
    ]);
    for (const elicitationId of ['unknown', undefined, 5]) {
      peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    }
    await settle();
    expect(requests()).toHaveLength(1);
    peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
    await settle();
    const [first, second] = requests();
    expect(second).toEqual({ ...first, id: second?.id });
    expect(second?.id).not.toBe(first?.id);
    peer.answer(second?.id, { content: [] });
    expect(await call).toMatchObject({ content: [] });
    peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
  });

  it('[LEGC-15] ends the call when the user declines, and nothing is sent again', async () => {
    const { peer, client, requests } = await serveLegacy({ elicitUrl: () => Promise.resolve({ action: 'decline' }) });
    const call = failure(client.callTool('pay'));
    await settle();
    peer.send(required(lastId(peer), [link]));
    const error = await call;
    expect(error).toMatchObject({ code: 'input-refused', cause: { code: -32042 } });
    expect(requests()).toHaveLength(1);
  });

  it('[LEGC-15] again and again is given up', async () => {
    const { peer, client, requests } = await serveLegacy({ ...handlers, maxRounds: 3 });
    const call = watch(client.callTool('pay'));
    for (let round = 0; round < 5; round += 1) {
      await settle();
      if (requests().length > round) peer.send(required(lastId(peer), [link]));
    }
    await settle();
    expect(call.outcome).toMatchObject({ code: 'too-many-rounds' });
    expect(requests()).toHaveLength(4);
  });

  it.each([undefined, [], 'x', [5]])('[LEGC-15] that is %j is the error of the server', async (elicitations) => {
    const { peer, client, requests } = await serveLegacy(handlers);
    const call = client.callTool('pay');
    const outcome = watch(call);
    await settle();
    peer.send(required(lastId(peer), elicitations));
    await settle();
    expect(outcome.outcome).toMatchObject({ name: 'ProtocolError', code: -32042 });
    expect(requests()).toHaveLength(1);
  });
});
