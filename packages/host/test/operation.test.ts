import { describe, expect, it } from 'vitest';
import { argumentsOf, kindOf, type Operation, subjectOf, toOperation } from '../src/call/operation.ts';

const ofOtherLayers = {
  _meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  inputResponses: {},
  requestState: 'opaque',
};
const ref = { type: 'ref/resource', uri: 'orders://{id}' } as const;
const argument = { name: 'id', value: 'A' };
const context = { arguments: { year: '2026' } };

describe('an operation that is made of the params of a request', () => {
  it.each<[Operation, Operation]>([
    [
      toOperation('tools/call', { name: 't', arguments: { a: 1 }, ...ofOtherLayers }),
      { method: 'tools/call', params: { name: 't', arguments: { a: 1 } } },
    ],
    [
      toOperation('prompts/get', { name: 'p', arguments: { a: 'b' }, ...ofOtherLayers }),
      { method: 'prompts/get', params: { name: 'p', arguments: { a: 'b' } } },
    ],
    [
      toOperation('resources/read', { uri: 'doc://1', ...ofOtherLayers }),
      { method: 'resources/read', params: { uri: 'doc://1' } },
    ],
    [
      toOperation('completion/complete', { ref, argument, ...ofOtherLayers }),
      { method: 'completion/complete', params: { ref, argument } },
    ],
    [
      toOperation('completion/complete', { ref, argument, context, ...ofOtherLayers }),
      { method: 'completion/complete', params: { ref, argument, context } },
    ],
  ])('takes what the method has of its own and nothing of another layer: %j', (made, expected) => {
    expect(made).toStrictEqual(expected);
  });

  it.each(['tools/call', 'prompts/get'] as const)('has no arguments where %s has none', (method) => {
    const made = toOperation(method, { name: 'n' });
    expect(made).toStrictEqual({ method, params: { name: 'n', arguments: {} } });
  });

  it('is about what the request was about, with the same arguments', () => {
    const made = toOperation('completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument });
    expect([kindOf(made), subjectOf(made), argumentsOf(made)]).toEqual(['prompt', 'p', { argument }]);
  });
});
