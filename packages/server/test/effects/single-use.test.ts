import { createServer, type RequestContext } from '@switchyard/server';
import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createClaims } from '../../src/effects/claim.ts';
import { createSingleUse } from '../../src/effects/single-use.ts';
import { accept, type Retry, send } from '../input/input-route.ts';
import { nextTurn } from '../turns.ts';
import { storeWith } from './store-with.ts';
import { useEveryStore } from './stores.ts';

const open: RecordStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const keys = [Buffer.alloc(32, 7).toString('base64url')];
const ada = { who: accept({ name: 'Ada' }) };
const badState = { code: -32602, message: expect.stringContaining('request state') as string };

const form = { message: 'Who?', schema: z.object({ name: z.string() }) };

describe.each(useEveryStore())('a state that is good for one retry, over %s', (_store, openTwo) => {
  async function two(returned?: unknown) {
    const clock = { now: 1_700_000_000_000 };
    const epochNow = (): number => clock.now;
    const stores = await openTwo(epochNow);
    open.push(...stores);
    let ran = 0;
    const badIsRead = Promise.withResolvers<void>();
    const slowForm = {
      message: 'Who?',
      schema: form.schema.refine(async ({ name }) => {
        if (name === 'bad') await badIsRead.promise;
        return name !== 'bad';
      }),
    };
    const otherHasLooked = Promise.withResolvers<void>();
    const other = storeWith(stores[1], {
      async get(key) {
        const found = await stores[1].get(key);
        otherHasLooked.resolve();
        return found;
      },
    });
    const servers = [stores[0], other].map((records) =>
      createServer({ name: 'once', version: '1.0.0' }, { records, epochNow, state: { keys } })
        .tool('any', { singleUse: true }, async (_args, ctx) => {
          await ctx.elicit('who', form);
          return returned as object;
        })
        .tool('slow', { singleUse: true }, async (_args, ctx) => {
          const answer = await ctx.elicit('who', slowForm);
          ran += 1;
          return `${answer.action === 'accept' ? answer.content.name : ''} ${ran}`;
        })
        .tool('ask', { singleUse: true }, async (_args, ctx) => {
          const answer = await ctx.elicit('who', form);
          ran += 1;
          if (answer.action !== 'accept') throw new Error('declined');
          return `${answer.content.name} ${ran}`;
        }),
    );
    return {
      clock,
      servers: servers as [(typeof servers)[0], (typeof servers)[0]],
      ran: () => ran,
      badIsRead,
      otherHasLooked,
    };
  }

  it('[MRTR-15] gives the identical retry, on another instance too, the outcome that was recorded', async () => {
    const { servers, ran } = await two();
    const { state } = await send(servers[0], 'ask');
    const texts = [];
    for (const server of [...servers, servers[0]])
      texts.push((await send(server, 'ask', {}, { state, answers: ada })).text);
    expect(texts).toEqual(['Ada 1', 'Ada 1', 'Ada 1']);
    expect(ran()).toBe(1);
  });

  it('[MRTR-18] is refused with answers that are no Unicode, whatever they are for', async () => {
    const { servers, ran } = await two();
    const { state } = await send(servers[0], 'ask');
    for (const answers of [{ who: accept({ name: '\ud800' }) }, { ...ada, '\udfff': {} }])
      expect((await send(servers[0], 'ask', {}, { state, answers })).error?.code).toBe(-32602);
    expect((await send(servers[1], 'ask', {}, { state, answers: ada })).text).toBe('Ada 1');
    expect(ran()).toBe(1);
  });

  it('[MRTR-15] is refused with other answers', async () => {
    const { servers, ran } = await two();
    const { state } = await send(servers[0], 'ask');
    await send(servers[0], 'ask', {}, { state, answers: ada });
    for (const answers of [{ who: accept({ name: 'Eve' }) }, {}, { ...ada, more: {} }]) {
      expect((await send(servers[1], 'ask', {}, { state, answers })).error).toEqual(badState);
    }
    expect(ran()).toBe(1);
  });

  it('[MRTR-15] is refused to everybody 60 seconds after its use, and stays so as long as it would be good', async () => {
    const { servers, clock, ran } = await two();
    const { state } = await send(servers[0], 'ask');
    await send(servers[0], 'ask', {}, { state, answers: ada });
    clock.now += 60_000;
    expect((await send(servers[1], 'ask', {}, { state, answers: ada })).text).toBe('Ada 1');
    clock.now += 1;
    expect((await send(servers[1], 'ask', {}, { state, answers: ada })).error).toEqual(badState);
    clock.now += 600_000 - 60_002;
    expect((await send(servers[1], 'ask', {}, { state, answers: ada })).error).toEqual(badState);
    expect(ran()).toBe(1);
  });

  it('gives one outcome to retries that arrive together', async () => {
    const { servers, ran } = await two();
    const { state } = await send(servers[0], 'ask');
    const texts = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, index) => (await send(servers[index % 2] as never, 'ask', {}, { state, answers: ada })).text,
      ),
    );
    expect(new Set(texts)).toEqual(new Set(['Ada 1']));
    expect(ran()).toBe(1);
  });

  it.each<[string, Retry, number]>([
    ['a value that is wrong for the form', { answers: { who: accept({ name: 7 }) } }, -32602],
    ['an answer of the wrong shape', { answers: { who: { action: 'perhaps' } } }, -32602],
    ['a client that declares too little', { answers: ada, capabilities: {} }, -32021],
    ['a client that declares too little and answers nothing', { capabilities: {} }, -32021],
  ])('is not used by a retry whose answers did not reach the handler: %s', async (_what, failing, code) => {
    const { servers, ran } = await two();
    const { state } = await send(servers[0], 'ask');
    for (const server of [...servers, servers[1]])
      expect((await send(server, 'ask', {}, { state, ...failing })).error?.code).toBe(code);
    expect((await send(servers[0], 'ask', {}, { state, answers: ada })).text).toBe('Ada 1');
    expect((await send(servers[1], 'ask', {}, { state, answers: { who: accept({ name: 'Eve' }) } })).error).toEqual(
      badState,
    );
    expect(ran()).toBe(1);
  });

  it('is there for a good retry that comes while one is read whose answer is none', async () => {
    const { servers, ran, badIsRead, otherHasLooked } = await two();
    const { state } = await send(servers[0], 'slow');
    const bad = send(servers[0], 'slow', {}, { state, answers: { who: accept({ name: 'bad' }) } });
    await expect.poll(() => open[0]?.keys('used:')).toHaveLength(1);
    const good = send(servers[1], 'slow', {}, { state, answers: ada });
    await otherHasLooked.promise;
    badIsRead.resolve();
    expect((await bad).error).toMatchObject({ code: -32602, data: { key: 'who' } });
    expect((await good).text).toBe('Ada 1');
    expect(ran()).toBe(1);
  });

  it.each<[string, unknown]>([
    ['a bigint', { n: 12_345_678_901_234_567_890n }],
    ['what JSON has another form for', { at: new Date(0), map: new Map([[1, 2]]), list: [undefined] }],
    ['half of a surrogate pair', { text: '\ud800' }],
  ])('gives the identical retry what was sent: %s', async (_what, returned) => {
    const { servers } = await two(returned);
    const { state } = await send(servers[0], 'any');
    const sent = await send(servers[0], 'any', {}, { state, answers: ada });
    expect(sent.result).toBeDefined();
    expect(await send(servers[1], 'any', {}, { state, answers: ada })).toEqual(sent);
  });

  it('is refused to the identical retry after a result that is too large to be recorded', async () => {
    const { servers } = await two('x'.repeat(500_000));
    const { state } = await send(servers[0], 'any');
    expect((await send(servers[0], 'any', {}, { state, answers: ada })).text).toHaveLength(500_000);
    expect((await send(servers[1], 'any', {}, { state, answers: ada })).error).toEqual(badState);
  });

  it('records a result as large as may be, whatever of it is quoted', async () => {
    const { servers } = await two('"'.repeat(240_000));
    const { state } = await send(servers[0], 'any');
    const sent = await send(servers[0], 'any', {}, { state, answers: ada });
    expect(await send(servers[1], 'any', {}, { state, answers: ada })).toEqual(sent);
  });

  it('gives each retry of a round that asks again the same new state', async () => {
    const { servers } = await two();
    const { state } = await send(servers[0], 'ask');
    const again = [];
    for (const server of servers) again.push(await send(server, 'ask', {}, { state, answers: { other: {} } }));
    expect(again[0]?.asks).toEqual(['who']);
    expect(again[1]?.state).toBe(again[0]?.state);
    expect((await send(servers[1], 'ask', {}, { state: again[0]?.state, answers: ada })).text).toBe('Ada 1');
  });
});

