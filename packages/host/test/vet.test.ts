import type { ContentBlock } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { findDisagreement } from '../src/call/agreement.ts';
import { verdictMetaKey } from '../src/call/verdict.ts';
import type { Host } from '../src/host.ts';
import { openTestHost } from './open-test-host.ts';

const text = (...texts: string[]): ContentBlock[] => texts.map((each) => ({ type: 'text', text: each }));
const inexact = { exactIntegers: false };

describe('text and structured form', () => {
  it.each([
    ['the same object in another order and spacing', ['{ "b": [1.0, 2],\n"a": "ä" }'], { a: 'ä', b: [1, 2] }],
    ['free text', ['3 orders', '7', 'null', 'true', '{not json', ''], { count: 3 }],
    ['a member', ['{"id":1}'], { order: { id: 1 }, note: 'x' }],
    ['one block for each item of a member', ['{"id":1}', '{"id":2}'], { result: [{ id: 1 }, { id: 2 }] }],
    ['one block for each item', ['{"id":1}', '{"id":2}'], [{ id: 1 }, { id: 2 }]],
    ['a file’s text that is JSON', ['{"version":"1.0.0"}'], { content: '{"version":"1.0.0"}' }],
    ['a scalar', ['7'], 7],
    ['a string and its own text', ['seven'], 'seven'],
    ['a string that looks like JSON', ['[1]'], '[1]'],
    ['an integer too large for a double, both rounded', ['{"id":9007199254740993}'], { id: 9_007_199_254_740_992 }],
    [
      'a member of many that is the text itself',
      ['[7]'],
      { rows: Array.from({ length: 99_999 }, (_, row) => `[${row}]`), content: '[7]' },
    ],
    ['a lone surrogate in both', ['{"a":"\\ud800"}'], { a: '\ud800' }],
  ])('agree: %s', (_name, texts, structured) => {
    expect(findDisagreement(text(...texts), structured, inexact)).toBeUndefined();
  });

  it.each([
    ['another value', ['{"approved":true}'], { approved: false }, 0],
    ['a member more', ['{"a":1,"b":2}'], { a: 1 }, 0],
    ['a member less', ['{"a":1}'], { a: 1, b: 2 }, 0],
    ['another type of number', ['{"a":"1"}'], { a: 1 }, 0],
    ['the second block', ['{"a":1}', '{"a":2}'], { a: 1 }, 1],
    ['an array for an object', ['[]'], {}, 0],
    ['null for a member that is absent', ['{"a":null}'], {}, 0],
    ['another scalar', ['8'], 7, 0],
    ['an object for a scalar', ['{"n":7}'], 7, 0],
    ['something for null', ['0'], null, 0],
    [
      'a part of a form too large to look at every part',
      ['[7]'],
      { rows: Array.from({ length: 99_999 }, (_, row) => [row]) },
      0,
    ],
    ['a very deep text', [`${'['.repeat(100_000)}${']'.repeat(100_000)}`], [], 0],
  ])('disagree: %s', (_name, texts, structured, index) => {
    expect(findDisagreement(text(...texts), structured, inexact)).toBe(index);
  });

  it('disagree where big integers are kept and differ in the last digit', () => {
    const structured = { id: 9_007_199_254_740_993n };
    expect(findDisagreement(text('{"id":9007199254740993}'), structured, { exactIntegers: true })).toBeUndefined();
    expect(findDisagreement(text('{"id":9007199254740992}'), structured, { exactIntegers: true })).toBe(0);
  });
});

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
