import {
  createServer,
  formQuestion,
  inputRequired,
  rootsQuestion,
  type Server,
  silentLogger,
} from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, until } from '../tasks/task-route.ts';
import { accept, send } from './input-route.ts';

const question = formQuestion({ message: 'Who?', schema: z.object({ name: z.string() }) });

describe('inputRequired', () => {
  const create = () =>
    createServer({ name: 'explicit', version: '1.0.0' }).tool('t', {}, (_args, ctx) => {
      const { resumed } = ctx;
      if (resumed === undefined) return inputRequired({ requests: { who: question }, keep: { stage: 1 } });
      const { stage } = resumed.kept as { readonly stage: number };
      if (stage === 1)
        return inputRequired({
          requests: { folders: rootsQuestion() },
          keep: { stage: 2, who: resumed.answers['who'] },
        });
      return JSON.stringify(resumed);
    });

  it('[MRTR-17] asks, and finds what it kept and the answers on the retry', async () => {
    const server = create();
    const one = await send(server, 't');
    expect(one.asks).toEqual(['who']);
    const two = await send(server, 't', {}, { state: one.state, answers: { who: accept({ name: 'Ada' }), junk: {} } });
    expect(two.asks).toEqual(['folders']);
    const three = await send(server, 't', {}, { state: two.state, answers: { folders: { roots: [] } } });
    expect(JSON.parse(three.text ?? '')).toEqual({
      answers: { folders: { roots: [] } },
      kept: { stage: 2, who: accept({ name: 'Ada' }) },
    });
  });

  it('[MRTR-06] may keep something and ask nothing, and must do one of them', async () => {
    const server = createServer({ name: 'explicit', version: '1.0.0' }).tool('t', {}, (_args, ctx) =>
      ctx.resumed === undefined ? inputRequired({ keep: 'later' }) : String(ctx.resumed.kept),
    );
    const { result, state } = await send(server, 't');
    expect(result).not.toHaveProperty('inputRequests');
    expect((await send(server, 't', {}, { state })).text).toBe('later');
    expect(() => inputRequired({})).toThrow(/ask for something/);
  });

  it('[MRTR-18] refuses an answer of the wrong shape', async () => {
    const server = create();
    const { state } = await send(server, 't');
    expect((await send(server, 't', {}, { state, answers: { who: { action: 'perhaps' } } })).error?.code).toBe(-32602);
  });

  it('is what answers without a state are for: they say nothing before it asks, and no others are taken', async () => {
    const server = create();
    const retry = (answers: object) => send(server, 't', {}, { answers: answers as never });
    expect((await retry({ junk: {} })).asks).toEqual(['who']);
    expect((await retry({ who: accept({ name: 'Ada' }), junk: {} })).asks).toEqual(['folders']);
    expect((await retry({ who: accept({ name: 'Ada' }), folders: { roots: [] } })).asks).toEqual(['folders']);
    expect((await retry({ who: { action: 'perhaps' } })).error?.code).toBe(-32602);
    const seen: unknown[] = [];
    const linear = createServer({ name: 'explicit', version: '1.0.0' }).tool('t', {}, (_args, ctx) => {
      seen.push(ctx.resumed);
      return '';
    });
    await send(linear, 't', {}, { answers: { who: accept({ name: 'Ada' }) } });
    expect(seen).toEqual([undefined]);
  });

  it('is counted as a round', async () => {
    const server = createServer({ name: 'explicit', version: '1.0.0' }, { state: { maxRounds: 2 } }).tool('t', {}, () =>
      inputRequired({ keep: 0 }),
    );
    let answer = await send(server, 't');
    for (let round = 1; round < 3; round += 1) answer = await send(server, 't', {}, { state: answer.state });
    expect(answer.result).toMatchObject({ isError: true });
  });

  it.each<[string, (server: Server) => Promise<unknown>]>([
    ['in a call', async (server) => (await send(server, 't')).result],
    [
      'in a task',
      async (server) => {
        const { taskId } = await call(server, 't');
        return (await until(server, taskId, 'completed')).result;
      },
    ],
  ])('fails as if the handler threw where what it keeps is no JSON: %s', async (_where, resultOf) => {
    const server = createServer({ name: 'explicit', version: '1.0.0' }, { logger: silentLogger }).tool(
      't',
      { task: 'optional' },
      async (_args, ctx) => {
        await ctx.task();
        return inputRequired({ keep: new Map() });
      },
    );
    expect(await resultOf(server)).toMatchObject({ isError: true });
  });

  it('may be returned by resources and prompts', async () => {
    const server = createServer({ name: 'explicit', version: '1.0.0' })
      .resource('test://r', { name: 'r' }, (_uri, ctx) =>
        ctx.resumed === undefined
          ? inputRequired({ requests: { who: question } })
          : JSON.stringify(ctx.resumed.answers),
      )
      .prompt('p', {}, (_args, ctx) =>
        ctx.resumed === undefined
          ? inputRequired({ requests: { who: question } })
          : JSON.stringify(ctx.resumed.answers),
      );
    for (const [method, target] of [
      ['resources/read', 'test://r'],
      ['prompts/get', 'p'],
    ] as const) {
      const one = await send(server, target, {}, { method });
      expect(one.asks).toEqual(['who']);
      const two = await send(server, target, {}, { method, state: one.state, answers: { who: { action: 'cancel' } } });
      expect(JSON.stringify(two.result)).toContain('cancel');
    }
  });
});
