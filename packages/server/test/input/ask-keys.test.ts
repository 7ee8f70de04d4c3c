import { InputError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { accept, send } from './input-route.ts';
import { create, name, retry } from './open-rounds.ts';

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
