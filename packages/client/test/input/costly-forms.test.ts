import type { JsonObject } from '@switchyard/protocol';
import { expect, it } from 'vitest';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { answersIn, asks, done, form, serveAsking, serveLegacy } from './asking-peer.ts';

const fields = (count: number, schema: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, schema]));

/** Has forms asked at once, and answers what became of the call. */
async function ask(forms: readonly JsonObject[]): Promise<unknown> {
  const requests = Object.fromEntries(forms.map((each, index) => [`q${index}`, each]));
  const { client } = await serveAsking((_message, round) => (round > 1 ? done : asks(requests)), {
    elicitForm: () => Promise.resolve({ action: 'decline' }),
  });
  return client.callTool('moor');
}

// Each of these took a minute and more, in which nothing else ran.

it('texts that many fields share are judged once, and as long as they are shown', async () => {
  const text = '\uFDFA'.repeat(4000);
  const $defs = { d: { type: 'string', title: text, description: text, default: text } };
  const one = form(fields(200, { $ref: '#/$defs/d' }), { $defs });
  expect(await ask(Array.from({ length: 8 }, () => one))).toMatchObject({ content: [] });
});

it('a reference that is longer than any name is not followed', async () => {
  const { peer } = await serveLegacy({ elicitForm: () => Promise.reject(new Error('was asked')) });
  const one = form(fields(200, { type: 'string', $ref: '#/$defs/x' }), {
    $defs: { x: { $ref: `#/${'a/'.repeat(4_500_000)}` } },
  });
  peer.send({ jsonrpc: '2.0', id: 1, ...one });
  await settle();
  expect(answersIn(peer)).toMatchObject([{ id: 1, error: { code: -32602 } }]);
});

it('forms that are too large together are refused', async () => {
  const one = form(fields(10, { type: 'string', description: 'x'.repeat(20_000) }));
  const error = await failure(ask([one, one, one, one, one, one]));
  expect(error).toMatchObject({ code: 'invalid-response' });
  expect(error.message).toContain('1048576 characters');
});
