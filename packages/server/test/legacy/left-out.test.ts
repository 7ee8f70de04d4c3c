import { legacyRevisions } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';

import { headersOf, messageOf, routes } from '../http-route.ts';
import { callOf } from '../wire.ts';
import { initializeOf } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

describe.each(routes)('a server that leaves old clients out, over %s', (_route, open) => {
  it.each(['GET', 'DELETE'])('[LEGS-10] [HTTP-25] answers %s with 405', async (method) => {
    const route = await open(createLegacyServer().server, { legacy: false });
    expect((await route.call({ method, headers: { 'mcp-session-id': 'x' } })).status).toBe(405);
  });

  it('[VER-14] names what it speaks to initialize, and serves modern requests', async () => {
    const route = await open(createLegacyServer().server, { legacy: false });
    const headers = { 'content-type': 'application/json' };
    const refused = await route.call({ headers, body: JSON.stringify(initializeOf('2025-11-25')) });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('2026-07-28');
    const call = callOf('greet', { name: 'Ada' });
    expect((await route.call({ headers: headersOf(call), body: JSON.stringify(call) })).status).toBe(200);
  });

  it.each([
    ['no metadata', {}],
    ['empty metadata', { _meta: {} }],
    ['a token for progress', { _meta: { progressToken: 1 } }],
    ['metadata of its own', { _meta: { 'vendor.example/trace': 'x' } }],
    ['metadata that are null', { _meta: null }],
    ['metadata that are no object', { _meta: 'x' }],
  ])('[VER-14] names what it speaks to initialize of an older revision, with %s', async (_, more) => {
    const message = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' }, ...more },
    };
    const answer = await (
      await open(createLegacyServer().server, { legacy: false })
    ).call({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toMatchObject({
      id: 0,
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2025-11-25' } },
    });
  });

  it.each(legacyRevisions)(
    '[VER-14] names what it speaks to any request under the version header %s',
    async (asked) => {
      const message = { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: { progressToken: 1 } } };
      const answer = await (
        await open(createLegacyServer().server, { legacy: false })
      ).call({
        headers: { 'content-type': 'application/json', 'mcp-protocol-version': asked },
        body: JSON.stringify(message),
      });
      expect(messageOf(answer)).toMatchObject({
        id: 0,
        error: { code: -32022, data: { supported: ['2026-07-28'], requested: asked } },
      });
    },
  );
});
