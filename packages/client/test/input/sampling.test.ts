import { describe, expect, it } from 'vitest';
import { chooseModel, type ConnectOptions, type InputHandlers, type SampleAsk } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import {
  answersIn,
  asks,
  done,
  question,
  responsesOf,
  said,
  serveAsking,
  serveLegacy,
  warnings,
} from './asking-peer.ts';

type Handler = NonNullable<InputHandlers['sample']>;

async function sample(request: object, handler: Handler, more: InputHandlers = {}, options: ConnectOptions = {}) {
  const seen: SampleAsk[] = [];
  const served = await serveAsking(
    (_message, round) => (round > 1 ? done : asks({ a: request })),
    {
      ...more,
      sample(ask) {
        seen.push(ask);
        return handler(ask);
      },
    },
    options,
  );
  return { ...served, seen, call: () => served.client.callTool('sum'), sent: () => responsesOf(served, 1) };
}

const yes: Handler = () => Promise.resolve(said('Yes'));
const tools = [{ name: 'add', inputSchema: { type: 'object' } }];
const withTools: ConnectOptions = { capabilities: { sampling: { tools: {} } } };
const use = (name: string) => ({ type: 'tool_use', id: 'u1', name, input: {} }) as const;
const result = { type: 'tool_result', toolUseId: 'u1', content: [] };

describe('a question to a model', () => {
  it('[SAM-06] [SAM-09] [SAM-16] [SAM-19] comes to the handler whole, and what the model is asked is for the handler to decide', async () => {
    const params = {
      maxTokens: 5,
      modelPreferences: { hints: [{ name: 'tiny' }] },
      systemPrompt: 'Be brief',
      includeContext: 'none',
      temperature: 0.5,
      stopSequences: ['.'],
      metadata: { x: 1 },
    };
    const { call, seen, sent } = await sample(question(params), yes);
    await call();
    expect(seen).toMatchObject([{ kind: 'sample', server: 'depot', params, interrupts: { name: 'sum' } }]);
    expect(() => Object.assign(seen[0]?.params ?? {}, { maxTokens: 500 })).toThrow(TypeError);
    expect(sent()).toEqual({ a: said('Yes') });
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'Yes'],
    ['no model', { role: 'assistant', content: { type: 'text', text: 'x' } }],
    ['no content', { role: 'assistant', model: 'x' }],
    ['another role', { ...said('x'), role: 'system' }],
    ['content without a type', { ...said('x'), content: { text: 'x' } }],
    ['a stop reason that is no text', { ...said('x'), stopReason: 5 }],
  ])('[SAM-14] [SAM-20] is not answered with %s', async (_name, answer) => {
    const { call, requests } = await sample(question(), () => Promise.resolve(answer as never));
    expect((await failure(call())).code).toBe('invalid-argument');
    expect(requests()).toHaveLength(1);
  });

  it('[SAM-06] is not answered with more than its tokens can hold', async () => {
    const { call, requests } = await sample(question(), () => Promise.resolve(said('x'.repeat(641))));
    expect(await failure(call())).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('maxTokens (5)'),
    });
    expect(requests()).toHaveLength(1);
  });

  it.each(['decline', 'cancel'] as const)(
    '[SAM-15] [SAM-24] is answered with nothing when the user says %s: the call ends and is not sent again',
    async (action) => {
      const { call, requests } = await sample(question(), () => Promise.resolve({ action }));
      expect(await failure(call())).toMatchObject({ code: 'input-refused', server: 'depot' });
      expect(requests()).toHaveLength(1);
    },
  );

  it('[SAM-17] has its answer reviewed before it is sent, and changed, or kept back', async () => {
    const changed = await sample(question(), yes, {
      review: (ask, answer) => {
        expect([ask.kind, answer]).toEqual(['sample', said('Yes')]);
        return Promise.resolve(said('No'));
      },
    });
    await changed.call();
    expect(changed.sent()).toEqual({ a: said('No') });
    const kept = await sample(question(), yes, { review: () => Promise.resolve({ action: 'decline' }) });
    expect((await failure(kept.call())).code).toBe('input-refused');
    expect(kept.requests()).toHaveLength(1);
  });

  it('[SAM-21] [SAM-18] is refused beyond 60 within a minute, and taken again later', async () => {
    const { client, clock } = await serveAsking(
      ({ params }) => (params?.['inputResponses'] === undefined ? asks({ a: question() }) : done),
      { sample: yes },
    );
    for (let count = 0; count < 60; count += 1) await client.callTool('sum');
    expect(await failure(client.callTool('sum'))).toMatchObject({
      code: 'input-refused',
      message: expect.stringContaining('maxSamplesPerMinute'),
    });
    await clock.advance(60_000);
    await client.callTool('sum');
  });

  it.each([
    ['tools that were not declared', { tools }, {}],
    ['a tool choice that was not declared', { toolChoice: { mode: 'auto' } }, {}],
    ['a tool required of none', { toolChoice: { mode: 'required' } }, withTools],
    ['no tokens', { maxTokens: 0 }, {}],
    ['no message', { messages: undefined }, {}],
    [
      'a result beside other content',
      {
        messages: [
          { role: 'assistant', content: use('add') },
          { role: 'user', content: [result, { type: 'text', text: 'x' }] },
        ],
      },
      withTools,
    ],
    ['a result without a call', { messages: [{ role: 'user', content: [result] }] }, withTools],
    [
      'a call without its result',
      {
        messages: [
          { role: 'assistant', content: [use('add')] },
          { role: 'user', content: { type: 'text', text: 'x' } },
        ],
      },
      withTools,
    ],
  ])('[SAM-03] [SAM-20] with %s breaks the protocol, and nobody is asked', async (_name, params, options) => {
    const { call, seen, requests } = await sample(question(params), yes, {}, options);
    expect(await failure(call())).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect([seen, requests().length]).toEqual([[], 1]);
  });

  it('[SAM-23] keeps the metadata of blocks, in the question and in the answer', async () => {
    const messages = [
      { role: 'assistant', content: [{ ...use('add'), _meta: { cache: 1 } }] },
      { role: 'user', content: [{ ...result, _meta: { cache: 2 } }] },
    ];
    const answer = { ...said('x'), content: [{ ...use('add'), _meta: { cache: 3 } }] };
    const { call, seen, sent } = await sample(
      question({ messages, tools }),
      () => Promise.resolve(answer),
      {},
      withTools,
    );
    await call();
    expect(seen[0]?.params.messages).toEqual(messages);
    expect(sent()).toEqual({ a: answer });
  });

  it.each([
    ['required', said('x'), 'must use a tool'],
    ['none', { ...said('x'), content: use('add') }, 'must not use a tool'],
    ['auto', { ...said('x'), content: use('divide') }, 'was not offered'],
  ])('[SAM-13] with toolChoice %s is held to it', async (mode, answer, problem) => {
    const { call, requests } = await sample(
      question({ tools, toolChoice: { mode } }),
      () => Promise.resolve(answer),
      {},
      withTools,
    );
    expect(await failure(call())).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(problem),
    });
    expect(requests()).toHaveLength(1);
  });

  it('[SAM-13] without tools gets no use of one', async () => {
    const { call } = await sample(question(), () => Promise.resolve({ ...said('x'), content: use('add') }));
    expect((await failure(call())).code).toBe('invalid-argument');
  });
});

