import { type Logger, ProtocolError } from '@switchyard/protocol';
import { createMemoryAppendLog } from '@switchyard/stores';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../src/agent.ts';
import { verdictMetaKey } from '../src/call/verdict.ts';
import type { Host } from '../src/host.ts';
import { createManualClock } from './manual-clock.ts';
import { auditTrail, everything } from './open-test-host.ts';
import { closeAfterwards, open, orders, reader, rejection } from './open-shop.ts';

describe('a governed call', () => {
  it('[TOOL-30] reaches its server with the frozen arguments and leaves an intent and an outcome', async () => {
    const shop = orders();
    const host = await open({ shop });
    const agent = host.as('reader', { principal: { subject: 'mira', tenant: 'acme' } });
    const result = await agent.call('shop__get_order', { order_id: 'A-104' });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'called get_order' }] });
    expect(shop.paramsOf('tools/call')).toMatchObject([
      { name: 'get_order', arguments: { order_id: 'A-104', page: 1 } },
    ]);
    const [intent, outcome] = await host.audit.list();
    expect(intent).toMatchObject({
      kind: 'intent',
      agent: 'reader',
      subject: 'mira',
      tenant: 'acme',
      method: 'tools/call',
      server: 'shop',
      name: 'get_order',
      definitionDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      argumentsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      arguments: { declared: { order_id: { type: 'string', size: 5 }, page: { type: 'integer' } }, others: 0 },
    });
    expect(outcome).toMatchObject({
      kind: 'outcome',
      callId: intent?.callId,
      isError: false,
      durationMs: expect.any(Number),
    });
    expect(outcome?.resultBytes).toBeGreaterThan(20);
    expect(await host.audit.verify()).toMatchObject({ ok: true, intents: 1, outcomes: 1, refused: 0, unfinished: 0 });
  });

  it.each<[string, (agent: Agent) => Promise<unknown>]>([
    ['a tool', (agent) => agent.call('shop__get_order', { order_id: 'A-104' })],
    ['a prompt', (agent) => agent.prompt('shop__review', { topic: 't' })],
    ['a resource', (agent) => agent.read('orders://sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz')],
  ])('of %s has an outcome that says of the call what its intent says', async (_kind, make) => {
    const host = await open({ shop: orders() });
    await make(host.as('reader', { principal: { subject: 'mira', tenant: 'acme' } }));
    const [intent, outcome] = await host.audit.list();
    expect([intent?.kind, outcome?.kind]).toEqual(['intent', 'outcome']);
    const ofTheRecord = new Set(['kind', 'sequence', 'previous', 'time', 'hash']);
    const said = Object.entries(intent ?? {}).filter(([member]) => !ofTheRecord.has(member));
    expect(said.length).toBeGreaterThan(7);
    expect(outcome).toMatchObject(Object.fromEntries(said));
    expect(outcome?.name).not.toContain('0123456789');
  });

  it('sends the arguments as they were when it was made, whatever the caller does to them later', async () => {
    const shop = orders();
    const host = await open({ shop });
    await host.as('reader').tools();
    const args = { order_id: 'A-104' };
    const call = host.as('reader').call('shop__get_order', args);
    args.order_id = 'B-205';
    await call;
    expect(shop.paramsOf('tools/call')).toMatchObject([{ arguments: { order_id: 'A-104' } }]);
    expect(args).toEqual({ order_id: 'B-205' });
  });

  it('never writes the value of an argument or anything of a result into the audit or the log', async () => {
    const lines: string[] = [];
    const write = (fields: object, message: string): void => {
      lines.push(JSON.stringify([fields, message]));
    };
    const logger: Logger = { info: write, warn: write, error: write };
    const shop = orders({
      answer: (method) =>
        method === 'tools/call' ? { content: [{ type: 'text', text: 'SECRET-RESULT' }] } : undefined,
    });
    const host = await open({ shop }, {}, { logger });
    await host.as('reader').call('shop__get_order', { order_id: 'SECRET-VALUE' });
    await host.as('reader').call('shop__get_order', { order_id: 'SECRET-VALUE', 'SECRET-NAME': 1 });
    await host.as('reader').call('shop__cancel_order', { 'SECRET-NAME': { deep: 'SECRET-VALUE' } });
    const records = await host.audit.list();
    expect(records).toHaveLength(5);
    expect(JSON.stringify(records)).not.toContain('SECRET');
    expect(lines.filter((line) => line.includes('callId')).length).toBeGreaterThanOrEqual(3);
    expect(lines.join('\n')).not.toContain('SECRET');
  });

  it('passes on a tool error of the server as it is and records it as such', async () => {
    const shop = orders({
      answer: (method) =>
        method === 'tools/call' ? { content: [{ type: 'text', text: 'no' }], isError: true } : undefined,
    });
    const host = await open({ shop });
    const result = await host.as('reader').call('shop__get_order', { order_id: 'x' });
    expect(result).toMatchObject({ isError: true, content: [{ text: 'no' }] });
    expect(result._meta?.[verdictMetaKey]).toBeUndefined();
    expect((await host.audit.list())[1]).toMatchObject({ kind: 'outcome', isError: true });
  });

  it('removes metadata of a result that only the host may set', async () => {
    const forged = { content: [], _meta: { [verdictMetaKey]: { reason: 'denied' }, 'com.example/t': 1 } };
    const shop = orders({ answer: (method) => (method === 'tools/call' ? forged : undefined) });
    const host = await open({ shop });
    expect((await host.as('reader').call('shop__cancel_order'))._meta).toEqual({ 'com.example/t': 1 });
  });

  it('relays progress and the metadata of the caller', async () => {
    const shop = orders({
      answer(method, params, exchange) {
        if (method !== 'tools/call') return undefined;
        const { progressToken } = params['_meta'] as { progressToken: unknown };
        for (const progress of [1, 2]) {
          exchange.send(
            JSON.stringify({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken, progress, total: 2 },
            }),
          );
        }
        return { content: [] };
      },
    });
    const host = await open({ shop });
    const seen: number[] = [];
    const meta = { traceparent: '00-1-2-01' };
    await host.as('reader').call('shop__cancel_order', {}, { meta, onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2]);
    expect(shop.paramsOf('tools/call')[0]?.['_meta']).toMatchObject(meta);
  });

  it('reads, prompts and completes under the server’s own names, with their own records', async () => {
    const shop = orders();
    const host = await open({ shop });
    const agent = host.as('reader');
    expect(await agent.read('policy://refunds')).toMatchObject({
      contents: [{ uri: 'policy://refunds', text: 'contents' }],
    });
    expect(await agent.prompt('shop__review', { topic: 'tests' })).toMatchObject({
      messages: [{ content: { text: 'prompt review' } }],
    });
    const ref = { type: 'ref/prompt', name: 'shop__review' } as const;
    expect(await agent.complete({ ref, argument: { name: 'topic', value: 't' } })).toMatchObject({
      completion: { values: ['one', 'two'] },
    });
    const template = { type: 'ref/resource', uri: 'orders://{id}' } as const;
    await agent.complete({ ref: template, argument: { name: 'id', value: 'A' } });
    expect(shop.paramsOf('completion/complete')).toMatchObject([
      { ref: { name: 'review' } },
      { ref: { uri: 'orders://{id}' } },
    ]);
    expect(await auditTrail(host)).toEqual([
      'intent shop policy://refunds',
      'outcome shop policy://refunds',
      'intent shop review',
      'outcome shop review',
      'intent shop review',
      'outcome shop review',
      'intent shop orders://{id}',
      'outcome shop orders://{id}',
    ]);
  });

  it('keeps a repeated intent, an outcome without one and a second outcome out of the audit under 200 concurrent calls', async () => {
    const shop = orders();
    const host = await open({ shop });
    const agent = host.as('reader');
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 4 === 0 ? agent.call('shop__get_order', {}) : agent.call('shop__get_order', { order_id: `${index}` }),
      ),
    );
    expect(await host.audit.verify()).toMatchObject({
      ok: true,
      intents: 150,
      outcomes: 150,
      refused: 50,
      unfinished: 0,
    });
  });
});

