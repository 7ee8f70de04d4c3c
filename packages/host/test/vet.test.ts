import type { ContentBlock } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { verdictMetaKey } from '../src/call/verdict.ts';
import type { Host } from '../src/host.ts';
import { openTestHost } from './open-test-host.ts';

const text = (...texts: string[]): ContentBlock[] => texts.map((each) => ({ type: 'text', text: each }));

describe('a result', () => {
  let host: Host | undefined;
  afterEach(() => host?.close());

  async function passOn(result: object, outputSchema?: object) {
    const definition = toolDefinition('t', outputSchema === undefined ? {} : { outputSchema });
    const server = createScriptedServer({
      tools: [definition],
      answer: (method) => (method === 'tools/call' ? result : undefined),
    });
    host = await openTestHost({ server });
    return host.as('reader').call('server__t');
  }

  const km = { type: 'object', properties: { km: { type: 'number' } }, required: ['km'] };
  const closed = {
    type: 'object',
    properties: { tags: { type: 'array' } },
    required: ['tags'],
    additionalProperties: false,
  };
  const none = text('(none)');

  it.each([
    ['without content [results-01]', { structuredContent: { berths: 3 } }, undefined],
    ['with empty content [results-02]', { content: [], structuredContent: { total: 12 } }, undefined],
    ['with {} [results-03]', { content: none, structuredContent: {} }, undefined],
    ['with [] [results-03]', { content: none, structuredContent: [] }, undefined],
    ['with 0 [results-03]', { content: none, structuredContent: 0 }, undefined],
    ['with false [results-03]', { content: none, structuredContent: false }, undefined],
    ['with "" [results-03]', { content: none, structuredContent: '' }, undefined],
    ['with null [results-03]', { content: none, structuredContent: null }, undefined],
    ['that is an error without the declared form [results-04]', { isError: true, content: text('closed until 6') }, km],
    [
      'that is an error with another form [results-04]',
      { isError: true, content: text('{"a":1}'), structuredContent: { error: 'closed' } },
      km,
    ],
    [
      'with metadata beside a closed form [results-05]',
      { content: text('{"tags":[]}'), structuredContent: { tags: [] }, _meta: { 'com.example/t': 1 } },
      closed,
    ],
    [
      'with a text that has its format as others write it',
      { content: none, structuredContent: { at: '2024-01-01T10:00:00' } },
      { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } },
    ],
    ['with blocks of unknown types [results-07]', { content: [{ type: 'hologram', data: 'x' }] }, undefined],
    [
      'with texts that look like JSON [results-08]',
      { content: text('null', 'true', '7', '"s"', '[]', '{}', '{"code":null}', 'not json', '') },
      undefined,
    ],
  ])('%s is passed on as it came', async (_name, result, schema) => {
    expect(await passOn(result, schema)).toEqual({ resultType: 'complete', content: [], ...result });
  });

  it.each([
    ['without the declared form [results-04]', { content: text('{}') }, /output schema.*no structuredContent/],
    [
      'with a form that breaks the schema [results-04]',
      { content: [], structuredContent: { km: 'x' } },
      /output schema.*km/,
    ],
    ['with null for the declared form', { content: [], structuredContent: null }, /output schema/],
  ])('%s is rejected by rule', async (_name, result, message) => {
    const rejected = await passOn(result, km);
    expect(rejected).toMatchObject({
      isError: true,
      _meta: { [verdictMetaKey]: { reason: 'result-rejected', message: expect.stringMatching(message) } },
    });
    expect(rejected.structuredContent).toBeUndefined();
  });

  it('that nests too deep is rejected', async () => {
    const depth = 5000;
    const deep: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    const rejected = await passOn({ content: [], structuredContent: deep });
    expect(rejected._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'result-rejected',
      message: expect.stringContaining('deep'),
    });
  });
});