describe('an answer of a model to a legacy server', () => {
  const text = { type: 'text', text: 'x' } as const;
  const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } as const;

  /** Has a server of a revision ask, and answers what it got. */
  async function answerTo(revision: string, content: unknown, input: InputHandlers = {}) {
    const sample: Handler = () => Promise.resolve({ ...said('x'), content } as never);
    const { peer } = await serveLegacy({ sample, ...input }, withTools, revision);
    peer.send({ jsonrpc: '2.0', id: 1, ...question({ tools }) });
    await settle();
    return answersIn(peer);
  }

  it.each([
    ['2025-11-25', [text], [text]],
    ['2025-11-25', [text, use('add')], [text, use('add')]],
    ['2025-06-18', [text], text],
    ['2025-06-18', [audio], audio],
    ['2025-03-26', [text], text],
    ['2025-03-26', audio, audio],
    ['2024-11-05', [text], text],
    ['2024-11-05', text, text],
  ])('[LEGC-12] has the content that revision %s carries: %j', async (revision, content, carried) => {
    expect(await answerTo(revision, content)).toMatchObject([{ id: 1, result: { content: carried } }]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['2025-06-18', [text, text], 'one block'],
    ['2025-06-18', [], 'one block'],
    ['2025-06-18', use('add'), '"tool_use"'],
    ['2025-06-18', [use('add')], '"tool_use"'],
    ['2025-03-26', [text, audio], 'one block'],
    ['2024-11-05', audio, '"audio"'],
    ['2024-11-05', [use('add')], '"tool_use"'],
    ['2025-11-25', { type: 'resource_link', uri: 'x:y', name: 'x' }, '"resource_link"'],
  ])('[LEGC-12] is an error where revision %s cannot carry it: %j', async (revision, content, problem) => {
    expect(await answerTo(revision, content)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(warnings).toMatchObject([{ code: 'input-failed', message: expect.stringContaining(problem) as string }]);
    expect(warnings[0]?.message).toContain(`revision ${revision}`);
    expect(warnings[0]?.message).toContain('input.sample');
  });

  it('[SAM-17] is reviewed as it is sent, and carried when the review changed it', async () => {
    const shown: unknown[] = [];
    const review: InputHandlers['review'] = (_ask, answer) => {
      shown.push(answer);
      return Promise.resolve({ ...said('x'), content: [audio] });
    };
    expect(await answerTo('2025-06-18', [text], { review })).toMatchObject([{ result: { content: audio } }]);
    expect(shown).toMatchObject([{ content: text }]);
  });
});

describe('the model for a question', () => {
  const available = [
    { name: 'large-2', cheapness: 0.1, speed: 0.2, intelligence: 1 },
    { name: 'small-2', cheapness: 1, speed: 0.9, intelligence: 0.2 },
    { name: 'small-3', cheapness: 0.9, speed: 1, intelligence: 0.3 },
  ];
  it.each([
    [
      '[SAM-07] the first hint that matches',
      { hints: [{ name: 'huge' }, { name: 'large' }, { name: 'small' }] },
      'large-2',
    ],
    ['[SAM-08] a hint that is part of a name, whatever the case', { hints: [{ name: 'ALL-3' }] }, 'small-3'],
    ['[SAM-08] a hint before every priority', { hints: [{ name: 'small-2' }], intelligencePriority: 1 }, 'small-2'],
    ['[SAM-08] priorities among what a hint leaves', { hints: [{ name: 'small' }], speedPriority: 1 }, 'small-3'],
    ['[SAM-19] the priorities without a hint', { costPriority: 0.2, intelligencePriority: 0.9 }, 'large-2'],
    ['the priorities where no hint matches', { hints: [{ name: 'x' }, {}], costPriority: 1 }, 'small-2'],
    ['the first without preferences', undefined, 'large-2'],
  ])('is chosen by %s', (_name, preferences, name) => {
    expect(chooseModel(preferences, available)?.name).toBe(name);
  });

  it('is none where none is available', () => {
    expect(chooseModel({ hints: [{ name: 'x' }] }, [])).toBeUndefined();
  });
});
