import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { verdictMetaKey } from '../src/call/verdict.ts';
import { open } from './open-for-test.ts';

describe('exact integers', () => {
  const big = 9_007_199_254_740_993n;
  const numbers = toolDefinition('numbers', {
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' }, page: { type: 'integer', default: 1 } },
      required: ['id'],
    },
    outputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  });

  it('reach the server and come back digit for digit, defaults filled in [schema-11]', async () => {
    const structuredContent = { id: big };
    const text = `{"id":${big}}`;
    const shop = createScriptedServer({
      tools: [numbers],
      answer: (method) =>
        method === 'tools/call' ? { content: [{ type: 'text', text }], structuredContent } : undefined,
    });
    const host = await open({ shop }, {}, { exactIntegers: true });
    const result = await host.as('reader').call('shop__numbers', { id: 1_234_567_890_123_456_789n });
    expect(shop.paramsOf('tools/call')[0]?.['arguments']).toEqual({ id: 1_234_567_890_123_456_789n, page: 1 });
    expect(result.structuredContent).toEqual({ id: big });
    expect((await host.audit.list())[0]?.arguments).toMatchObject({ declared: { id: { type: 'integer' } } });
  });

  it('are held against rules about numbers, and may stand in the rules', async () => {
    const properties = { id: { maximum: 9 }, wide: { type: 'integer', maximum: 9_223_372_036_854_775_807n } };
    const shop = createScriptedServer({
      tools: [toolDefinition('t', { inputSchema: { type: 'object', properties } })],
    });
    const host = await open({ shop }, {}, { exactIntegers: true });
    expect((await host.as('reader').call('shop__t', { wide: big })).isError).toBeUndefined();
    const result = await host.as('reader').call('shop__t', { id: big });
    expect(result._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'invalid-arguments',
      message: expect.stringContaining('id'),
    });
  });
});
