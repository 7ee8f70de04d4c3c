import { createServer, InputError, inputRequired, rootsQuestion, samplingQuestion } from '@switchyard/server';
import type { CreateMessageParams } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { accept, send } from './input-route.ts';

const schema = z.object({ name: z.string() });
const message: CreateMessageParams['messages'][number] = { role: 'user', content: { type: 'text', text: 'Hi' } };

function create() {
  return createServer({ name: 'capabilities', version: '1.0.0' })
    .tool('form', {}, async (_args, ctx) => {
      try {
        return JSON.stringify(await ctx.elicit('a', { message: 'Who?', schema }));
      } catch {
        return 'swallowed';
      }
    })
    .tool('page', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit('a', { message: 'Open it', url: 'https://pay.example/1' })),
    )
    .tool('sample', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.sample('a', { messages: [message], maxTokens: 9 })),
    )
    .tool('tools', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.sample('a', { messages: [message], maxTokens: 9, tools: [] })),
    )
    .tool('context', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.sample('a', { messages: [message], maxTokens: 9, includeContext: 'allServers' })),
    )
    .tool('roots', {}, async (_args, ctx) => JSON.stringify(await ctx.roots('a')))
    .tool('many', {}, async (_args, ctx) => {
      await Promise.all([ctx.roots('a'), ctx.elicit('b', { message: 'Who?', schema })]);
      return 'done';
    })
    .tool('explicit', {}, () =>
      inputRequired({ requests: { r: rootsQuestion(), s: samplingQuestion({ messages: [message], maxTokens: 9 }) } }),
    );
}

