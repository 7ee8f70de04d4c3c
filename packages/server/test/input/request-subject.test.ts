import { createServer } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { accept, send } from './input-route.ts';

const form = { message: 'Go on?', schema: z.object({ yes: z.boolean() }) };
const answers = { ok: accept({ yes: true }) };

/** Members that other methods have: `name` and `arguments` of tools, `uri` of resources. */
const foreign = [{ name: 'files://a' }, { name: 'tool_a', arguments: { to: 'a' } }, { uri: 'files://a' }];
const targets = [
  ['resources/read', 'files://a', 'files://b'],
  ['tools/call', 'tool_a', 'tool_b'],
  ['prompts/get', 'prompt_a', 'prompt_b'],
] as const;
const cases = targets.flatMap(([method, a, b]) =>
  foreign
    .filter((others) => (method === 'resources/read' ? !('uri' in others) : 'uri' in others))
    .map((others) => [method, JSON.stringify(others), { method, others }, a, b] as const),
);

function create() {
  const ran: string[] = [];
  const server = createServer(
    { name: 'subject', version: '1.0.0' },
    { records: createMemoryRecordStore({ epochNow: () => Date.now() }) },
  );
  const run = async (name: string, ctx: Parameters<Parameters<typeof server.tool>[2]>[1]): Promise<string> => {
    await ctx.step('approve', () => name);
    await ctx.elicit('ok', form);
    return ctx.once('charge', () => {
      ran.push(name);
      return `receipt of ${name}`;
    });
  };
  server.resourceTemplate('files://{doc}', { name: 'files' }, ({ doc }, ctx) => run(`files://${String(doc)}`, ctx));
  for (const name of ['tool_a', 'tool_b']) server.tool(name, {}, (_args, ctx) => run(name, ctx));
  for (const name of ['prompt_a', 'prompt_b']) server.prompt(name, {}, (_args, ctx) => run(name, ctx));
  return { server, ran };
}

describe('what a request is for', () => {
  it.each(cases)(
    '[MRTR-14] is what its method says, so that no other member makes a state good for it: %s with %s',
    async (_method, _others, extra, a, b) => {
      const { server, ran } = create();
      for (const others of [extra.others, {}]) {
        const { state } = await send(server, a, {}, { ...extra, others });
        expect(state).toBeTypeOf('string');
        expect((await send(server, b, {}, { ...extra, state, answers })).error?.code).toBe(-32602);
      }
      expect(ran).toEqual([]);
    },
  );

  it.each(cases)(
    'is what its method says, so that effects are neither shared nor repeated by another member: %s with %s',
    async (_method, _others, extra, a, b) => {
      const { server, ran } = create();
      const finish = async (name: string, others: object): Promise<string> => {
        const { state } = await send(server, name, {}, { ...extra, others });
        return JSON.stringify((await send(server, name, {}, { ...extra, others, state, answers })).result);
      };
      for (const others of [extra.others, {}]) {
        expect(await finish(a, others)).toContain(`receipt of ${a}`);
        expect(await finish(b, others)).toContain(`receipt of ${b}`);
      }
      expect(ran).toEqual([a, b]);
    },
  );
});

describe('the definition that a request is for', () => {
  const define = (server: ReturnType<typeof createServer>, inFirstRun: () => void) => {
    let runs = 0;
    return server.tool('pay', { description: 'Pays in euros' }, async (_args, ctx) => {
      runs += 1;
      const amount = await ctx.step('amount', () => {
        if (runs === 1) inFirstRun();
        return '100 EUR';
      });
      await ctx.elicit('ok', form);
      return `old: ${amount}`;
    });
  };

  it('[MRTR-14] is the one that served it: a state is not good for one that came while the handler ran', async () => {
    const server = createServer({ name: 'subject', version: '1.0.0' });
    define(server, () => {
      server.removeTool('pay');
      server.tool('pay', { description: 'Pays in cents' }, async (_args, ctx) => {
        const amount = await ctx.step('amount', () => 10_000);
        await ctx.elicit('ok', form);
        return `new: ${amount}`;
      });
    });
    const { state } = await send(server, 'pay');
    expect((await send(server, 'pay', {}, { state, answers })).error?.code).toBe(-32602);
  });

  it('is the one that served it: a state is good when that is back', async () => {
    const server = createServer({ name: 'subject', version: '1.0.0' });
    define(server, () => server.removeTool('pay'));
    const { state } = await send(server, 'pay');
    define(server, () => undefined);
    expect((await send(server, 'pay', {}, { state, answers })).text).toBe('old: 100 EUR');
  });
});