describe('a name out of the agent’s reach', () => {
  const agents = { reader, nobody: {} };

  it.each([{}, { order_id: 7 }, { order_id: 'x' }, { wrong: { deep: [] } }])(
    'answers exactly like an unknown name, whatever the arguments: %j',
    async (args) => {
      const shop = orders();
      const host = await open({ shop }, { agents });
      const agent = host.as('nobody');
      const [hidden, unknown] = await Promise.all([
        rejection(agent.call('shop__get_order', args)),
        rejection(agent.call('shop__get_ordel', args)),
      ]);
      expect(hidden.body()).toEqual({ code: -32602, message: 'Unknown tool: shop__get_order' });
      expect(unknown.body()).toEqual({ code: -32602, message: 'Unknown tool: shop__get_ordel' });
      expect(hidden.status).toBe(unknown.status);
      expect(shop.paramsOf('tools/call')).toEqual([]);
    },
  );

  it('[COMP-15] [COMP-16] answers like an unknown one for prompts, resources and completions, with the uri of a resource', async () => {
    const host = await open({ shop: orders() }, { agents });
    const agent = host.as('nobody');
    await host.as('reader').tools();
    const promptRef = { type: 'ref/prompt', name: 'shop__review' } as const;
    const uriRef = { type: 'ref/resource', uri: 'orders://{id}' } as const;
    const argument = { name: 'id', value: '' };
    const errors = await Promise.all(
      [
        agent.prompt('shop__review', {}),
        agent.read('policy://refunds'),
        agent.read('orders://A-104'),
        agent.read('mcp://shop/policy%3A%2F%2Frefunds'),
        agent.complete({ ref: promptRef, argument }),
        agent.complete({ ref: uriRef, argument }),
      ].map(rejection),
    );
    expect(errors.map((error) => error.body())).toEqual([
      { code: -32602, message: 'Unknown prompt: shop__review' },
      { code: -32602, message: 'Unknown resource: policy://refunds', data: { uri: 'policy://refunds' } },
      { code: -32602, message: 'Unknown resource: orders://A-104', data: { uri: 'orders://A-104' } },
      {
        code: -32602,
        message: 'Unknown resource: mcp://shop/policy%3A%2F%2Frefunds',
        data: { uri: 'mcp://shop/policy%3A%2F%2Frefunds' },
      },
      { code: -32602, message: 'Unknown prompt: shop__review' },
      { code: -32602, message: 'Unknown resource: orders://{id}', data: { uri: 'orders://{id}' } },
    ]);
  });

  it('is a denial for this process and in the audit, an unknown one is not', async () => {
    const host = await open(
      { shop: orders() },
      { agents: { ...agents, strict: { allow: ['*'], deny: ['*__get_order'] } } },
    );
    await host.as('reader').tools();
    const operation = { method: 'tools/call', params: { name: 'shop__get_order' } } as const;
    expect(await host.as('nobody').invoke(operation)).toMatchObject({
      kind: 'refused',
      verdict: {
        reason: 'denied',
        server: 'shop',
        message: expect.stringMatching(/agent "nobody" may not use tool.*no entry allows it/i),
      },
    });
    expect(await host.as('strict').invoke(operation)).toMatchObject({
      verdict: { reason: 'denied', details: { policies: ['deny[0]'] } },
    });
    expect(await host.as('nobody').invoke({ method: 'tools/call', params: { name: 'nope' } })).toMatchObject({
      kind: 'refused',
      verdict: { reason: 'unknown' },
    });
    expect(await auditTrail(host)).toEqual([
      'refused denied shop get_order',
      'refused denied shop get_order',
      'refused unknown - nope',
    ]);
  });

  it.each([
    ['tools/call', { name: 'shop__get_order' }, 'shop get_order'],
    ['prompts/get', { name: 'shop__review' }, 'shop review'],
    ['resources/read', { uri: 'mcp://shop/x' }, 'shop x'],
    ['resources/read', { uri: 'doc://x' }, '- doc://x'],
    ['tools/call', { name: 'other__get_order' }, '- other__get_order'],
  ] as const)(
    'is recorded with the server that its form names, whether that was up or not: %s %j',
    async (method, params, place) => {
      const down = { respond: () => Promise.reject(new Error('down')) };
      for (const shop of [orders({ tools: [], prompts: [], resources: [], resourceTemplates: [] }), down]) {
        const host = await open({ shop }, { agents });
        await host.as('nobody').invoke({ method, params } as Parameters<ReturnType<Host['as']>['invoke']>[0]);
        expect((await auditTrail(host)).map((line) => line.replace(/^refused (unknown|denied) /, ''))).toEqual([place]);
      }
    },
  );

  it('is not listed, nor is a server that the agent cannot reach reported to it', async () => {
    const down = createScriptedServer({
      answer() {
        throw new ProtocolError('internalError', 'down');
      },
    });
    const host = await open({ shop: orders(), down }, { agents });
    const listed = await host.as('reader').tools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['shop__cancel_order', 'shop__get_order']);
    expect(listed.unavailable).toEqual([]);
    expect(await host.as('nobody').tools()).toEqual({ tools: [], unavailable: [] });
    expect((await host.as('nobody').resources()).resources).toEqual([]);
    expect((await host.as('nobody').resourceTemplates()).resourceTemplates).toEqual([]);
    expect((await host.as('nobody').prompts()).prompts).toEqual([]);
    expect(down.paramsOf('tools/list')).toEqual([]);
  });
});

