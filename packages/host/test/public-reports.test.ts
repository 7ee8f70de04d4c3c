import type { JsonObject } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { verdictMetaKey } from '../src/call/verdict.ts';
import { open } from './open-for-test.ts';

/** Opens a host over one server with one tool `t` of this definition, which echoes nothing. */
async function openWith(definition: JsonObject, result: JsonObject = { content: [] }) {
  const server = createScriptedServer({
    tools: [toolDefinition('t', definition)],
    answer: (method) => (method === 'tools/call' ? result : undefined),
  });
  const host = await open({ s: server });
  const agent = host.as('reader');
  return { server, agent, call: (args: JsonObject) => agent.call('s__t', args) };
}

const draft7 = 'http://json-schema.org/draft-07/schema#';
const tuple = [{ type: 'string' }, { type: 'integer' }];

// Inputs that broke other hosts. Those about names, lists and results stand beside their rules.
describe('arguments', () => {
  it.each<[string, object, JsonObject, readonly JsonObject[]]>([
    [
      '2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { a: { type: 'integer' } },
      },
      { a: 1 },
      [{ a: '1' }],
    ],
    ['draft-07', { $schema: draft7, type: 'object', properties: { a: { type: 'integer' } } }, { a: 1 }, [{ a: '1' }]],
    [
      'no dialect, which is 2020-12',
      { type: 'object', properties: { pair: { type: 'array', prefixItems: tuple, items: false } } },
      { pair: ['x', 1] },
      [{ pair: ['x', 1, 2] }, { pair: [1, 'x'] }],
    ],
    [
      'draft-07 with a tuple',
      {
        $schema: draft7,
        type: 'object',
        properties: { p: { type: 'array', items: tuple, additionalItems: false } },
        required: ['p'],
      },
      { p: ['a', 1] },
      [{ p: [1, 'a'] }, { p: ['a', 1, 2] }],
    ],
    [
      'definitions beside the properties',
      {
        type: 'object',
        properties: { crate: { $ref: '#/$defs/Crate', description: 'the crate to ship' } },
        required: ['crate'],
        $defs: {
          Crate: {
            type: 'object',
            properties: { kg: { type: 'number' }, lid: { $ref: '#/$defs/Lid' } },
            required: ['kg'],
          },
          Lid: { type: 'string', enum: ['flat', 'domed'] },
        },
      },
      { crate: { kg: 2, lid: 'flat' } },
      [{ crate: {} }, { crate: { kg: 2, lid: 'round' } }],
    ],
  ])(
    '[schema-01] [schema-05] [schema-07] [JSCH-02] are checked under %s, and the schema is listed whole',
    async (_, inputSchema, good, bad) => {
      const { server, agent, call } = await openWith({ inputSchema });
      expect((await agent.tools()).tools[0]?.inputSchema).toEqual(inputSchema);
      expect(await call(good)).not.toHaveProperty('isError');
      for (const args of bad) {
        expect((await call(args))._meta?.[verdictMetaKey]).toMatchObject({ reason: 'invalid-arguments' });
      }
      expect(server.paramsOf('tools/call').map(({ arguments: args }) => args)).toEqual([good]);
    },
  );

  it.each([`${'a'.repeat(34)}!`, `${'a'.repeat(50_000)}!`])(
    '[schema-08] of %.5s… are held against a pattern of nested quantifiers without holding anything up',
    async (k) => {
      const properties = { k: { type: 'string', pattern: '^(\\w+\\s?)*$' } };
      const form = { type: 'object', properties };
      const { server, call } = await openWith(
        { inputSchema: form, outputSchema: form },
        { content: [], structuredContent: { k } },
      );
      expect((await call({ k }))._meta?.[verdictMetaKey]).toMatchObject({ reason: 'invalid-arguments' });
      expect(server.paramsOf('tools/call')).toEqual([]);
      expect((await call({}))._meta?.[verdictMetaKey]).toMatchObject({ reason: 'result-rejected' });
    },
  );

  it.each<[JsonObject, boolean]>([
    [{ limit: 3 }, true],
    [{ limit: 0.5 }, false],
    [{ limit: '3' }, false],
    [{ limit: 3, ratio: 2 }, true],
    [{ limit: 1e2 }, true],
    [{}, false],
  ])('[schema-10] are neither truncated nor converted: %j', async (args, runs) => {
    const inputSchema = {
      type: 'object',
      properties: { limit: { type: 'integer', minimum: 1 }, ratio: { type: 'number' } },
      required: ['limit'],
    };
    const { server, call } = await openWith({ inputSchema });
    const result = await call(args);
    expect(server.paramsOf('tools/call').map(({ arguments: sent }) => sent)).toEqual(runs ? [args] : []);
    if (runs) return;
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain('limit');
  });
});
