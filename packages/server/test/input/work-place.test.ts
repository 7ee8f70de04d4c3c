import { once } from 'node:events';

import { createServer, type RequestContext, type ServerOptions } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createRecorder } from '../recorder.ts';
import { nextTurn, until } from '../turns.ts';
import { send } from './input-route.ts';

const question = { message: 'Name?', schema: z.object({ name: z.string() }) };

/** A server with one tool that may ask, take steps and run effects. */
function create(
  run: (ctx: RequestContext) => PromiseLike<unknown>,
  options: ServerOptions = {},
  definition: { readonly singleUse?: boolean } = {},
) {
  const logger = createRecorder();
  const records = createMemoryRecordStore({ epochNow: () => Date.now() });
  const server = createServer({ name: 'inside', version: '1.0.0' }, { logger, records, ...options });
  server.tool('t', { task: 'optional', ...definition }, async (_args, ctx) => JSON.stringify(await run(ctx)));
  const errors = (): unknown[] => logger.lines.flatMap(({ fields }) => fields['err'] ?? []);
  return { server, records, errors };
}

/** Work that is the end of a round that waits for it. */
const works: readonly [string, (ctx: RequestContext, work: () => PromiseLike<unknown>) => Promise<unknown>][] = [
  ['a step', (ctx, work) => ctx.step('s', work)],
  ['an effect', (ctx, work) => ctx.once('s', work)],
];