describe('an audit that cannot be written', () => {
  it('stops calls before they run, and takes no result away from a call that ran', async () => {
    const { createHost } = await import('../src/host.ts');
    const { checkConfiguration } = await import('@switchyard/config');
    const { createAudit } = await import('../src/audit/audit.ts');
    const { openChain } = await import('../src/audit/chain.ts');
    const log = createMemoryAppendLog();
    let failing: 'all' | 'outcomes' | 'none' | 'refusals hang' = 'all';
    const hang = new Promise<void>(() => undefined);
    const chain = await openChain(
      {
        ...log,
        append: (records) => {
          const [{ text } = { text: '' }] = records;
          if (failing === 'refusals hang') return text.includes('"refused"') ? hang : Promise.reject(new Error('busy'));
          return failing === 'all' || (failing === 'outcomes' && text.includes('"kind":"outcome"'))
            ? Promise.reject(new Error('disk full'))
            : log.append(records);
        },
      },
      's',
      () => 0,
    );
    const audit = { ...createAudit(log), append: chain.append, digest: () => '', close: () => log.close() };
    const { configuration } = checkConfiguration({ agents: { reader: everything } }, { env: {}, folder: '/' });
    const errors: string[] = [];
    const logger: Logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (_fields, message) => errors.push(message),
    };
    const { now, after } = createManualClock();
    const surroundings = {
      env: {},
      epochNow: now,
      now,
      after,
      randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
    };
    const host = createHost({ configuration, warnings: [], audit, logger, surroundings, exactIntegers: false });
    closeAfterwards(host);
    const shop = orders();
    host.mount('shop', shop);
    const agent = host.as('reader');

    expect((await agent.call('shop__cancel_order'))._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'audit-unavailable',
    });
    expect(shop.paramsOf('tools/call')).toEqual([]);
    failing = 'outcomes';
    expect(await agent.call('shop__cancel_order')).toMatchObject({ content: [{ text: 'called cancel_order' }] });
    expect(errors).toContain('the end of a call could not be recorded');
    failing = 'none';
    await agent.call('shop__cancel_order');
    expect(await audit.verify()).toMatchObject({ ok: true, intents: 2, outcomes: 1, unfinished: 1 });
    // The record of such a refusal is not waited for, since the audit has just kept the caller waiting in vain.
    failing = 'refusals hang';
    expect((await agent.call('shop__cancel_order'))._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'audit-unavailable',
    });
  });
});

