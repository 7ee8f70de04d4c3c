import { describe, expect, it } from 'vitest';
import type { FormAsk } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { watch } from '../serve-scripted.ts';
import { asks, done, form, goesOn, page, question, responsesOf, said, serveAsking } from './asking-peer.ts';

const berth = form({ berth: { type: 'integer' } });
const accept = (content: { readonly [name: string]: number }) =>
  Promise.resolve({ action: 'accept', content } as const);

describe('a request that asks', () => {
  it('[MRTR-23] is sent again when all that was asked for is there, in parallel, as bare answers', async () => {
    const order: string[] = [];
    const released = Promise.withResolvers<void>();
    const { client, requests, ...rest } = await serveAsking(
      (_message, round) =>
        round > 1
          ? done
          : asks({ a: berth, b: page('https://pay.example/x'), c: question(), d: { method: 'roots/list' } }, 's1'),
      {
        async elicitForm() {
          order.push('form');
          await released.promise;
          return { action: 'accept', content: { berth: 3 } };
        },
        elicitUrl() {
          order.push('url');
          return Promise.resolve({ action: 'decline' });
        },
        sample() {
          order.push('sample');
          return Promise.resolve({ ...said('Yes'), id: 7, jsonrpc: '2.0', resultType: 'complete' });
        },
        roots: [{ uri: 'file:///srv/a', name: 'a' }],
      },
    );
    const call = client.callTool('moor', { ship: 'Ada' });
    await settle();
    expect([order.toSorted(), requests().length]).toEqual([['form', 'sample', 'url'], 1]);
    released.resolve();
    expect(await call).toEqual(done);
    expect(responsesOf({ client, requests, ...rest }, 1)).toEqual({
      a: { action: 'accept', content: { berth: 3 } },
      b: { action: 'decline' },
      c: { role: 'assistant', content: { type: 'text', text: 'Yes' }, model: 'tiny', stopReason: 'endTurn' },
      d: { roots: [{ uri: 'file:///srv/a', name: 'a' }] },
    });
  });

  it('[MRTR-28] [MRTR-30] [TOOL-44] repeats method, name, arguments and metadata under a new id, with answers and state', async () => {
    const { client, requests } = await serveAsking(
      (_message, round) => (round > 1 ? done : asks({ a: berth }, 'state')),
      { elicitForm: () => accept({ berth: 1 }) },
    );
    await client.callTool('moor', { ship: 'Ada' }, { meta: { 'example.com/trace': 'x' }, logLevel: 'info' });
    const [first, second] = requests();
    expect(second?.id).not.toBe(first?.id);
    expect(second).toEqual({
      ...first,
      id: second?.id,
      params: {
        ...first?.params,
        inputResponses: { a: { action: 'accept', content: { berth: 1 } } },
        requestState: 'state',
      },
    });
  });

  it.each(['resources/read', 'prompts/get'] as const)('[MRTR-30] may be %s', async (method) => {
    const result =
      method === 'prompts/get' ? { resultType: 'complete', messages: [] } : { resultType: 'complete', contents: [] };
    const { client, requests } = await serveAsking((_message, round) => (round > 1 ? result : asks({ a: berth })), {
      elicitForm: () => accept({ berth: 1 }),
    });
    await (method === 'prompts/get' ? client.getPrompt('x', { a: 'b' }) : client.readResource('x://a'));
    const [first, second] = requests();
    expect(second).toMatchObject({ method, params: { ...first?.params, inputResponses: { a: {} } } });
  });

  it('[MRTR-24] [MRTR-27] with a state alone is followed at once, and the state goes when the next result has none', async () => {
    const results = [goesOn('one'), goesOn('two'), asks({ a: berth }), asks({ b: berth }, 'four'), done];
    const { client, requests } = await serveAsking((_message, round) => results[round - 1], {
      elicitForm: () => accept({ berth: 1 }),
    });
    await client.callTool('moor');
    expect(
      requests().map(({ params }) => [params?.['requestState'], Object.keys(params?.['inputResponses'] ?? {})]),
    ).toEqual([
      [undefined, []],
      ['one', []],
      ['two', []],
      [undefined, ['a']],
      ['four', ['b']],
    ]);
    expect(Object.keys(requests()[3]?.params ?? {})).not.toContain('requestState');
  });

  it.each([
    'eyJhIjoxfQ==',
    '{"a": 1,\n "b":"é"}',
    ' lead and trail ',
    'x'.repeat(20_000),
    '%7B%7D',
    '',
    '\u0000\u2028\ud83d\ude00',
    '\ud800',
  ])('[MRTR-25] [MRTR-26] [mrtr-02] gets its state back as it came (%#)', async (state) => {
    const { client, requests } = await serveAsking((_message, round) => (round > 1 ? done : goesOn(state)));
    await client.callTool('moor');
    expect(requests().map(({ params }) => params?.['requestState'])).toEqual([undefined, state]);
  });

  it('[MSG-40] [MRTR-29] [mrtr-02] shares neither state nor answers with another that runs beside it', async () => {
    const { client, requests } = await serveAsking(
      ({ params }) =>
        params?.['requestState'] === undefined && params?.['name'] !== 'plain'
          ? asks({ [`key-${String(params?.['name'])}`]: berth }, `state of ${String(params?.['name'])}`)
          : done,
      { elicitForm: ({ interrupts }) => accept({ berth: interrupts?.name === 'a' ? 1 : 2 }) },
    );
    await Promise.all([client.callTool('a'), client.callTool('plain'), client.callTool('b'), client.callTool('plain')]);
    const carried = requests().map(({ params }) => [
      params?.['name'],
      params?.['requestState'],
      params?.['inputResponses'],
    ]);
    expect(carried.filter(([name]) => name === 'plain')).toEqual([
      ['plain', undefined, undefined],
      ['plain', undefined, undefined],
    ]);
    expect(carried).toContainEqual(['a', 'state of a', { 'key-a': { action: 'accept', content: { berth: 1 } } }]);
    expect(carried).toContainEqual(['b', 'state of b', { 'key-b': { action: 'accept', content: { berth: 2 } } }]);
    expect(carried).toHaveLength(6);
  });

  it.each([
    ['a question', asks({ a: berth }), 17],
    ['a state', goesOn('again'), 17],
  ])('[SAM-21] [MRTR-31] with %s each time is given up after 16 rounds', async (_name, result, sent) => {
    const { client, requests } = await serveAsking(() => result, { elicitForm: () => accept({ berth: 1 }) });
    expect(await failure(client.callTool('moor'))).toMatchObject({ code: 'too-many-rounds', server: 'depot' });
    expect(requests()).toHaveLength(sent);
  });

  it('[MRTR-31] has the bound that the caller gives', async () => {
    const { client, requests } = await serveAsking(() => goesOn('again'), { maxRounds: 2 });
    expect((await failure(client.callTool('moor'))).code).toBe('too-many-rounds');
    expect(requests()).toHaveLength(3);
  });

  it.each([
    ['nothing', { resultType: 'input_required' }],
    ['no questions and no state', asks({})],
    ['a null state', { resultType: 'input_required', requestState: null }],
    ['a state that is no text', { resultType: 'input_required', requestState: 5 }],
    ['a method that there is not', asks({ a: { method: 'tools/list' } })],
    ['questions in an array', { resultType: 'input_required', inputRequests: [berth] }],
    ['101 questions', asks(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`q${index}`, berth])))],
  ])('and asks for %s breaks the protocol, and nobody is asked', async (_name, result) => {
    let asked = 0;
    const { client, requests } = await serveAsking(() => result, {
      elicitForm() {
        asked += 1;
        return accept({ berth: 1 });
      },
    });
    expect(await failure(client.callTool('moor'))).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect([asked, requests().length]).toEqual([0, 1]);
  });

  it('gives a handler what it interrupts, which nobody can change', async () => {
    const seen: FormAsk[] = [];
    const { client } = await serveAsking((_message, round) => (round > 2 ? done : asks({ where: berth })), {
      elicitForm(ask) {
        seen.push(ask);
        return accept({ berth: 1 });
      },
      trust: 'reviewed',
    });
    const args = { ship: { name: 'Ada' } };
    await client.callTool('moor', args);
    expect(seen.map(({ round }) => round)).toEqual([1, 2]);
    expect(seen[0]).toMatchObject({
      server: 'depot',
      trust: 'reviewed',
      revision: '2026-07-28',
      key: 'where',
      interrupts: { method: 'tools/call', name: 'moor', arguments: args },
    });
    expect(() => Object.assign(seen[0]?.interrupts?.arguments?.['ship'] as object, { name: 'Eve' })).toThrow(TypeError);
    expect(args).toEqual({ ship: { name: 'Ada' } });
  });
});

