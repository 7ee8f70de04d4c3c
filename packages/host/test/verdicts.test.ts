import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, type ServerScript, toolDefinition } from '@switchyard/testing';
import { describe, expect, it, vi } from 'vitest';
import { verdictMetaKey, verdictReasons } from '../src/call/verdict.ts';
import { rest } from './manual-clock.ts';
import { open } from './open-for-test.ts';
import { auditTrail, everything, type openTestHost } from './open-test-host.ts';
import { getOrder, orders, ran, rejection } from './shop.ts';

describe('each verdict', () => {
  interface Case {
    readonly reason: keyof typeof verdictReasons;
    readonly script?: Partial<ServerScript>;
    readonly args?: Record<string, unknown>;
    readonly trail: readonly string[];
    readonly message: RegExp;
    readonly configuration?: Parameters<typeof openTestHost>[1];
  }

  const on = (answer: () => unknown): Partial<ServerScript> => ({
    answer: (method) => (method === 'tools/call' ? answer() : undefined),
  });

  const declared = {
    tools: [{ ...getOrder, outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }],
  };

  const cases: Case[] = [
    {
      reason: 'invalid-arguments',
      args: { order_id: 7 },
      trail: ['refused invalid-arguments shop get_order'],
      message: /order_id.*string/,
    },
    { reason: 'invalid-arguments', args: {}, trail: ['refused invalid-arguments shop get_order'], message: /order_id/ },
    {
      reason: 'invalid-arguments',
      args: { order_id: 'x', sum: 1 },
      trail: ['refused invalid-arguments shop get_order'],
      message: /sum/,
    },
    {
      reason: 'invalid-arguments',
      args: { order_id: '\ud800' },
      trail: ['refused invalid-arguments shop get_order'],
      message: /Unicode/,
    },
    {
      reason: 'invalid-arguments',
      args: { order_id: 'x'.repeat(2000) },
      configuration: { limits: { maxArgumentsBytes: 1024 } },
      trail: ['refused invalid-arguments shop get_order'],
      message: /1024 bytes/,
    },
    {
      // With the defaults of the definition, which the caller did not send.
      reason: 'invalid-arguments',
      script: {
        tools: [
          toolDefinition('get_order', {
            inputSchema: { type: 'object', properties: { note: { type: 'string', default: 'x'.repeat(2000) } } },
          }),
        ],
      },
      configuration: { limits: { maxArgumentsBytes: 1024 } },
      trail: ['refused invalid-arguments shop get_order'],
      message: /1024 bytes/,
    },
    {
      reason: 'approval-required',
      configuration: { agents: { reader: { ask: ['*'] } } },
      trail: ['refused approval-required shop get_order'],
      message: /needs an approval/,
    },
    {
      reason: 'result-rejected',
      script: { ...declared, ...on(() => ({ content: [] })) },
      trail: ran('result-rejected'),
      message: /"shop".*output schema/,
    },
    {
      reason: 'result-rejected',
      script: { ...declared, ...on(() => ({ content: [], structuredContent: { n: 'SECRET' } })) },
      trail: ran('result-rejected'),
      message: /"shop".*output schema at "\/n" \(type\)/,
    },
    {
      reason: 'result-rejected',
      script: on(() => ({
        content: [{ type: 'text', text: '{"ok":true}' }],
        structuredContent: { ok: false, note: 'SECRET' },
      })),
      trail: ran('result-rejected'),
      message: /"shop".*do not agree/,
    },
    {
      reason: 'result-rejected',
      configuration: { limits: { maxResultBytes: 1024 } },
      script: on(() => ({ content: [{ type: 'text', text: 'SECRET'.repeat(1000) }] })),
      trail: ran('result-rejected'),
      message: /"shop".*1024/,
    },
    {
      reason: 'result-rejected',
      configuration: { limits: { maxResultBytes: 1024 } },
      script: on(() => ({ content: [{ type: 'text', text: 'SECRET'.repeat(100_000) }] })),
      trail: ran('result-rejected'),
      message: /"shop".*over the limit/,
    },
    {
      reason: 'result-rejected',
      script: on(() => ({ content: [{ type: 'text', text: 7, note: 'SECRET' }] })),
      trail: ran('result-rejected'),
      message: /"shop"/,
    },
    {
      reason: 'result-rejected',
      script: on(() => ({ resultType: 'surprise', content: [] })),
      trail: ran('result-rejected'),
      message: /"shop".*surprise/,
    },
  ];

  it.each(cases)(
    '$reason is a complete result with isError, the verdict in _meta and its records: $message',
    async (each) => {
      const shop = orders(each.script);
      const host = await open({ shop }, each.configuration);
      const result = await host.as('reader').call('shop__get_order', each.args ?? { order_id: 'A-104' });
      expect(result).toMatchObject({ resultType: 'complete', isError: true });
      const verdict = result._meta?.[verdictMetaKey];
      expect(verdict).toEqual({
        reason: each.reason,
        message: expect.stringMatching(each.message),
        server: 'shop',
        tool: 'shop__get_order',
        ...(each.trail.length > 1 ? { effect: 'unknown' } : {}),
      });
      expect(result.content).toEqual([{ type: 'text', text: (verdict as { message: string }).message }]);
      expect(JSON.stringify(result)).not.toContain('SECRET');
      expect(await auditTrail(host)).toEqual(each.trail);
      expect((await host.audit.verify()).ok).toBe(true);
      if (each.trail.length === 1) expect(shop.paramsOf('tools/call')).toEqual([]);
    },
  );

  it('invalid-arguments takes the place of nothing that runs: deep, cyclic and unserialisable arguments too', async () => {
    const host = await open({ shop: orders() });
    const agent = host.as('reader');
    const cyclic: Record<string, unknown> = { order_id: 'x' };
    cyclic['self'] = cyclic;
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    for (const args of [cyclic, { deep }, { toJSON: () => undefined }, { order_id: 1n }]) {
      expect((await agent.call('shop__cancel_order', args)) as object).toHaveProperty('content');
      const outcome = await agent.invoke({
        method: 'tools/call',
        params: { name: 'shop__get_order', arguments: args },
      });
      expect(outcome).toMatchObject({ kind: 'refused', verdict: { reason: 'invalid-arguments' } });
    }
    expect((await host.audit.verify()).ok).toBe(true);
  });

  it('approval-required, result-rejected and their like are positive codes of one table for read, prompt and complete', async () => {
    const agents = { reader: { ask: ['prompt:*', 'resource:*'] }, all: everything };
    const shop = orders({ answer: (method) => (method === 'prompts/get' ? { messages: 'none' } : undefined) });
    const host = await open({ shop }, { agents });
    const ref = { type: 'ref/prompt', name: 'shop__review' } as const;
    const asked = await Promise.all(
      [
        host.as('reader').read('policy://refunds'),
        host.as('reader').prompt('shop__review', { topic: 't' }),
        host.as('reader').complete({ ref, argument: { name: 'topic', value: '' } }),
      ].map(rejection),
    );
    for (const error of asked) {
      expect(error.body()).toMatchObject({
        code: verdictReasons['approval-required'].code,
        data: { reason: 'approval-required', server: 'shop', message: error.message },
      });
    }
    const rejected = await rejection(host.as('all').prompt('shop__review', { topic: 't' }));
    expect(rejected.body()).toMatchObject({
      code: verdictReasons['result-rejected'].code,
      data: { reason: 'result-rejected' },
    });
    const codes = Object.values(verdictReasons).flatMap((entry) => ('code' in entry ? [entry.code] : []));
    expect(codes.every((code) => code > 0)).toBe(true);
    expect(new Set(codes)).toHaveLength(codes.length);
  });

  it.each([{}, { topic: 7 }, { argument: 'a' }, { argument: { name: 'topic' } }])(
    'wrong arguments of a prompt are -32602: %j',
    async (args) => {
      const shop = orders();
      const host = await open({ shop });
      const error = await rejection(host.as('reader').prompt('shop__review', args as Record<string, string>));
      expect(error.body()).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^The arguments of shop__review are not valid\..*"\/(?:topic|argument)"/),
        data: { reason: 'invalid-arguments' },
      });
      expect(shop.paramsOf('prompts/get')).toEqual([]);
      expect(await auditTrail(host)).toEqual(['refused invalid-arguments shop review']);
    },
  );

  it('overloaded refuses what is over the limit and nothing after a call has ended', async () => {
    const gate = Promise.withResolvers<object>();
    const shop = orders({ answer: (method) => (method === 'tools/call' ? gate.promise : undefined) });
    const host = await open({ shop }, { limits: { maxConcurrentCalls: 2 } });
    const agent = host.as('reader');
    await agent.tools();
    const held = [agent.call('shop__cancel_order'), agent.call('shop__cancel_order')];
    await rest();
    expect((await agent.call('shop__cancel_order'))._meta?.[verdictMetaKey]).toMatchObject({ reason: 'overloaded' });
    gate.resolve({ content: [] });
    await Promise.all(held);
    expect((await agent.call('shop__cancel_order')).isError).toBeUndefined();
  });

  it('unavailable names a server that never answered, with its reason, and only for names that the policy permits', async () => {
    const down = createScriptedServer({
      answer() {
        throw new ProtocolError('internalError', 'out of order');
      },
    });
    const host = await open({ down }, { agents: { reader: { allow: ['down__get_*'] } } });
    const agent = host.as('reader');
    expect(await agent.tools()).toMatchObject({
      tools: [],
      unavailable: [{ server: 'down', message: expect.stringContaining('"down"') }],
    });
    const result = await agent.call('down__get_order');
    expect(result._meta?.[verdictMetaKey]).toMatchObject({ reason: 'unavailable', server: 'down', effect: 'none' });
    expect(await rejection(agent.call('down__cancel_order'))).toMatchObject({ code: -32602 });
    expect(await auditTrail(host)).toEqual(['refused unavailable down get_order', 'refused denied down cancel_order']);
  });

  it('result-rejected says in the words of a host that a server asks for input, which its callers cannot answer', async () => {
    const question = {
      method: 'elicitation/create',
      params: { message: 'Which?', requestedSchema: { type: 'object', properties: { n: { type: 'string' } } } },
    };
    const shop = orders({
      answer: (method) =>
        method === 'tools/call'
          ? { resultType: 'input_required', requestState: 's', inputRequests: { q: question } }
          : undefined,
    });
    const host = await open({ shop });
    const result = await host.as('reader').call('shop__get_order', { order_id: '1' });
    const [block] = result.content;
    const said = block?.type === 'text' ? block.text : '';
    expect(said).toMatch(/^MCP server "shop" asks for input .* this host cannot pass on to its callers yet\./);
    expect(said).not.toMatch(/inputResponses|requestState|SDK/);
    expect(result._meta?.[verdictMetaKey]).toMatchObject({ reason: 'result-rejected', effect: 'unknown' });
  });

  it('a defect inside a stage is an internal failure with a reference, not a rejection, and has its records', async () => {
    const error = vi.fn<(fields: object, message: string) => void>();
    const shop = orders();
    const host = await open({ shop }, {}, { logger: { info: () => undefined, warn: () => undefined, error } });
    await host.as('reader').tools();
    const broken = new AbortController().signal;
    Object.defineProperty(broken, 'aborted', {
      get() {
        throw new Error('boom');
      },
    });
    const outcome = await host
      .as('reader')
      .invoke({ method: 'tools/call', params: { name: 'shop__cancel_order' } }, { signal: broken });
    expect(outcome).toMatchObject({ kind: 'refused', verdict: { reason: 'internal', effect: 'none' } });
    expect(JSON.stringify(outcome)).not.toContain('boom');
    expect(error).toHaveBeenCalled();
    expect(await auditTrail(host)).toEqual(['refused internal shop cancel_order']);
  });
});