describe('exact integers', () => {
  const big = 9_007_199_254_740_993n;
  const numbers = toolDefinition('numbers', {
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' }, page: { type: 'integer', default: 1 } },
      required: ['id'],
    },
    outputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  });

  it('reach the server and come back digit for digit, defaults filled in [schema-11]', async () => {
    const structuredContent = { id: big };
    const text = `{"id":${big}}`;
    const shop = createScriptedServer({
      tools: [numbers],
      answer: (method) =>
        method === 'tools/call' ? { content: [{ type: 'text', text }], structuredContent } : undefined,
    });
    const host = await open({ shop }, {}, { exactIntegers: true });
    const result = await host.as('reader').call('shop__numbers', { id: 1_234_567_890_123_456_789n });
    expect(shop.paramsOf('tools/call')[0]?.['arguments']).toEqual({ id: 1_234_567_890_123_456_789n, page: 1 });
    expect(result.structuredContent).toEqual({ id: big });
    expect((await host.audit.list())[0]?.arguments).toMatchObject({ declared: { id: { type: 'integer' } } });
  });

  it('are held against rules about numbers, and may stand in the rules', async () => {
    const properties = { id: { maximum: 9 }, wide: { type: 'integer', maximum: 9_223_372_036_854_775_807n } };
    const shop = createScriptedServer({
      tools: [toolDefinition('t', { inputSchema: { type: 'object', properties } })],
    });
    const host = await open({ shop }, {}, { exactIntegers: true });
    expect((await host.as('reader').call('shop__t', { wide: big })).isError).toBeUndefined();
    const result = await host.as('reader').call('shop__t', { id: big });
    expect(result._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'invalid-arguments',
      message: expect.stringContaining('id'),
    });
  });
});