describe('time', () => {
  it('stands still for a call while somebody thinks, and goes on where it stood', async () => {
    const answer = Promise.withResolvers<void>();
    const { client, clock, requests, peer } = await serveAsking(
      (_message, round) => (round > 1 ? undefined : asks({ a: berth })),
      {
        elicitForm: async () => {
          await answer.promise;
          return { action: 'accept', content: { berth: 1 } };
        },
      },
    );
    const call = watch(client.callTool('moor', {}, { timeoutMs: 100, maxTimeoutMs: 150 }));
    await clock.advance(60_000);
    expect(call.outcome).toBeUndefined();
    answer.resolve();
    await settle();
    expect(requests()).toHaveLength(2);
    await clock.advance(99);
    expect(call.outcome).toBeUndefined();
    await clock.advance(1);
    expect(call.outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('100 ms') });
    expect(peer.written.at(-1)?.method).toBe('notifications/cancelled');
  });

  it('is up for a handler after ten minutes, whose signal aborts', async () => {
    const seen: AbortSignal[] = [];
    const { client, clock, requests } = await serveAsking(() => asks({ a: berth }), {
      elicitForm: ({ signal }) => {
        seen.push(signal);
        return new Promise(() => undefined);
      },
    });
    const call = watch(client.callTool('moor'));
    await clock.advance(599_999);
    expect(call.outcome).toBeUndefined();
    await clock.advance(1);
    expect(call.outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('input.timeoutMs') });
    expect([seen[0]?.aborted, requests().length]).toEqual([true, 1]);
  });

  it('is up for a call that the caller gives up: the handlers are told, and nothing is sent', async () => {
    const giveUp = new AbortController();
    const seen: AbortSignal[] = [];
    const { client, requests } = await serveAsking(() => asks({ a: berth }), {
      elicitForm: ({ signal }) => {
        seen.push(signal);
        return new Promise(() => undefined);
      },
    });
    const call = failure(client.callTool('moor', {}, { signal: giveUp.signal }));
    await settle();
    giveUp.abort();
    expect((await call).code).toBe('aborted');
    expect([seen[0]?.aborted, requests().length]).toEqual([true, 1]);
  });

  it('lets eight handlers work at a time, and the others wait for their turn', async () => {
    const waiting: (() => void)[] = [];
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`q${index}`, berth]));
    const { client, requests } = await serveAsking((_message, round) => (round > 1 ? done : asks(many)), {
      elicitForm: () =>
        new Promise((resolve) => {
          waiting.push(() => resolve({ action: 'accept', content: { berth: 1 } }));
        }),
    });
    const call = client.callTool('moor');
    await settle();
    expect(waiting).toHaveLength(8);
    for (const open of waiting.splice(0)) open();
    await settle();
    expect(waiting).toHaveLength(8);
    for (const open of waiting.splice(0)) open();
    await settle();
    expect(waiting).toHaveLength(4);
    for (const open of waiting.splice(0)) open();
    await call;
    expect(Object.keys(requests()[1]?.params?.['inputResponses'] ?? {})).toHaveLength(20);
  });
});

