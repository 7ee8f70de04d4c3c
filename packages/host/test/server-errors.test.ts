import { ProtocolError } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { verdictReasons } from '../src/call/verdict.ts';
import { open } from './open-for-test.ts';
import { auditTrail } from './open-test-host.ts';
import { orders, rejection } from './shop.ts';

describe('what a server answers in place of a result', () => {
  it('[TOOL-29] a protocol error of the server is passed on with its code and data, naming the server', async () => {
    const shop = orders({
      answer(method) {
        if (method === 'tools/call') throw new ProtocolError(-32602, 'no such\u001b[31m order', { data: { hint: 1 } });
        if (method === 'resources/read') throw new ProtocolError(-32602, 'gone', { data: { uri: 'policy://refunds' } });
        return undefined;
      },
    });
    const host = await open({ shop });
    const error = await rejection(host.as('reader').call('shop__get_order', { order_id: 'x' }));
    expect(error.body()).toEqual({
      code: -32602,
      message: 'MCP server "shop" answered with an error: no such order (-32602)',
      data: { hint: 1 },
    });
    const gone = await rejection(host.as('reader').read('policy://refunds'));
    expect(gone.body()).toMatchObject({
      code: -32602,
      message: expect.stringContaining('"shop"'),
      data: { uri: 'policy://refunds' },
    });
    expect(await auditTrail(host)).toContain('outcome upstream-error shop get_order');
  });

  it.each([
    ['-32002', new ProtocolError(-32002, 'gone')],
    ['-32602 with a uri', new ProtocolError(-32602, 'gone', { data: { uri: 'its-own://name' } })],
  ])(
    'a resource that its server does not find, by %s, is -32602 with the URI that was asked for',
    async (_how, gone) => {
      const shop = orders({
        answer(method) {
          if (method === 'resources/read' || method === 'completion/complete') throw gone;
          return undefined;
        },
      });
      const host = await open({ shop });
      const ref = { type: 'ref/resource', uri: 'orders://{id}' } as const;
      const missing = [
        await rejection(host.as('reader').read('policy://refunds')),
        await rejection(host.as('reader').complete({ ref, argument: { name: 'id', value: '' } })),
      ];
      expect(missing.map((error) => error.body())).toMatchObject([
        { code: -32602, data: { uri: 'policy://refunds' } },
        { code: -32602, data: { uri: 'orders://{id}' } },
      ]);
    },
  );

  it('an error of the server that names no URI as text does not say that a resource is not found', async () => {
    const shop = orders({
      answer(method) {
        if (method === 'resources/read') throw new ProtocolError(-32602, 'bad', { data: { uri: 7 } });
        return undefined;
      },
    });
    const host = await open({ shop });
    const error = await rejection(host.as('reader').read('policy://refunds'));
    expect(error.body()).toMatchObject({ code: -32602, data: { uri: 7 } });
  });

  it('a server that needs a client that can do more says nothing that a caller could declare', async () => {
    const shop = orders({
      answer(method) {
        if (method === 'tools/call') throw new ProtocolError('missingRequiredClientCapability', 'declare: elicitation');
        return undefined;
      },
    });
    const host = await open({ shop });
    const error = await rejection(host.as('reader').call('shop__get_order', { order_id: 'A-1' }));
    expect(error.body().message).toMatch(
      /"shop" needs what this host cannot do for it yet, such as asking the user; nothing that its callers declare changes that/,
    );
  });

  it.each([-32700, -32600, -32601, -32020, -32021])(
    'an error of the server about one exchange, %i, does not pass for one about the caller’s',
    async (code) => {
      const shop = orders({
        answer(method) {
          if (method === 'prompts/get') throw new ProtocolError(code, 'what?', { data: { supported: ['2026-07-28'] } });
          return undefined;
        },
      });
      const host = await open({ shop });
      const error = await rejection(host.as('reader').prompt('shop__review', { topic: 't' }));
      expect(error.body()).toMatchObject({
        code: verdictReasons['upstream-error'].code,
        data: { reason: 'upstream-error', code },
      });
    },
  );
});
