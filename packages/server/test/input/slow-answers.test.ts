import type { RequestContext } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { someTurns } from '../turns.ts';
import { accept, send } from './input-route.ts';
import { createOneTool, question } from './one-tool.ts';

describe('a form whose check takes its time', () => {
  const slow = {
    message: 'Slow?',
    schema: z.object({ name: z.string() }).refine(async ({ name }) => {
      await someTurns();
      return name !== 'bad';
    }),
  };
  const both = (ctx: RequestContext): Promise<unknown> =>
    Promise.all([ctx.elicit('a', slow), ctx.elicit('b', question)]);
  const ways: [string, boolean][] = [
    ['with the state of the round', true],
    ['without a state', false],
  ];
  const good = accept({ name: 'good' });
  const bad = accept({ name: 'bad' });

  it.each(ways)('ends the round for a wrong answer beside a question that waits, %s', async (_how, hasState) => {
    const server = createOneTool(both);
    const { state } = await send(server, 't');
    const retry = (answers: Record<string, unknown>) =>
      send(server, 't', {}, hasState ? { state, answers } : { answers });
    expect((await retry({ a: bad })).error).toMatchObject({ code: -32602, data: { key: 'a' } });
    expect((await retry({ a: good, b: good })).text).toContain('accept');
  });

  it.each(ways)('keeps a good answer beside a question that waits, %s', async (_how, hasState) => {
    const server = createOneTool(both);
    const { state } = await send(server, 't');
    const one = await send(server, 't', {}, hasState ? { state, answers: { a: good } } : { answers: { a: good } });
    expect(one.asks).toEqual(['b']);
    expect((await send(server, 't', {}, { state: one.state, answers: { b: good } })).text).toContain('accept');
  });

  it('does not hold a call past its time', async () => {
    const endless = { message: 'Endless?', schema: z.object({}).refine(() => new Promise<boolean>(() => undefined)) };
    const server = createOneTool((ctx) => Promise.all([ctx.elicit('a', endless), ctx.elicit('b', question)]), {
      timeoutMs: 20,
    });
    const { state } = await send(server, 't');
    const { result } = await send(server, 't', {}, { state, answers: { a: accept({}) } });
    expect(result).toMatchObject({ isError: true });
  });
});

describe('an answer of an earlier round that is none any more', () => {
  let isFirstRun = true;

  it.each<[string, (isFree: () => boolean) => (ctx: RequestContext) => Promise<unknown>]>([
    [
      'since what it is held against has changed',
      (isFree) => async (ctx) => {
        const seat = { message: 'Seat?', schema: z.object({ name: z.string() }).refine(isFree) };
        return [await ctx.elicit('a', seat), await ctx.elicit('b', question)];
      },
    ],
    [
      'since nobody read it then',
      (isFree) => async (ctx) => {
        const seat = { message: 'Seat?', schema: z.object({ name: z.string() }).refine(isFree) };
        if (isFirstRun) {
          isFirstRun = false;
          await ctx.elicit('a', seat);
        }
        return [await ctx.elicit('b', question), await ctx.elicit('a', seat)];
      },
    ],
  ])('is asked anew: %s', async (_why, runOf) => {
    let isFree = true;
    isFirstRun = true;
    const server = createOneTool(runOf(() => isFree));
    const one = await send(server, 't');
    expect(one.asks).toContain('a');
    const two = await send(server, 't', {}, { state: one.state, answers: { a: accept({ name: 'A1' }) } });
    expect(two.asks).toEqual(['b']);
    isFree = false;
    const three = await send(server, 't', {}, { state: two.state, answers: { b: accept({ name: 'Ada' }) } });
    expect(three.asks).toEqual(['a']);
    isFree = true;
    const four = await send(server, 't', {}, { state: three.state, answers: { a: accept({ name: 'A2' }) } });
    expect(four.text).toContain('A2');
  });
});