describe('a handler that fails', () => {
  it('ends the call with its cause, tells the other handlers, and nothing is sent', async () => {
    const seen: AbortSignal[] = [];
    const { client, requests } = await serveAsking(() => asks({ a: berth, b: question() }), {
      elicitForm: () => Promise.reject(new Error('no terminal')),
      sample: ({ signal }) => {
        seen.push(signal);
        return new Promise(() => undefined);
      },
    });
    const error = await failure(client.callTool('moor'));
    expect(error).toMatchObject({ code: 'input-refused', message: expect.stringContaining('no terminal') });
    expect(error.cause).toMatchObject({ message: 'no terminal' });
    expect([seen[0]?.aborted, requests().length]).toEqual([true, 1]);
  });

  it.each([
    ['a form', { a: berth }, 'elicitForm'],
    ['a page', { a: page('https://a.example') }, 'elicitUrl'],
    ['a model', { a: question() }, 'sample'],
    ['roots', { a: { method: 'roots/list' } }, 'roots'],
  ])('or is not there for %s is named', async (_name, inputRequests, handler) => {
    const { client, requests } = await serveAsking(() => asks(inputRequests));
    const error = await failure(client.callTool('moor'));
    expect(error).toMatchObject({
      code: 'unexpected-input-required',
      message: expect.stringContaining(`input.${handler}`),
    });
    expect(requests()).toHaveLength(1);
  });

  it.each(['maxRounds', 'maxConcurrent', 'maxSamplesPerMinute', 'timeoutMs'] as const)(
    'is no matter of %s of 0, which is refused when connecting',
    async (name) => {
      const error = await failure(serveAsking(() => done, { [name]: 0 }));
      expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(`input.${name}`) });
    },
  );
});
