import { expect, it } from 'vitest';

import { createOrderServer } from '../src/server.ts';
import { ask, callOrder, metaOf, requestOf } from './ask.ts';

const server = createOrderServer('mira');

it('lists one tool, which only reads', async () => {
  const { result } = await ask(server, requestOf('tools/list', {}, metaOf()));
  expect(result?.tools).toMatchObject([{ name: 'get_order', annotations: { readOnlyHint: true } }]);
});

it('[META-05] refuses a request without metadata', async () => {
  for (const message of [requestOf('tools/call', { name: 'get_order' }), requestOf('tools/list', {}, {})]) {
    expect((await ask(server, message)).error?.code).toBe(-32602);
  }
});

it('[MSG-19] knows no other method', async () => {
  expect((await ask(server, requestOf('orders/cancel', {}, metaOf()))).error?.code).toBe(-32601);
});

it('[VER-02] names the version that it speaks to a client of another', async () => {
  const meta = metaOf({ 'io.modelcontextprotocol/protocolVersion': '2027-01-01' });
  expect((await ask(server, callOrder({ order_id: 'A-104' }, meta))).error).toMatchObject({
    code: -32022,
    data: { supported: ['2026-07-28'], requested: '2027-01-01' },
  });
});

it.each([
  ['absent', {}],
  ['a number', { order_id: 104 }],
  ['null', { order_id: null }],
  ['a list', { order_id: ['A-104'] }],
])('[TOOL-27] answers an order_id that is %s with an error that names it', async (_, args) => {
  const { result } = await ask(server, callOrder(args));
  expect(result).toMatchObject({ resultType: 'complete', isError: true });
  expect(result?.content?.[0]?.text).toMatch(/\/order_id.*string/);
});

it('[META-10] [META-11] refuses B-205 whatever the client says of itself', async () => {
  const meta = metaOf({
    'io.modelcontextprotocol/clientInfo': { name: 'administrator', version: '1.0.0' },
    identity: 'jonas',
  });
  const { result } = await ask(server, callOrder({ order_id: 'B-205' }, meta));
  expect(result).toMatchObject({ isError: true, structuredContent: { code: 'forbidden' } });
});

it('takes no identity from the arguments', async () => {
  const { result } = await ask(server, callOrder({ order_id: 'B-205', identity: 'jonas' }));
  expect(result?.isError).toBe(true);
  expect(result?.content?.[0]?.text).toContain('/identity');
});
