import process from 'node:process';

import { createServer, type RequestContext, type ServerOptions, silentLogger } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

import { nextTurn, someTurns, until } from '../turns.ts';
import { accept, type Answer, send } from './input-route.ts';

const question = { message: 'Name?', schema: z.object({ name: z.string() }) };

/** Runs a tool for one round. */
async function round(run: (ctx: RequestContext) => Promise<unknown>, options: ServerOptions = {}) {
  const records = createMemoryRecordStore({ epochNow: () => Date.now() });
  const server = createServer({ name: 'ends', version: '1.0.0' }, { logger: silentLogger, records, ...options });
  server.tool('t', {}, async (_args, ctx) => JSON.stringify(await run(ctx)));
  const answer: Answer = await send(server, 't');
  return { answer, server };
}

describe('work that a round left behind', () => {
  it.each([
    ['a step', (ctx: RequestContext, work: () => Promise<never>) => ctx.step('s', work)],
    ['an effect', (ctx: RequestContext, work: () => Promise<never>) => ctx.once('e', work)],
  ])('ends no process when it fails: %s', async (_what, begin) => {
    const unheard: unknown[] = [];
    let hasFailed = false;
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    const run = async (ctx: RequestContext): Promise<unknown> => {
      const forecast = begin(ctx, async () => {
        await nextTurn();
        hasFailed = true;
        throw new Error('no weather today');
      });
      await ctx.elicit('who', question);
      return forecast.catch((error: Error) => error.message);
    };
    const { answer, server } = await round(run);
    expect(answer.asks).toEqual(['who']);
    await until(() => hasFailed);
    await nextTurn();
    expect(unheard).toEqual([]);
    const next = await send(server, 't', {}, { state: answer.state, answers: { who: accept({ name: 'Ada' }) } });
    expect(next.text).toBe('"no weather today"');
  });
});

describe('what a handler dropped', () => {
  /** A schema that takes its time to check a result. */
  const slow = z.object({ won: z.number() }).refine(async () => {
    await someTurns();
    return true;
  });

  it('is not asked, however long the result takes to be made', async () => {
    const server = createServer({ name: 'ends', version: '1.0.0' })
      .tool('t', { output: slow }, async (_args, ctx) => {
        await Promise.race([Promise.resolve(), ctx.elicit('who', question)]);
        return { won: 1 };
      })
      .resource('test://r', { name: 'r' }, async (_uri, ctx) => {
        await Promise.race([Promise.resolve(), ctx.elicit('who', question)]);
        return (async function* read() {
          await someTurns();
          yield 'won';
        })();
      });
    expect((await send(server, 't')).result).toMatchObject({ structuredContent: { won: 1 } });
    const { result } = await send(server, 'test://r', {}, { method: 'resources/read' });
    expect(result).toMatchObject({ contents: [{ text: 'won' }] });
  });
});
