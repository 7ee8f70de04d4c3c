import { setTimeout as sleep } from 'node:timers/promises';

import { createServer, InputError, ToolError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createRecorder } from '../recorder.ts';
import { accept, type Answer, send } from './input-route.ts';

const name = z.object({ name: z.string() });
const color = z.object({ color: z.string() });

function create(options: object = {}) {
  const logger = createRecorder();
  return { logger, server: createServer({ name: 'rounds', version: '1.0.0' }, { logger, ...options }) };
}

/** Retries an answer of the server with what it asks for. */
function retry(
  server: Parameters<typeof send>[0],
  tool: string,
  { state }: Answer,
  answers: { readonly [key: string]: unknown },
): Promise<Answer> {
  return send(server, tool, {}, { state, answers });
}

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

  it('takes answers that come without a state for what the first round asks', async () => {
    const { server } = create();
    server.tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit('who', { message: 'Who?', schema: name })),
    );
    const { text } = await send(server, 'ask', {}, { answers: { who: accept({ name: 'Ada' }), extra: {} } });
    expect(text).toContain('Ada');
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

describe('a round that ends', () => {
  it('runs nothing after the ask: no catch, no finally, no line below', async () => {
    const { server } = create();
    const ran: string[] = [];
    server.tool('ask', {}, async (_args, ctx) => {
      try {
        ran.push('before');
        await ctx.elicit('who', { message: 'Who?', schema: name });
        ran.push('after');
      } catch {
        ran.push('catch');
      } finally {
        ran.push('finally');
      }
      return 'done';
    });
    const one = await send(server, 'ask');
    expect(ran).toEqual(['before']);
    await retry(server, 'ask', one, { who: accept({ name: 'Ada' }) });
    expect(ran).toEqual(['before', 'before', 'after', 'finally']);
  });

  it('aborts the signal as suspended and calls what was given to onRoundEnd, once', async () => {
    const { server } = create();
    const reasons: unknown[] = [];
    let released = 0;
    server.tool('ask', {}, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
      ctx.onRoundEnd(() => (released += 1));
      await ctx.elicit('who', { message: 'Who?', schema: name });
      return 'done';
    });
    const one = await send(server, 'ask');
    expect([reasons, released]).toEqual([['suspended'], 1]);
    await retry(server, 'ask', one, { who: accept({ name: 'Ada' }) });
    expect([reasons, released]).toEqual([['suspended'], 2]);
  });

  it('calls what was given to onRoundEnd after a failure, and logs what it throws', async () => {
    const { server, logger } = create();
    server.tool('fail', {}, async (_args, ctx) => {
      ctx.onRoundEnd(() => {
        throw new Error('cannot release');
      });
      ctx.onRoundEnd(() => Promise.reject(new Error('cannot release later')));
      throw new ToolError('no');
    });
    expect((await send(server, 'fail')).text).toBe('no');
    await sleep(0);
    const failures = logger.lines.filter(({ message }) => message === 'a function given to onRoundEnd failed');
    expect(failures).toHaveLength(2);
  });

  it('waits for a step that runs, and journals it', async () => {
    const { server } = create();
    let stepped = 0;
    server.tool('ask', {}, async (_args, ctx) => {
      const [value] = await Promise.all([
        ctx.step('slow', async () => {
          await sleep(20);
          return (stepped += 1);
        }),
        ctx.elicit('who', { message: 'Who?', schema: name }),
      ]);
      return String(value);
    });
    const one = await send(server, 'ask');
    expect(stepped).toBe(1);
    expect((await retry(server, 'ask', one, { who: accept({ name: 'Ada' }) })).text).toBe('1');
    expect(stepped).toBe(1);
  });

  it('asks in one round what is awaited while a step runs', async () => {
    const { server } = create();
    server.tool('ask', {}, async (_args, ctx) => {
      const later = ctx.step('slow', () => sleep(10)).then(() => ctx.elicit('b', { message: 'B?', schema: name }));
      await Promise.all([ctx.elicit('a', { message: 'A?', schema: name }), later]);
      return 'done';
    });
    expect((await send(server, 'ask')).asks).toEqual(['a', 'b']);
  });

  it('does not wait for work outside a step', async () => {
    const { server } = create();
    server.tool('ask', {}, async (_args, ctx) => {
      await Promise.all([new Promise(() => undefined), ctx.elicit('a', { message: 'A?', schema: name })]);
      return 'never';
    });
    expect((await send(server, 'ask')).asks).toEqual(['a']);
  });

  it('lets a settled branch win a race and says which asks were dropped', async () => {
    const { server, logger } = create();
    server.tool('race', {}, async (_args, ctx) =>
      Promise.race([
        Promise.resolve('settled'),
        ctx.elicit('who', { message: 'Who?', schema: name }).then(() => 'asked'),
      ]),
    );
    expect((await send(server, 'race')).text).toBe('settled');
    expect(logger.lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({ keys: ['who'], name: 'race' });
  });

  it.each(['race', 'any'] as const)('lets no timer win Promise.%s', async (combinator) => {
    const { server } = create();
    server.tool('race', {}, async (_args, ctx) =>
      Promise[combinator]([
        sleep(2).then(() => 'timer'),
        ctx.elicit('who', { message: 'Who?', schema: name }).then(() => 'answered'),
      ]),
    );
    const one = await send(server, 'race');
    expect(one.asks).toEqual(['who']);
    await sleep(5);
    expect((await retry(server, 'race', one, { who: accept({ name: 'Ada' }) })).text).toBe('answered');
  });

  it('keeps allSettled waiting for the answer', async () => {
    const { server } = create();
    server.tool('settle', {}, async (_args, ctx) => {
      const settled = await Promise.allSettled([
        Promise.reject(new Error('no')),
        ctx.elicit('who', { message: 'Who?', schema: name }),
      ]);
      return settled.map(({ status }) => status).join();
    });
    const one = await send(server, 'settle');
    expect(one.asks).toEqual(['who']);
    expect((await retry(server, 'settle', one, { who: accept({ name: 'Ada' }) })).text).toBe('rejected,fulfilled');
  });

  it('drops progress and further asks of code that still runs', async () => {
    const { server } = create();
    let background: Promise<unknown> | undefined;
    let went = 'nowhere';
    server.tool('ask', {}, async (_args, ctx) => {
      background = sleep(5).then(async () => {
        went = 'on';
        await ctx.step('late', () => {
          went = 'into the step';
        });
      });
      await ctx.elicit('who', { message: 'Who?', schema: name });
      return 'done';
    });
    await send(server, 'ask');
    await sleep(15);
    expect(went).toBe('on');
    expect(background).toBeDefined();
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

describe('keys', () => {
  async function thrownBy(run: (ctx: never) => unknown): Promise<InputError> {
    const { server } = create();
    let thrown: unknown;
    server.tool('t', {}, async (_args, ctx) => {
      try {
        await run(ctx as never);
      } catch (error) {
        thrown = error;
      }
      return 'done';
    });
    await send(server, 't');
    expect(thrown).toBeInstanceOf(InputError);
    return thrown as InputError;
  }

  it('stand for one question in a run', async () => {
    const error = await thrownBy(async (ctx: { elicit: (key: string, form: object) => PromiseLike<unknown> }) => {
      void ctx.elicit('who', { message: 'Who?', schema: name });
      await ctx.elicit('who', { message: 'Who else?', schema: name });
    });
    expect(error.code).toBe('key');
    expect(error.message).toContain('"who"');
  });

  it('may be used again for the same question', async () => {
    const { server } = create();
    server.tool('twice', {}, async (_args, ctx) => {
      const ask = () => ctx.elicit('who', { message: 'Who?', schema: name });
      const [first, second] = await Promise.all([ask(), ask()]);
      return String(JSON.stringify(first) === JSON.stringify(second));
    });
    const one = await send(server, 'twice');
    expect(one.asks).toEqual(['who']);
    expect((await retry(server, 'twice', one, { who: accept({ name: 'Ada' }) })).text).toBe('true');
  });

  it('stand for one answer, so that a loop which waits for another one ends', async () => {
    const { server, logger } = create();
    server.tool('stubborn', {}, async (_args, ctx) => {
      for (;;) {
        const answer = await ctx.elicit('sure', { message: 'Sure?', schema: name });
        if (answer.action === 'accept') return 'at last';
      }
    });
    const { result } = await send(server, 'stubborn', {}, { answers: { sure: { action: 'decline' } } });
    expect(result).toMatchObject({ isError: true });
    expect(logger.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message ?? '')).toEqual(
      expect.arrayContaining([expect.stringContaining('"sure" was made 100 times') as string]),
    );
  });

  it('of steps are unique in a run', async () => {
    const error = await thrownBy(async (ctx: { step: (key: string, run: () => unknown) => Promise<unknown> }) => {
      await ctx.step('s', () => 1);
      await ctx.step('s', () => 2);
    });
    expect(error).toMatchObject({ code: 'key', message: expect.stringContaining('"s"') as string });
  });

  it.each([[''], ['x'.repeat(129)], ['__proto__'], [7 as never]])('refuse %j', async (key) => {
    const error = await thrownBy((ctx: { roots: (key: string) => PromiseLike<unknown> }) => ctx.roots(key));
    expect(error.code).toBe('key');
  });

  it('ask anew when the question is another one on the next round, and give up after maxRounds', async () => {
    const { server } = create({ state: { maxRounds: 3 } });
    let asked = 0;
    server.tool('moody', {}, async (_args, ctx) => {
      asked += 1;
      await ctx.elicit('who', { message: `Who, ${asked}?`, schema: name });
      return 'done';
    });
    let answer = await send(server, 'moody');
    const rounds = [answer.asks];
    while (answer.state !== undefined) {
      answer = await retry(server, 'moody', answer, { who: accept({ name: 'Ada' }) });
      rounds.push(answer.asks);
    }
    expect(rounds).toEqual([['who'], ['who'], ['who'], []]);
    expect(answer.result).toMatchObject({ isError: true });
    expect(answer.text).toContain('3 times');
  });
});

describe('text that is no Unicode', () => {
  it.each([
    [
      'a key',
      (ctx: { elicit: (key: string, form: object) => PromiseLike<unknown> }) =>
        ctx.elicit('\ud800', { message: 'Who?', schema: name }),
      /well-formed/,
    ],
    [
      'a question',
      (ctx: { elicit: (key: string, form: object) => PromiseLike<unknown> }) =>
        ctx.elicit('who', { message: '\ud800', schema: name }),
      /"who" holds text that is not well-formed/,
    ],
  ])('is refused in %s', async (_what, ask, message) => {
    const { server, logger } = create();
    server.tool('t', {}, async (_args, ctx) => String(await ask(ctx as never)));
    await send(server, 't');
    expect(logger.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message ?? '')).toEqual(
      expect.arrayContaining([expect.stringMatching(message)]),
    );
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
