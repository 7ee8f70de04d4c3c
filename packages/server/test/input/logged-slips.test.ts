import { createServer, formQuestion, inputRequired, type RequestContext, type ServerOptions } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createRecorder, type Line } from '../recorder.ts';
import { accept, type Retry, send } from './input-route.ts';

const question = { message: 'Name?', schema: z.object({ name: z.string() }) };
const answers = { who: accept({ name: 'Ada' }) };

function create(run: (ctx: RequestContext) => Promise<unknown>, options: ServerOptions = {}) {
  const logger = createRecorder();
  const records = createMemoryRecordStore({ epochNow: () => 0 });
  const server = createServer(
    { name: 'slips', version: '1.0.0' },
    { logger, records, development: true, state: { keys: [Buffer.alloc(32, 1).toString('base64url')] }, ...options },
  )
    .tool('t', { input: z.object({ n: z.number().optional() }) }, async (_args, ctx) =>
      JSON.stringify((await run(ctx)) ?? null),
    )
    .tool('explicit', {}, (_args, { resumed }) =>
      resumed?.answers['who'] === undefined ? inputRequired({ requests: { who: formQuestion(question) } }) : 'done',
    );
  return { server, logger, of: (message: RegExp): Line[] => logger.lines.filter((line) => message.test(line.message)) };
}

const asks = (ctx: RequestContext): Promise<unknown> => Promise.resolve(ctx.elicit('who', question));

describe('request state that is refused', () => {
  const clock = { now: 0 };
  const made = (run = asks) => create(run, { epochNow: () => clock.now });

  it.each<[string, (state: string) => readonly [args: object, retry: Retry], number]>([
    ['not-ours', (state) => [{}, { state: `${state}x`, answers }], 0],
    ['expired', (state) => [{}, { state, answers }], 600_000],
    ['other-request', (state) => [{ n: 1 }, { state, answers }], 0],
    ['other-request', (state) => [{}, { state, answers, principal: { subject: 'mira' } }], 0],
  ])(
    'is logged with the reason, method and name, and its sender does not learn it: %s',
    async (reason, retry, later) => {
      const { server, of } = made();
      clock.now = 0;
      const { state = '' } = await send(server, 't');
      clock.now = later;
      const { error } = await send(server, 't', ...retry(state));
      expect(error).toEqual({
        code: -32602,
        message:
          'The request state is not good for this request: send the request again without it and without its answers',
      });
      const lines = of(/request state refused/);
      expect(lines).toMatchObject([
        { level: 'info', fields: { method: 'tools/call', name: 't', reason, why: expect.any(String) } },
      ]);
      expect(JSON.stringify(lines)).not.toContain(state);
    },
  );
});

describe('an answer under a key that was not asked', () => {
  const slip = { wo: accept({ name: 'Ada' }) };

  it.each(['t', 'explicit'])(
    'is asked again, and in development logged with the keys that came and those that are asked: %s',
    async (name) => {
      const { server, of } = create(asks);
      const { state } = await send(server, name);
      expect((await send(server, name, {}, { state, answers: slip })).asks).toEqual(['who']);
      expect((await send(server, name, {}, { answers: slip })).asks).toEqual(['who']);
      const line = { level: 'warn', fields: { method: 'tools/call', name, came: ['wo'], asked: ['who'] } };
      expect(of(/keys that were not asked/)).toMatchObject([line, line]);
    },
  );

  it('is not logged in production, nor where every answer was asked for', async () => {
    const production = create(asks, { development: false });
    await send(production.server, 't', {}, { answers: slip });
    const right = create(asks);
    const { state } = await send(right.server, 't');
    await send(right.server, 't', {}, { state, answers });
    await send(right.server, 't', {}, { answers });
    expect([...production.of(/keys/), ...right.of(/keys/)]).toEqual([]);
  });
});

describe('work that fails and that nobody awaited', () => {
  const fail = (): never => {
    throw new Error('no weather today');
  };
  const line = (work: string): object => ({
    level: 'warn',
    fields: { method: 'tools/call', name: 't', work, err: expect.objectContaining({ message: 'no weather today' }) },
  });

  it.each<[string, string, (ctx: RequestContext, work: () => unknown) => Promise<unknown>]>([
    ['the step "s"', 'a step', (ctx, work) => ctx.step('s', work)],
    ['the effect "s"', 'an effect', (ctx, work) => ctx.once('s', work)],
  ])('is logged with its key in development, when the run is over: %s', async (work, _what, begin) => {
    const { server, of } = create(async (ctx) => {
      void begin(ctx, fail);
      await ctx.step('other', () => new Promise((resolve) => setImmediate(resolve)));
    });
    await send(server, 't');
    expect(of(/nobody awaited/)).toMatchObject([line(work)]);
  });

  it('is logged, too, where it fails after the run was over', async () => {
    const late = Promise.withResolvers<never>();
    const { server, of, logger } = create(async (ctx) => {
      void ctx.step('late', () => late.promise);
    });
    await send(server, 't');
    expect(logger.lines).toEqual([]);
    late.reject(new Error('no weather today'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(of(/nobody awaited/)).toMatchObject([line('the step "late"')]);
  });

  it('is logged where the round ends with an ask', async () => {
    const { server, of } = create(async (ctx) => {
      void ctx.step('s', fail);
      return ctx.elicit('who', question);
    });
    expect((await send(server, 't')).asks).toEqual(['who']);
    expect(of(/nobody awaited/)).toMatchObject([line('the step "s"')]);
  });

  it.each<[string, (ctx: RequestContext) => Promise<unknown>]>([
    ['await', async (ctx) => void (await ctx.step('s', fail))],
    ['return', (ctx) => ctx.step('s', fail)],
    [
      'await, later',
      async (ctx) => {
        const work = ctx.step('s', fail);
        await ctx.step('other', () => new Promise((resolve) => setImmediate(resolve)));
        await work;
      },
    ],
    ['then', async (ctx) => ctx.step('s', fail).then(() => 1)],
    ['catch', async (ctx) => ctx.step('s', fail).catch(() => 1)],
    ['finally', async (ctx) => ctx.step('s', fail).finally(() => undefined)],
    ['Promise.all', (ctx) => Promise.all([ctx.step('s', fail), ctx.step('other', () => 1)])],
    ['Promise.race', (ctx) => Promise.race([ctx.step('s', fail), new Promise(() => undefined)])],
  ])('is not logged as such where somebody awaits it: %s', async (_how, run) => {
    const { server, of } = create(run);
    await send(server, 't');
    expect(of(/nobody awaited/)).toEqual([]);
  });

  it('is not logged in production', async () => {
    const { server, of } = create(async (ctx) => void ctx.step('s', fail), { development: false });
    await send(server, 't');
    expect(of(/nobody awaited/)).toEqual([]);
  });

  it('answers its value as any promise does', async () => {
    const { server } = create(async (ctx) => {
      const work = ctx.step('s', () => 7);
      return [await work, await work.then((value) => value + 1), await work.finally(() => undefined)];
    });
    expect((await send(server, 't')).text).toBe('[7,8,7]');
  });
});
