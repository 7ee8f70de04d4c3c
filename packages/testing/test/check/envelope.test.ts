import { expect, it } from 'vitest';

import { envelopeProbes } from '../../src/check/envelope.ts';
import type { RawExchange } from '../../src/index.ts';

const response = (id: number) => ({ jsonrpc: '2.0', id, result: {} });

function exchange(id: number, received = [response(id)]): RawExchange {
  const sent = { jsonrpc: '2.0', id, method: 'tools/list' };
  return { label: 'list', instance: 1, sent, received, response: received.find((one) => one.id === id), stray: [] };
}

it('finds a second response under an id over stdio, where it comes with the next message', () => {
  const probes = envelopeProbes([exchange(1), exchange(2, [response(1), response(2)])]);
  expect(probes).toMatchObject([{ verdict: 'failed', evidence: 'tools/list: another response came, under the id 1' }]);
});

it('counts the responses, and not what had none', () => {
  const probes = envelopeProbes([exchange(1), exchange(2, [])]);
  expect(probes).toMatchObject([{ verdict: 'passed', evidence: expect.stringMatching(/^1 with the id/) as string }]);
});

it('takes a response that comes late over stdio, to a message that was given up', () => {
  expect(envelopeProbes([exchange(2, [response(1), response(2)])])).toMatchObject([{ verdict: 'passed' }]);
});
