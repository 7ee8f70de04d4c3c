import { expect, it } from 'vitest';

import { byHand } from '../src/by-hand.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

async function call(more: object = {}): Promise<{ readonly [member: string]: unknown }> {
  const params = { name: 'book_seat', arguments: { to: 'Bern' }, ...more, _meta: meta };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const text = await byHand.respond(message, { signal: new AbortController().signal, send: () => undefined });
  return (JSON.parse(text ?? '') as { result: { readonly [member: string]: unknown } }).result;
}

it('asks in the first round, and finds the answer and what it kept in the second', async () => {
  const first = await call();
  expect(Object.keys(first['inputRequests'] as object)).toEqual(['seat']);
  const seat = { action: 'accept', content: { seat: 'B7' } };
  const second = await call({ requestState: first['requestState'], inputResponses: { seat } });
  expect(second['structuredContent']).toEqual({ booked: { seat: 'B7' }, kept: { price: 25 } });
});
