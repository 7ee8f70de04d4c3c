import { expect, it } from 'vitest';

import { trips } from '../src/trip.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

interface Result {
  readonly inputRequests?: object;
  readonly requestState?: string;
  readonly structuredContent?: object;
}

async function call(more: object = {}): Promise<Result> {
  const params = { name: 'book_seat', arguments: { order: 'o-1', to: 'Bern' }, ...more, _meta: meta };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const text = await trips.respond(message, { signal: new AbortController().signal, send: () => undefined });
  return (JSON.parse(text ?? '') as { result: Result }).result;
}

const accept = (content: object) => ({ action: 'accept', content });

it('books a seat in three rounds and charges once, however often the last one is repeated', async () => {
  const first = await call();
  expect(Object.keys(first.inputRequests ?? {})).toEqual(['seat']);
  const second = await call({ requestState: first.requestState, inputResponses: { seat: accept({ seat: 'B7' }) } });
  expect(Object.keys(second.inputRequests ?? {})).toEqual(['consent', 'receipt']);
  const answers = { consent: accept({ pay: true }), receipt: accept({ mail: 'ada@mail.example' }) };
  for (let times = 0; times < 2; times += 1) {
    const { structuredContent } = await call({ requestState: second.requestState, inputResponses: answers });
    expect(structuredContent).toEqual({ seat: 'B7', payment: 1, receipt: 'ada@mail.example' });
  }
});
