import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { createOrdersHandler } from '../src/orders-http.ts';
import { readOrder } from '../src/orders.ts';
import { createOrderServer } from '../src/server.ts';
import { ask, callOrder } from './ask.ts';

const own = { order_id: 'A-104', status: 'processing', as_of: '2026-09-14T00:00:00Z', source_version: 'ka3-orders-v1' };
const forbidden = { code: 'forbidden', message: expect.any(String) };
const notFound = { code: 'not_found', message: expect.any(String) };

/** The three ways to an order: each answers the order or its refusal. */
const ways: readonly [way: string, read: (identity: string, orderId: string) => Promise<unknown>][] = [
  ['a direct call', (identity, orderId) => Promise.resolve(readOrder(identity, orderId))],
  ['plain HTTP', readOverHttp],
  ['MCP', readOverMcp],
];

async function readOverHttp(identity: string, orderId: string): Promise<unknown> {
  const http = createServer(createOrdersHandler(identity));
  onTestFinished(() => void http.close());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/orders/${orderId}`);
  const answer = (await response.json()) as { readonly code?: string };
  expect(response.status).toBe({ forbidden: 403, not_found: 404 }[String(answer.code)] ?? 200);
  return answer;
}

async function readOverMcp(identity: string, orderId: string): Promise<unknown> {
  const { result } = await ask(createOrderServer(identity), callOrder({ order_id: orderId }));
  expect(result?.resultType).toBe('complete');
  return result?.isError === true ? result.structuredContent : { order: result?.structuredContent };
}

describe.each(ways)('the verdict of %s', (_, read) => {
  it.each([
    ['mira', 'A-104', { order: own }],
    ['mira', 'B-205', forbidden],
    ['mira', 'C-306', notFound],
    ['mira', 'a-104', notFound],
    ['jonas', 'A-104', forbidden],
    ['jonas', 'B-205', { order: expect.objectContaining({ order_id: 'B-205' }) }],
    ['Mira', 'A-104', forbidden],
    ['administrator', 'A-104', forbidden],
    ['', 'A-104', forbidden],
  ])('for %j on %s is the same', async (identity, orderId, verdict) => {
    expect(await read(identity, orderId)).toEqual(verdict);
  });

  it('never holds the name of an owner', async () => {
    for (const orderId of ['A-104', 'B-205'])
      expect(JSON.stringify(await read('mira', orderId))).not.toMatch(/owner|jonas/);
  });
});

it('is the same after a plain HTTP request that is no read of an order', async () => {
  const http = createServer(createOrdersHandler('mira'));
  onTestFinished(() => void http.close());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  for (const [path, method] of [
    ['/orders/A-104', 'DELETE'],
    ['/orders/', 'GET'],
    ['/orders/A-104/x', 'GET'],
    ['/orders/..%2f', 'GET'],
  ] as const) {
    expect((await fetch(base + path, { method })).status).toBe(404);
  }
});
