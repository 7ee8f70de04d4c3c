import { once } from 'node:events';

import type { RequestContext } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { someTurns, until } from '../turns.ts';
import { send } from './input-route.ts';
import { createOneTool, question } from './one-tool.ts';

describe('a run that is first used after its end', () => {
  const use = (ctx: RequestContext, ran: string[]): void => {
    ctx.onRoundEnd(() => ran.push('released'));
    void ctx.step('s', () => ran.push('step'));
    void ctx.once('e', () => ran.push('effect'));
    void ctx.elicit('who', question).then(() => ran.push('answer'));
  };

  it.each<[string, (ctx: RequestContext, ran: string[]) => Promise<unknown>]>([
    ['when the time of the call is over', (ctx, ran) => once(ctx.signal, 'abort').then(() => use(ctx, ran))],
    ['when the handler has returned', async (ctx, ran) => void setImmediate(() => use(ctx, ran))],
    [
      'when the handler has thrown',
      (ctx, ran) => {
        setImmediate(() => use(ctx, ran));
        return Promise.reject(new Error('at once'));
      },
    ],
  ])('releases what it is given, and runs no work: %s', async (_when, run) => {
    const ran: string[] = [];
    const server = createOneTool((ctx) => run(ctx, ran), { timeoutMs: 20 });
    await send(server, 't');
    await until(() => ran.length > 0);
    await someTurns();
    expect(ran).toEqual(['released']);
  });
});
