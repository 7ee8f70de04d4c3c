import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import type { Host } from '../src/host.ts';
import { open } from './open-for-test.ts';
import { auditTrail } from './open-test-host.ts';
import { orders, reader, rejection } from './shop.ts';

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