it('[MRTR-15] gives the identical retry an integer digit for digit', async () => {
  const records = createMemoryRecordStore({ epochNow: () => 0 });
  const site = { epochNow: () => 0, createId: () => 'claim', onFailure: () => undefined };
  const singleUse = createSingleUse(createClaims(records, site));
  const { signal } = new AbortController();
  const retry = { state: 's', answers: {}, remainingMs: 1_000, signal, isUnused: () => false };
  const sent: object = { structuredContent: { n: 12_345_678_901_234_567_890n } };
  await singleUse.serve(retry, async () => sent);
  expect(await singleUse.serve(retry, async () => ({}))).toEqual(sent);
});

it('[MRTR-15] single use is refused where there is no store', async () => {
  const server = createServer({ name: 'once', version: '1.0.0' }).tool(
    'ask',
    { singleUse: true },
    async (_args, ctx) => {
      await ctx.roots('r');
      return 'done';
    },
  );
  const { state } = await send(server, 'ask');
  expect((await send(server, 'ask', {}, { state, answers: { r: { roots: [] } } })).error?.code).toBe(-32603);
});

describe('[MRTR-15] a state that is good for one retry is used', () => {
  const wrong = accept({ name: 7 });

  it.each<[string, (ctx: RequestContext, paid: () => void) => unknown]>([
    [
      'when one of its answers reaches the handler before another is refused',
      (ctx, paid) => {
        const turns = nextTurn().then(nextTurn);
        return Promise.all([
          ctx.elicit('who', form).then(paid),
          // In the first round the step keeps the round open; in the retry the turns make the second ask a later one.
          Promise.all([ctx.step('slow', () => turns), turns]).then(() => ctx.elicit('and', form)),
        ]);
      },
    ],
    [
      'when the handler looks at what came',
      (ctx, paid) => {
        if (ctx.resumed?.answers['who'] !== undefined) paid();
        return Promise.all([ctx.elicit('who', form), ctx.elicit('and', form)]);
      },
    ],
  ])('%s', async (_when, run) => {
    let paid = 0;
    const records = createMemoryRecordStore({ epochNow: () => Date.now() });
    const server = createServer({ name: 'once', version: '1.0.0' }, { records }).tool(
      'pay',
      { singleUse: true },
      async (_args, ctx) => {
        await run(ctx, () => (paid += 1));
        return 'done';
      },
    );
    const { state, asks } = await send(server, 'pay');
    expect(asks).toEqual(['who', 'and']);
    const refused = await send(server, 'pay', {}, { state, answers: { ...ada, and: wrong } });
    expect([refused.error?.code, paid]).toEqual([-32602, 1]);
    expect((await send(server, 'pay', {}, { state, answers: { ...ada, and: ada.who } })).error).toEqual(badState);
    expect(paid).toBe(1);
  });
});

