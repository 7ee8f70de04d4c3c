import { formQuestion, inputRequired, type RequestContext } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';

import { accept, send } from './input-route.ts';
import { color, create, name } from './open-rounds.ts';

const who = { message: 'Who?', schema: name };
const paint = { message: 'Which color?', schema: color };
const both = { who: accept({ name: 'Ada' }), paint: accept({ color: 'red' }) };

async function linear(ctx: RequestContext): Promise<unknown> {
  await ctx.elicit('who', who);
  return ctx.elicit('paint', paint);
}

async function linearThenExplicit(ctx: RequestContext): Promise<unknown> {
  await ctx.elicit('who', who);
  return ctx.resumed ?? inputRequired({ requests: { paint: formQuestion(paint) } });
}

const explicit = (ctx: RequestContext): unknown =>
  ctx.resumed ?? inputRequired({ requests: { who: formQuestion(who), paint: formQuestion(paint) } });

describe('answers that come without a state', () => {
  const run = async (handler: (ctx: RequestContext) => unknown, definition: object = {}, answers: object = both) => {
    const { server, logger } = create({
      development: true,
      records: createMemoryRecordStore({ epochNow: () => Date.now() }),
    });
    server.tool('t', definition, async (_args, ctx) => {
      const returned = await handler(ctx);
      return returned instanceof Object && 'requests' in returned ? returned : JSON.stringify(returned);
    });
    const answer = await send(server, 't', {}, { answers: answers as never });
    const warnings = logger.lines.filter(({ message }) => message.startsWith('answers came without'));
    return { server, answer, came: warnings.map(({ fields }) => fields['came']) };
  };

  it.each<[string, (ctx: RequestContext) => unknown]>([
    ['alone', (ctx) => ctx.elicit('who', who)],
    ['together', (ctx) => Promise.all([ctx.elicit('who', who), ctx.elicit('paint', paint)])],
    ['explicitly', explicit],
  ])('count for what is asked first, %s', async (_how, handler) => {
    const { answer, came } = await run(handler);
    expect(answer.text).toContain('Ada');
    expect(came).toEqual([]);
  });

  it.each<[string, (ctx: RequestContext) => unknown]>([
    ['in a line below', linear],
    [
      'in another branch',
      (ctx) => Promise.all([ctx.elicit('who', who).then(() => ctx.elicit('paint', paint)), ctx.roots('folders')]),
    ],
    [
      'in a form that says the answer',
      async (ctx) => {
        const answer = await ctx.elicit('who', who);
        return ctx.elicit('paint', { ...paint, message: `Which color for ${answer.action}?` });
      },
    ],
    ['explicitly', linearThenExplicit],
    [
      'after an explicit one',
      (ctx) =>
        ctx.resumed === undefined
          ? inputRequired({ requests: { who: formQuestion(who) } })
          : ctx.elicit('paint', paint),
    ],
  ])('count for nothing that is asked after an answer: %s', async (_where, handler) => {
    const { server, answer } = await run(handler);
    expect(answer.text).toBeUndefined();
    expect(answer.asks).toContain('paint');
    const answers = { paint: both.paint, folders: { roots: [] } };
    expect((await send(server, 't', {}, { state: answer.state, answers })).text).toContain('red');
  });

  it('are named in development where they count for nothing', async () => {
    for (const handler of [linear, linearThenExplicit]) expect((await run(handler)).came).toEqual([['paint']]);
    expect((await run(linear, { singleUse: true })).came).toEqual([['who', 'paint']]);
    expect((await run(linear, { singleUse: true }, {})).came).toEqual([]);
  });

  it.each<[string, (ctx: RequestContext) => unknown]>([
    ['an ask', linear],
    ['inputRequired', explicit],
  ])('[MRTR-15] count for nothing where a state is good for one retry: %s', async (_what, handler) => {
    const { server, answer } = await run(handler, { singleUse: true });
    expect(answer.asks).toContain('who');
    const retry = { state: answer.state, answers: both };
    await send(server, 't', {}, retry);
    for (const loose of [retry.answers, { who: both.who }])
      expect((await send(server, 't', {}, { answers: loose })).asks).toContain('who');
  });
});