describe('a client that did not declare what is asked', () => {
  it.each([
    ['form', {}, { elicitation: { form: {} } }],
    ['form', { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['page', { elicitation: {} }, { elicitation: { url: {} } }],
    ['page', { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ['sample', { elicitation: {} }, { sampling: {} }],
    ['tools', { sampling: {} }, { sampling: { tools: {} } }],
    ['context', { sampling: { tools: {} } }, { sampling: { context: {} } }],
    ['roots', {}, { roots: {} }],
    ['many', {}, { roots: {}, elicitation: { form: {} } }],
    ['explicit', { sampling: {} }, { roots: {} }],
  ])(
    '[MSG-41] [MRTR-07] [ELI-03] [SAM-02] [SAM-04] [ROOT-10] gets -32021 with everything that is missing: %s with %j',
    async (tool, capabilities, requiredCapabilities) => {
      const { error } = await send(create(), tool, {}, { capabilities });
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
    },
  );

  it('gets it on the round that asks, whatever it declared before', async () => {
    const server = create();
    const one = await send(server, 'roots', {}, { capabilities: { roots: {} } });
    expect(one.asks).toEqual(['a']);
    const answers = { a: { roots: [] } };
    expect((await send(server, 'roots', {}, { capabilities: {}, state: one.state, answers })).error?.code).toBe(-32021);
  });
});

describe('a client that declared what is asked', () => {
  it.each([
    ['form', { elicitation: {} }],
    ['form', { elicitation: { form: {}, url: {} } }],
    ['page', { elicitation: { url: {} } }],
    ['sample', { sampling: {} }],
    ['tools', { sampling: { tools: {} } }],
    ['context', { sampling: { context: {} } }],
    ['roots', { roots: {} }],
    ['roots', { roots: { listChanged: true } }],
  ])('[ELI-04] [SAM-05] is asked: %s with %j', async (tool, capabilities) => {
    expect((await send(create(), tool, {}, { capabilities })).asks).toEqual(['a']);
  });
});

describe('an answer', () => {
  const answerTo = async (tool: string, answer: unknown) => {
    const server = create();
    const { state } = await send(server, tool);
    return send(server, tool, {}, { state, answers: { a: answer } });
  };

  it.each([
    ['form', 12345],
    ['form', null],
    ['form', []],
    ['form', {}],
    ['form', { action: 'yes' }],
    ['form', accept({ name: 7 })],
    ['form', accept({})],
    ['form', accept({ name: 'Ada', admin: true })],
    ['form', { action: 'accept' }],
    ['form', { action: 'accept', content: { name: { nested: 1 } } }],
    ['page', { action: 'opened' }],
    ['sample', { role: 'assistant', content: { type: 'text', text: 'x' } }],
    ['sample', { role: 'system', content: { type: 'text', text: 'x' }, model: 'm' }],
    ['sample', { role: 'assistant', content: 'x', model: 'm' }],
    ['roots', { roots: 'none' }],
    ['roots', { roots: [{ uri: 'https://x.example/' }] }],
    ['roots', { roots: [{}] }],
  ])(
    '[MRTR-18] [MRTR-21] [ELI-30] [SAM-20] [elicit-01] that is none is -32602 with its key: %s, %j',
    async (tool, answer) => {
      const { error, result } = await answerTo(tool, answer);
      expect(result).toBeUndefined();
      expect(error).toMatchObject({ code: -32602, data: { key: 'a' } });
    },
  );

  it.each([
    ['form', accept({ name: 'Ada' })],
    ['form', { action: 'cancel' }],
    ['form', { action: 'decline', content: { junk: true } }],
    ['page', { action: 'accept' }],
    ['sample', { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm', stopReason: 'anything' }],
    ['roots', { roots: [{ uri: 'file:///a', name: 'A' }] }],
  ])('[elicit-01] of the right shape reaches the handler: %s, %j', async (tool, answer) => {
    const { error, text } = await answerTo(tool, answer);
    expect(error).toBeUndefined();
    expect(text).toBeDefined();
  });

  it.each([
    ['requestState', 7],
    ['inputResponses', 'x'],
    ['inputResponses', [1]],
  ])('is no answer when %s is %j', async (member, value) => {
    const retry = member === 'requestState' ? { state: value as never } : { answers: value as never };
    expect((await send(create(), 'form', {}, retry)).error?.code).toBe(-32602);
  });
});

describe('a question that breaks a rule', () => {
  const thrown = async (ask: Parameters<ReturnType<typeof createServer>['tool']>[2]) => {
    let error: unknown;
    const server = createServer({ name: 'q', version: '1.0.0' }).tool('t', {}, async (args, ctx) => {
      try {
        await ask(args, ctx);
      } catch (caught) {
        error = caught;
      }
      return 'done';
    });
    await send(server, 't');
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  };

  it.each([
    ['nested', z.object({ a: z.object({ b: z.string() }) })],
    ['a list of numbers', z.object({ a: z.array(z.number()) })],
    ['no object', z.string()],
    ['a union of kinds', z.object({ a: z.union([z.string(), z.number()]) })],
    ['a secret', z.object({ password: z.string() })],
    ['an API key', z.object({ openaiApiKey: z.string() })],
    ['a card', z.object({ card_number: z.string() })],
    ['a token', z.object({ 'access-token': z.string() })],
  ])('[ELI-06] [ELI-07] [ELI-08] is thrown into the handler: a form that is %s', async (_what, form) => {
    const error = await thrown(async (_args, ctx) => {
      await ctx.elicit('a', { message: 'Fill in', schema: form });
      return '';
    });
    expect(error.code).toBe('question');
  });

  it('names the member of a form that is of another type, and the types that there are', async () => {
    const { message } = await thrown(async (_args, ctx) => {
      await ctx.elicit('a', { message: 'Fill in', schema: z.object({ a: z.array(z.number()) }) });
      return '';
    });
    expect(message).toMatch(/^the form member "a" is of a type that no form has: use strings, numbers, /);
  });

  it.each([
    'http://pay.example/',
    'pay',
    'https://user:secret@pay.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ])('[ELI-09] [ELI-36] [ELI-39] is thrown into the handler: the page %s', async (url) => {
    const error = await thrown(async (_args, ctx) => {
      await ctx.elicit('a', { message: 'Open', url });
      return '';
    });
    expect(error.code).toBe('question');
    expect(error.message).not.toContain('secret');
  });

  const use = { type: 'tool_use', id: 'u1', name: 'weather', input: {} } as const;
  const result = { type: 'tool_result', toolUseId: 'u1', content: [] } as const;
  const text = { type: 'text', text: 'x' } as const;
  it.each<[string, CreateMessageParams['messages']]>([
    ['a result without its use', [{ role: 'user', content: [result] }]],
    ['a use that is not answered', [{ role: 'assistant', content: use }]],
    ['a use answered too late', [{ role: 'assistant', content: use }, message, { role: 'user', content: result }]],
    [
      'a result beside text',
      [
        { role: 'assistant', content: use },
        { role: 'user', content: [result, text] },
      ],
    ],
    [
      'a use by the user',
      [
        { role: 'user', content: use },
        { role: 'user', content: result },
      ],
    ],
    [
      'a result of the assistant',
      [
        { role: 'assistant', content: use },
        { role: 'assistant', content: result },
      ],
    ],
  ])('[SAM-10] [SAM-11] [SAM-20] is thrown into the handler: messages with %s', async (_what, messages) => {
    const error = await thrown(async (_args, ctx) => {
      await ctx.sample('a', { messages, maxTokens: 9 });
      return '';
    });
    expect(error.code).toBe('question');
  });

  it('[SAM-05] is thrown into the handler: a sampling request without maxTokens', async () => {
    const error = await thrown(async (_args, ctx) => {
      await ctx.sample('a', { messages: [message] } as never);
      return '';
    });
    expect(error).toMatchObject({ code: 'question', message: expect.stringContaining('maxTokens') as string });
  });

  it('lets tool uses and their results through', async () => {
    const server = createServer({ name: 'q', version: '1.0.0' }).tool('t', {}, async (_args, ctx) => {
      await ctx.sample('a', {
        messages: [message, { role: 'assistant', content: [text, use] }, { role: 'user', content: result }],
        maxTokens: 9,
      });
      return '';
    });
    expect((await send(server, 't')).asks).toEqual(['a']);
  });
});

/** What a result asks under the key `a`. */
interface Asked {
  readonly a: { readonly params: { readonly requestedSchema?: object } };
}

describe('a form', () => {
  it('[ELI-06] is what the schema library wrote, in the words that a form has', async () => {
    const form = z.object({
      mail: z.email().describe('Where to').max(99),
      count: z.int().min(1).max(9).default(3),
      size: z.enum(['s', 'm']),
      literal: z.literal('only'),
      sure: z.boolean().optional(),
      several: z.array(z.enum(['a', 'b'])).min(1),
      day: z.iso.date(),
      id: z.uuid(),
    });
    const server = createServer({ name: 'f', version: '1.0.0' }).tool('t', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit('a', { message: 'Fill in', schema: form })),
    );
    const { result, state } = await send(server, 't');
    const { requestedSchema } = (result?.['inputRequests'] as Asked | undefined)?.a.params ?? {};
    expect(requestedSchema).toEqual({
      type: 'object',
      properties: {
        mail: { type: 'string', format: 'email', maxLength: 99, description: 'Where to' },
        count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
        size: { type: 'string', enum: ['s', 'm'] },
        literal: { type: 'string', enum: ['only'] },
        sure: { type: 'boolean' },
        several: { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
        day: { type: 'string', format: 'date' },
        id: { type: 'string' },
      },
      required: ['mail', 'size', 'literal', 'several', 'day', 'id'],
    });
    const content = {
      mail: 'a@b.example',
      size: 'm',
      literal: 'only',
      several: ['a'],
      day: '2026-11-30',
      id: 'no uuid',
    };
    const bad = await send(server, 't', {}, { state, answers: { a: accept(content) } });
    expect(bad.error).toMatchObject({ code: -32602, message: expect.stringContaining('/id') as string });
    const good = { ...content, id: '123e4567-e89b-42d3-a456-426614174000' };
    const { text } = await send(server, 't', {}, { state, answers: { a: accept(good) } });
    expect(JSON.parse(text ?? '')).toEqual({ action: 'accept', content: { ...good, count: 3 } });
  });

  it('may be plain JSON Schema with titled choices', async () => {
    const choices = [
      { const: 'a', title: 'Apple' },
      { const: 'b', title: 'Banana' },
    ];
    const form = {
      type: 'object',
      properties: { one: { type: 'string', oneOf: choices }, some: { type: 'array', items: { anyOf: choices } } },
      required: ['one'],
    };
    const server = createServer({ name: 'f', version: '1.0.0' }).tool('t', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit('a', { message: 'Fill in', schema: form })),
    );
    const { result, state } = await send(server, 't');
    const { requestedSchema } = (result?.['inputRequests'] as Asked | undefined)?.a.params ?? {};
    expect(requestedSchema).toEqual(form);
    expect((await send(server, 't', {}, { state, answers: { a: accept({ one: 'c' }) } })).error?.code).toBe(-32602);
    expect((await send(server, 't', {}, { state, answers: { a: accept({ one: 'b' }) } })).text).toContain('"one":"b"');
  });
});
