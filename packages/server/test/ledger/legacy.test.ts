import { createServer, ProtocolError, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { legacyRequest, notificationOf, openLegacy } from '../legacy/legacy-route.ts';
import { createLegacyServer } from '../legacy/legacy-server.ts';

/** A server that makes tasks at revision 2026-07-28. */
function createJobs(): Server {
  return createServer({ name: 'jobs', version: '1.0.0' }, { logger: silentLogger }).tool(
    'job',
    { task: 'optional' },
    async (_args, ctx) => {
      await ctx.task();
      return 'done';
    },
  );
}

describe('a client of a revision before the version header', () => {
  it('[HDR-04] is served without it, batches included, at the revision that it settled', async () => {
    const peer = await (await openLegacy(createLegacyServer().server)).open('2025-03-26');
    const headers = { 'mcp-protocol-version': undefined };
    const one = await peer.post(legacyRequest('tools/list', {}, 1), { headers });
    expect([one.status, (await one.json()).result]).toEqual([
      200,
      expect.objectContaining({ tools: expect.anything() }),
    ]);
    const batch = [legacyRequest('ping', {}, 1), notificationOf('notifications/x'), legacyRequest('ping', {}, 2)];
    const both = await peer.post(batch, { headers });
    expect(await both.json()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ]);
  });
});

describe('a page that a client of revision 2025-11-25 opens', () => {
  const server = createServer({ name: 'pages', version: '1.0.0' }, { logger: silentLogger })
    .tool('pay', {}, async (_args, ctx) => {
      const { action } = await ctx.elicit('page', { message: 'Pay', url: 'https://pay.example/1' });
      return action;
    })
    .tool('first', {}, () => {
      const elicitations = [{ mode: 'url', elicitationId: 'e1', message: 'Pay', url: 'https://pay.example/1' }];
      throw new ProtocolError(-32_042, 'Open the page first', { data: { elicitations } });
    });

  it('[LEGS-25] is asked for under an id of its own, of a client that declared such pages', async () => {
    const peer = await (await openLegacy(server)).open('2025-11-25', { elicitation: { url: {} } });
    const ids = new Set<unknown>();
    for (const id of [1, 2]) {
      const events = (await peer.post(legacyRequest('tools/call', { name: 'pay' }, id))).events();
      const ask = await events.message();
      expect(ask).toMatchObject({
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId: expect.any(String) },
      });
      ids.add(ask?.params?.['elicitationId']);
      await peer.post({ jsonrpc: '2.0', id: ask?.id, result: { action: 'accept' } });
      expect((await events.rest()).at(-1)?.result).toMatchObject({ content: [{ text: 'accept' }] });
    }
    expect(ids.size).toBe(2);
    const plain = await (await openLegacy(server)).open('2025-11-25', { elicitation: {} });
    expect((await plain.request('tools/call', { name: 'pay' })).error).toMatchObject({ code: -32600 });
  });

  it('[LEGS-25] may be what an error asks for first', async () => {
    const peer = await (await openLegacy(server)).open('2025-11-25', { elicitation: { url: {} } });
    expect((await peer.request('tools/call', { name: 'first' })).error).toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', elicitationId: 'e1' }] },
    });
  });
});

describe('the experimental tasks of revision 2025-11-25', () => {
  it('[LEGS-27] are not offered, their methods are unknown, and a call that asks for one is answered as any other', async () => {
    const route = await openLegacy(createJobs());
    const opened = await route.post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { tasks: { requests: {} } },
        clientInfo: { name: 'probe', version: '1.0.0' },
      },
    });
    const { capabilities } = (await opened.json()).result as { readonly capabilities: object };
    expect(capabilities).toHaveProperty('tools');
    expect(capabilities).not.toHaveProperty('tasks');

    const peer = await route.open('2025-11-25', { tasks: { requests: {} } });
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'])
      expect((await peer.request(method, { taskId: 'x' })).error?.code).toBe(-32601);
    const { tools } = (await peer.request('tools/list')).result as { readonly tools: readonly object[] };
    expect(tools).toHaveLength(1);
    expect(tools[0]).not.toHaveProperty('execution');
    const { result } = await peer.request('tools/call', { name: 'job', task: { ttl: 60_000 } });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(result).not.toHaveProperty('task');
    expect(JSON.stringify(result)).not.toContain('related-task');
  });
});
