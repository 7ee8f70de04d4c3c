import { setTimeout as sleep } from 'node:timers/promises';

import { type RequestContext, ToolError } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';

import { storeWith } from '../effects/store-with.ts';
import { someTurns, until } from '../turns.ts';
import { accept, send } from './input-route.ts';
import { create, name, retry } from './open-rounds.ts';

const fail = (): never => {
  throw new Error('late');
};

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

  /** What fails once the gate is open. */
  interface Failing {
    readonly ctx: RequestContext;
    readonly gate: Promise<void>;
    readonly unreadable: Pick<typeof name, '~standard'>;
  }
  it.each<[string, (failing: Failing) => PromiseLike<unknown>]>([
    ['an effect whose store fails', ({ ctx }) => ctx.once('e', () => 1)],
    ['an effect under no key', ({ ctx, gate }) => gate.then(() => ctx.once('', () => 1))],
    ['a step that fails', ({ ctx, gate }) => ctx.step('s', () => gate.then(fail))],
    ['a step whose name is taken', ({ ctx, gate }) => gate.then(() => ctx.step('taken', () => 1))],
    ['an answer that cannot be read', ({ ctx, unreadable }) => ctx.elicit('b', { message: 'B?', schema: unreadable })],
  ])('runs no catch and no finally after a bad answer, whatever fails then: %s', async (_what, begin) => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const unreadable = { '~standard': { ...name['~standard'], validate: () => gate.then(fail) } };
    const records = storeWith(createMemoryRecordStore({ epochNow: () => Date.now() }), { get: () => gate.then(fail) });
    const { server } = create({ records });
    const ran: string[] = [];
    server.tool('ask', {}, async (_args, ctx) => {
      await ctx.step('taken', () => 1);
      try {
        await Promise.all([begin({ ctx, gate, unreadable }), ctx.elicit('a', { message: 'A?', schema: name })]);
      } catch (thrown) {
        ran.push(String(thrown));
      } finally {
        ran.push('finally');
      }
      return 'done';
    });
    const answers = { a: accept({ name: 7 }), b: accept({ name: 'Ada' }) };
    expect((await send(server, 'ask', {}, { answers })).error?.code).toBe(-32602);
    openGate();
    await someTurns();
    expect(ran).toEqual([]);
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
    const failures = () => logger.lines.filter(({ message }) => message === 'a function given to onRoundEnd failed');
    await until(() => failures().length >= 2);
    expect(failures()).toHaveLength(2);
  });

  it('waits for a step that runs, and journals it', async () => {
    const { server } = create();
    let stepped = 0;
    server.tool('ask', {}, async (_args, ctx) => {
      const [value] = await Promise.all([
        ctx.step('slow', async () => {
          await someTurns();
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
      const later = ctx.step('slow', someTurns).then(() => ctx.elicit('b', { message: 'B?', schema: name }));
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
    let fired = 0;
    server.tool('race', {}, async (_args, ctx) =>
      Promise[combinator]([
        // A timer of the runtime, since it is what must not win.
        sleep(2).then(() => {
          fired += 1;
          return 'timer';
        }),
        ctx.elicit('who', { message: 'Who?', schema: name }).then(() => 'answered'),
      ]),
    );
    const one = await send(server, 'race');
    expect(one.asks).toEqual(['who']);
    await until(() => fired > 0);
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

  it('begins no step of code that still runs, and answers none of its asks', async () => {
    const { server } = create();
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const went: string[] = [];
    const background = async (ctx: RequestContext): Promise<void> => {
      await gate;
      went.push('on');
      const ask = ctx.elicit('late', { message: 'Who?', schema: name }).then(() => went.push('past the ask'));
      const step = ctx.step('late', () => went.push('into the step')).then(() => went.push('past the step'));
      await Promise.race([ask, step]);
    };
    server.tool('ask', {}, async (_args, ctx) => {
      void background(ctx);
      await ctx.elicit('who', { message: 'Who?', schema: name });
      return 'done';
    });
    expect((await send(server, 'ask')).asks).toEqual(['who']);
    openGate();
    await someTurns();
    expect(went).toEqual(['on']);
  });
});