describe('[MRTR-15] a state that is good for one retry is not used where an answer beside the good one', () => {
  const slow = {
    message: 'And?',
    schema: z.object({ name: z.string() }).refine(async () => nextTurn().then(nextTurn)),
  };
  const wrong = accept({ name: 7 });
  const both = { who: ada.who, and: ada.who };

  it.each<[string, (ctx: RequestContext) => readonly PromiseLike<unknown>[], Retry]>([
    ['is none', (ctx) => [ctx.elicit('who', form), ctx.elicit('and', form)], { answers: { ...ada, and: wrong } }],
    [
      'is none, and comes first',
      (ctx) => [ctx.elicit('and', form), ctx.elicit('who', form)],
      { answers: { ...ada, and: wrong } },
    ],
    [
      'is none, which takes its time to be seen',
      (ctx) => [ctx.elicit('who', form), ctx.elicit('and', slow)],
      { answers: both },
    ],
    [
      'is none, and is awaited a little later',
      (ctx) => [ctx.elicit('who', form), Promise.resolve().then(async () => ctx.elicit('and', form))],
      { answers: { ...ada, and: wrong } },
    ],
    [
      'is missing, and the client declares too little to be asked again',
      (ctx) => [ctx.elicit('who', form), ctx.roots('and')],
      { answers: ada, capabilities: { elicitation: { form: {} } } },
    ],
  ])('%s', async (_what, asksOf, failing) => {
    let reached = 0;
    const records = createMemoryRecordStore({ epochNow: () => Date.now() });
    const server = createServer({ name: 'once', version: '1.0.0' }, { records }).tool(
      'pay',
      { singleUse: true },
      async (_args, ctx) => {
        await Promise.all(asksOf(ctx).map((ask) => ask.then(() => (reached += 1))));
        return 'done';
      },
    );
    const { state } = await send(server, 'pay');
    expect((await send(server, 'pay', {}, { state, ...failing })).error).toBeDefined();
    expect(reached).toBe(0);
    // It still is good, whatever this retry makes of it.
    const next = await send(
      server,
      'pay',
      {},
      { state, answers: { ...both, and: failing.capabilities ? { roots: [] } : ada.who } },
    );
    expect(next.error?.message ?? '').not.toContain('request state');
  });
});
