import { InputError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { accept, send } from './input-route.ts';
import { color, create, name, retry } from './open-rounds.ts';

describe('a handler that asks', () => {
  it('[MRTR-01] [MRTR-05] [ELI-04] [ELI-06] asks in a result, as a request without id', async () => {
    const { server } = create();
    server.tool('hello', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('user_name', { message: 'What is your name?', schema: name });
      return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Nobody to greet';
    });
    const { result } = await send(server, 'hello');
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        user_name: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'What is your name?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          },
        },
      },
      requestState: expect.any(String) as string,
    });
    const asked = (result?.['inputRequests'] ?? {}) as { readonly user_name?: object };
    expect(Object.keys(asked.user_name ?? {})).toEqual(['method', 'params']);
  });

  it('[MRTR-17] [MRTR-22] runs again from the top with what the retry carries, in as many rounds as it asks', async () => {
    const { server } = create();
    let runs = 0;
    server.tool('two', {}, async (_args, ctx) => {
      runs += 1;
      const first = await ctx.elicit('step1', { message: 'Name?', schema: name });
      const second = await ctx.elicit('step2', { message: 'Color?', schema: color });
      return JSON.stringify([first, second]);
    });
    const one = await send(server, 'two');
    const two = await retry(server, 'two', one, { step1: accept({ name: 'Ada' }) });
    const three = await retry(server, 'two', two, { step2: accept({ color: 'blue' }) });
    expect([one.asks, two.asks, runs]).toEqual([['step1'], ['step2'], 3]);
    expect(two.state).not.toBe(one.state);
    expect(JSON.parse(three.text ?? '')).toEqual([
      { action: 'accept', content: { name: 'Ada' } },
      { action: 'accept', content: { color: 'blue' } },
    ]);
  });

  it.each(['decline', 'cancel'])('[ELI-12] [ELI-13] learns that the user chose to %s', async (action) => {
    const { server } = create();
    server.tool('ask', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('who', { message: 'Who?', schema: name });
      return answer.action;
    });
    const one = await send(server, 'ask');
    expect((await retry(server, 'ask', one, { who: { action } })).text).toBe(action);
  });

  it('[MRTR-20] [MRTR-19] asks again for an answer that is missing, and ignores others', async () => {
    const { server } = create();
    server.tool('ask', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('who', { message: 'Who?', schema: name });
      return JSON.stringify(answer);
    });
    const one = await send(server, 'ask');
    const two = await retry(server, 'ask', one, { wrong_key: accept({ name: 'Eve' }) });
    expect([two.error, two.asks]).toEqual([undefined, ['who']]);
    const three = await retry(server, 'ask', two, { who: accept({ name: 'Ada' }), other: accept({ x: 1 }) });
    expect(three.text).toContain('Ada');
  });

  it('[MRTR-04] sends what is awaited together in one round', async () => {
    const { server } = create();
    server.tool('all', {}, async (_args, ctx) => {
      const [first, second, folders] = await Promise.all([
        ctx.elicit('a', { message: 'A?', schema: name }),
        ctx.elicit('b', { message: 'B?', schema: color }),
        ctx.roots('c'),
      ]);
      return JSON.stringify([first, second, folders]);
    });
    const one = await send(server, 'all');
    expect(one.asks).toEqual(['a', 'b', 'c']);
    const two = await retry(server, 'all', one, {
      a: accept({ name: 'Ada' }),
      c: { roots: [{ uri: 'file:///work' }] },
    });
    expect(two.asks).toEqual(['b']);
    const three = await retry(server, 'all', two, { b: accept({ color: 'red' }) });
    expect(JSON.parse(three.text ?? '')[2]).toEqual([{ uri: 'file:///work' }]);
  });
});

describe('asks that nobody awaits', () => {
  const unawaited = async (options: object) => {
    const { server, logger } = create(options);
    server.tool('forgets', {}, (_args, ctx) => {
      void ctx.elicit('who', { message: 'Who?', schema: name });
      return 'done';
    });
    const { text } = await send(server, 'forgets');
    return { text, warnings: logger.lines.filter(({ level }) => level === 'warn') };
  };

  it('are not sent, and development names them', async () => {
    const { text, warnings } = await unawaited({ development: true });
    expect(text).toBe('done');
    expect(warnings.map(({ fields }) => fields['keys'])).toEqual([['who']]);
  });

  it('are not named elsewhere', async () => {
    expect((await unawaited({ development: false })).warnings).toEqual([]);
  });
});

describe('the methods that may ask', () => {
  it('[MRTR-02] are tools/call, resources/read and prompts/get', async () => {
    const { server } = create();
    server.resource('test://r', { name: 'r' }, async (_uri, ctx) => {
      const answer = await ctx.elicit('who', { message: 'Who?', schema: name });
      return answer.action;
    });
    server.prompt('p', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('who', { message: 'Who?', schema: name });
      return answer.action;
    });
    for (const [method, target] of [
      ['resources/read', 'test://r'],
      ['prompts/get', 'p'],
    ] as const) {
      const one = await send(server, target, {}, { method });
      expect(one.asks).toEqual(['who']);
      const two = await send(server, target, {}, { method, state: one.state, answers: { who: { action: 'decline' } } });
      expect(JSON.stringify(two.result)).toContain('decline');
    }
  });

  it('[MRTR-03] are no others', async () => {
    const { server, logger } = create();
    server.prompt(
      'p',
      { args: { a: { complete: async (_value, _others, ctx) => (await ctx.roots('r')).map(({ uri }) => uri) } } },
      () => 'text',
    );
    const text = await server.respond(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'completion/complete',
        params: {
          ref: { type: 'ref/prompt', name: 'p' },
          argument: { name: 'a', value: '' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': { roots: {} },
          },
        },
      }),
      { signal: new AbortController().signal, send: () => undefined },
    );
    expect(JSON.parse(text ?? '')).toMatchObject({ error: { code: -32603 } });
    expect(logger.lines.some(({ fields }) => fields['err'] instanceof InputError)).toBe(true);
  });
});
