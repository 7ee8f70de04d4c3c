import type { JsonObject } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientError } from '../../src/index.ts';
import { settle } from '../manual-clock.ts';
import { answersIn, done, said, serveAsking, serveLegacy } from './asking-peer.ts';

const handlers = {
  elicitForm: () => Promise.resolve({ action: 'accept' } as const),
  elicitUrl: () => Promise.resolve({ action: 'accept' } as const),
  sample: () => Promise.resolve(said('x')),
  roots: [{ uri: 'file:///srv/a' }],
};

/** Values that are nearly what they should be, and others. */
const junk = fc.jsonValue({ maxDepth: 3 });
const field = fc.oneof(
  junk,
  fc.record(
    {
      type: fc.oneof(fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object'), junk),
      title: junk,
      description: junk,
      default: junk,
      enum: junk,
      pattern: fc.oneof(fc.string(), junk),
      format: fc.oneof(fc.constantFrom('email', 'date', 'uri'), junk),
      items: fc.oneof(junk, fc.record({ enum: fc.array(fc.string()) }), fc.record({ anyOf: junk })),
      oneOf: junk,
      minimum: junk,
    },
    { requiredKeys: [] },
  ),
);
const properties = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'key')), field);
const params = fc.oneof(
  junk,
  fc.record(
    {
      mode: fc.oneof(fc.constantFrom('form', 'url'), junk),
      message: fc.oneof(fc.string({ unit: 'binary' }), junk),
      url: fc.oneof(fc.webUrl(), fc.string(), junk),
      elicitationId: fc.oneof(fc.string(), junk),
      requestedSchema: fc.oneof(junk, fc.record({ type: fc.constant('object'), properties, required: junk })),
      messages: fc.oneof(
        junk,
        fc.array(
          fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.oneof(junk, fc.record({ type: junk })) }),
        ),
      ),
      maxTokens: fc.oneof(fc.integer(), junk),
      tools: junk,
    },
    { requiredKeys: [] },
  ),
);
const request = fc.record({
  method: fc.oneof(fc.constantFrom('elicitation/create', 'sampling/createMessage', 'roots/list'), junk),
  params,
});
const runs = { numRuns: 300 };

describe('whatever a server asks', () => {
  it('a call ends with a result or an error of its own', async () => {
    let asked: JsonObject = {};
    const { client } = await serveAsking(
      ({ params: sent }) => (sent?.['inputResponses'] === undefined ? asked : done),
      { ...handlers, maxSamplesPerMinute: 1_000_000, maxRounds: 2 },
    );
    const round = fc.record(
      {
        resultType: fc.constant('input_required'),
        inputRequests: fc.oneof(junk, fc.dictionary(fc.string(), fc.oneof(request, junk), { maxKeys: 3 })),
        requestState: fc.oneof(fc.string({ unit: 'binary' }), junk),
      },
      { requiredKeys: ['resultType'] },
    );
    await fc.assert(
      fc.asyncProperty(round, async (result) => {
        asked = result;
        const outcome: unknown = await client.callTool('x').catch((error: unknown) => error);
        if (outcome instanceof ClientError) expect(outcome.server).toBe('depot');
        else expect(outcome).toEqual(done);
      }),
      runs,
    );
  });

  it('a legacy server gets one answer for each request', async () => {
    const { peer } = await serveLegacy({ ...handlers, maxSamplesPerMinute: 1_000_000 });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(request, async (message) => {
        id += 1;
        const before = answersIn(peer).length;
        peer.send({ jsonrpc: '2.0', id, ...message });
        await settle();
        const isRequest =
          typeof message.method === 'string' && (message.params === undefined || typeof message.params === 'object');
        const answers = answersIn(peer).slice(before);
        if (isRequest && message.params !== null && !Array.isArray(message.params)) expect(answers).toHaveLength(1);
        for (const answer of answers) expect('result' in answer || 'error' in answer).toBe(true);
      }),
      runs,
    );
  });
});