describe.each(works)('an ask inside of work, %s', (_kind, begin) => {
  it.each<[string, (ctx: RequestContext) => Promise<unknown>]>([
    ['at once', (ctx) => begin(ctx, () => ctx.elicit('who', question))],
    ['at once, awaited there', (ctx) => begin(ctx, async () => ctx.elicit('who', question))],
    ['after a wait', (ctx) => begin(ctx, () => nextTurn().then(() => ctx.elicit('who', question)))],
    [
      'in a step of its own',
      (ctx) => begin(ctx, async () => ctx.step('inner', () => nextTurn().then(() => ctx.elicit('who', question)))),
    ],
    [
      'which was made beside it',
      (ctx) => {
        const ask = ctx.elicit('who', question);
        return begin(ctx, async () => {
          await nextTurn();
          return ask;
        });
      },
    ],
    [
      'which is awaited beside it, too',
      (ctx) => {
        const ask = ctx.elicit('who', question);
        return Promise.all([ask, begin(ctx, () => nextTurn().then(() => ask))]);
      },
    ],
  ])('is refused with its key, and does not hold the call: %s', async (_how, run) => {
    const { server, errors } = create(run);
    const { result } = await send(server, 't');
    expect(result).toMatchObject({ isError: true });
    expect(errors()[0]).toMatchObject({
      code: 'not-here',
      message: expect.stringMatching(/"who" stands inside of the (?:step|effect) "(?:s|inner)"/) as string,
    });
  });

  it('answers where its answer is there', async () => {
    const { server } = create(async (ctx) => {
      await ctx.elicit('who', question);
      return begin(ctx, () => nextTurn().then(() => ctx.elicit('who', question)));
    });
    const { state } = await send(server, 't');
    const next = await send(server, 't', {}, { state, answers: { who: { action: 'decline' } } });
    expect(next.text).toBe('{"action":"decline"}');
  });

  it('is asked beside it where its refusal was caught', async () => {
    const { server } = create(async (ctx) => {
      await begin(ctx, () => ctx.elicit('who', question)).catch(() => 'refused');
      return ctx.elicit('who', question);
    });
    expect((await send(server, 't')).asks).toEqual(['who']);
  });

  it('is one no more once the work is over, and none beside it', async () => {
    let later: Promise<unknown> | undefined;
    const { server } = create(async (ctx) => {
      const { promise: isOver, resolve } = Promise.withResolvers<void>();
      await begin(ctx, async () => {
        later = isOver.then(() => ctx.elicit('left', question));
      });
      resolve();
      return Promise.all([later, ctx.elicit('who', question), ctx.step('beside', nextTurn)]);
    });
    expect([...(await send(server, 't')).asks].sort()).toEqual(['left', 'who']);
  });

  it('refuses a task there that would wait for the end of the round', async () => {
    const { server, errors } = create((ctx) =>
      Promise.all([ctx.elicit('who', question), begin(ctx, () => nextTurn().then(() => ctx.task()))]),
    );
    await send(
      server,
      't',
      {},
      { capabilities: { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    );
    expect(errors()[0]).toMatchObject({
      code: 'not-here',
      message: expect.stringContaining('ctx.task stands inside of the') as string,
    });
  });
});

describe('work that goes on after its round', () => {
  it.each(['inside of it', 'beside it'])('uses up a retry that is good for one use: asked %s', async (where) => {
    const taken: unknown[] = [];
    const ended = Promise.withResolvers<void>();
    const { server } = create(
      async (ctx) => {
        const [good, bad] = [ctx.elicit('good', question), ctx.elicit('bad', question)];
        const both = Promise.all([good, bad.then((answer) => answer)]);
        if (taken.length === 0 && !isSecondRound) await both;
        return Promise.all([
          ctx.step('take', async () => {
            taken.push(await (where === 'beside it' ? good : ctx.elicit('good', question)));
            ended.resolve();
          }),
          both,
        ]);
      },
      {},
      { singleUse: true },
    );
    let isSecondRound = false;
    const { state } = await send(server, 't');
    isSecondRound = true;
    const answerOf = (name: unknown) => ({ action: 'accept', content: { name } });
    const refused = await send(server, 't', {}, { state, answers: { good: answerOf('a'), bad: answerOf(1) } });
    expect(refused.error).toMatchObject({ code: -32602 });
    await ended.promise;
    const again = await send(server, 't', {}, { state, answers: { good: answerOf('b'), bad: answerOf('c') } });
    expect(again.error).toMatchObject({ code: -32602 });
    expect(taken).toEqual([answerOf('a')]);
  });

  it('gets the answers that there are: its outcome is not the fault of what was asked beside it', async () => {
    const { promise: isRefused, resolve } = Promise.withResolvers<void>();
    const { server } = create((ctx) =>
      Promise.all([
        ctx.once('outer', async () => {
          await isRefused;
          return ctx.elicit('good', question);
        }),
        ctx.elicit('bad', question),
      ]),
    );
    const good = { action: 'accept', content: { name: 'Mira' } };
    const bad = { action: 'accept', content: { name: 1 } };
    expect((await send(server, 't', {}, { answers: { good, bad } })).error).toMatchObject({ code: -32602 });
    resolve();
    const again = await send(server, 't', {}, { answers: { good, bad: good } });
    expect(JSON.parse(again.text ?? '')).toEqual([good, good]);
  });

  it.each<[string, (ctx: RequestContext) => unknown]>([
    ['a step', (ctx) => ctx.step('inner', () => 1)],
    ['an effect', (ctx) => ctx.once('inner', () => 1)],
    ['an ask', (ctx) => ctx.elicit('who', question).then(undefined, () => 1)],
  ])('comes to its end whatever it awaits: %s', async (_what, begin) => {
    let hasEnded = false;
    const { server, records } = create(
      (ctx) =>
        ctx.once('outer', async () => {
          await once(ctx.signal, 'abort');
          await Promise.resolve(begin(ctx)).finally(() => (hasEnded = true));
        }),
      { timeoutMs: 20 },
    );
    expect((await send(server, 't')).result).toMatchObject({ isError: true });
    await until(() => hasEnded);
    const areRecorded = async (): Promise<unknown[]> => {
      const found = await Promise.all((await records.keys('once:')).map((key) => records.get(key)));
      return found.map((record) => record?.value.includes('"outcome"'));
    };
    await expect.poll(areRecorded).toEqual([true]);
  });
});
