import {
  type ContentBlock,
  errorCodes,
  type InputRequest,
  type LegacyRevision,
  ProtocolError,
  type Result,
} from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';

import { Serialised } from '../../src/dispatch/endpoint.ts';
import { toModernCapabilities, toModernInfo } from '../../src/legacy/client-facts.ts';
import { toLegacyContent } from '../../src/legacy/legacy-content.ts';
import { toLegacyError } from '../../src/legacy/legacy-error.ts';
import { toLegacyQuestion, toModernAnswer } from '../../src/legacy/legacy-question.ts';
import { createLegacyEnvelope } from '../../src/legacy/legacy-result.ts';
import { toInitializeResult } from '../../src/legacy/initialize.ts';
import { createServer } from '@switchyard/server';

describe('capabilities of an old client', () => {
  it.each<[LegacyRevision, object, object]>([
    ['2025-11-25', { elicitation: {} }, { elicitation: {} }],
    ['2025-11-25', { elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
    ['2025-11-25', { sampling: { tools: {}, context: {} } }, { sampling: { tools: {}, context: {} } }],
    [
      '2025-06-18',
      { elicitation: { url: {} }, sampling: { tools: {} } },
      { elicitation: { form: {} }, sampling: { context: {} } },
    ],
    [
      '2025-03-26',
      { elicitation: {}, sampling: {}, roots: { listChanged: true } },
      { sampling: { context: {} }, roots: { listChanged: true } },
    ],
    ['2024-11-05', { elicitation: {}, roots: {} }, { roots: {} }],
    ['2025-11-25', { tasks: { list: {} }, hologram: {} }, {}],
    ['2025-11-25', { sampling: true, roots: null, elicitation: 'yes', experimental: [] }, {}],
  ])('[LEGS-05] at %s: %j is %j', (revision, given, modern) => {
    expect(toModernCapabilities(revision, given)).toEqual(modern);
  });

  it('[TASK-46] have no tasks of this revision', () => {
    const extensions = {
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/skills': {},
      'io.modelcontextprotocol/ui': {},
      'com.example/zip': { level: 9 },
    };
    expect(toModernCapabilities('2025-11-25', { extensions })).toEqual({
      extensions: { 'io.modelcontextprotocol/ui': {}, 'com.example/zip': { level: 9 } },
    });
  });

  it.each([undefined, null, 7, []])('are none for %j', (given) => {
    expect(toModernCapabilities('2025-11-25', given)).toEqual({});
  });
});

describe('name and version of an old client', () => {
  it.each([
    [
      { name: 'a', version: '1', title: 'A' },
      { name: 'a', version: '1', title: 'A' },
    ],
    [{ name: 'a' }, { name: 'a', version: '' }],
    [
      { name: 'a', version: '1', title: 7 },
      { name: 'a', version: '1' },
    ],
    [{ version: '1' }, undefined],
    ['a', undefined],
    [undefined, undefined],
  ])('are of %j: %j', (given, info) => {
    expect(toModernInfo(given)).toEqual(info);
  });
});

describe('the capabilities of the server', () => {
  const server = createServer({ name: 's', version: '1' }).prompt(
    'p',
    { args: { a: { complete: () => [] } } },
    () => '',
  );

  it.each<[LegacyRevision, boolean]>([
    ['2024-11-05', false],
    ['2025-03-26', true],
    ['2025-11-25', true],
  ])('[LEGS-32] have completions at %s: %s', (revision, has) => {
    expect('completions' in toInitializeResult(server.endpoint(), revision).capabilities).toBe(has);
  });

  it('[TASK-02] advertise no tasks', () => {
    const endpoint = {
      ...server.endpoint(),
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {}, 'com.example/zip': {} } },
    };
    expect(toInitializeResult(endpoint, '2025-11-25').capabilities).toEqual({ extensions: { 'com.example/zip': {} } });
  });
});

describe('content', () => {
  const audio: ContentBlock = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  const link: ContentBlock = {
    type: 'resource_link',
    uri: 'mem://a',
    name: 'a',
    mimeType: 'text/plain',
    description: 'About a',
  };

  it.each<[LegacyRevision, string, string]>([
    ['2025-11-25', 'audio', 'resource_link'],
    ['2025-06-18', 'audio', 'resource_link'],
    ['2025-03-26', 'audio', 'text'],
    ['2024-11-05', 'resource', 'text'],
  ])('is of kinds that a client of %s knows', (revision, sound, linked) => {
    expect([toLegacyContent(revision, audio).type, toLegacyContent(revision, link).type]).toEqual([sound, linked]);
  });

  it('loses neither the sound nor the address', () => {
    expect(toLegacyContent('2024-11-05', audio)).toMatchObject({ resource: { mimeType: 'audio/wav', blob: 'AAAA' } });
    expect(toLegacyContent('2025-03-26', link)).toEqual({ type: 'text', text: 'a (text/plain): mem://a\nAbout a' });
  });
});

describe('results', () => {
  const render = (revision: LegacyRevision, method: string, result: Result | Serialised): unknown =>
    JSON.parse(createLegacyEnvelope(revision)({ jsonrpc: '2.0', id: 1, method }, result));

  it.each<[LegacyRevision, unknown, object]>([
    ['2025-11-25', { a: 1 }, { content: [], structuredContent: { a: 1 } }],
    ['2025-11-25', [1], { content: [{ type: 'text', text: '[1]' }] }],
    ['2025-06-18', 7, { content: [{ type: 'text', text: '7' }] }],
    ['2025-03-26', { a: 1 }, { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }],
    ['2025-11-25', null, { content: [{ type: 'text', text: 'null' }] }],
  ])('[LEGS-30] at %s carry %j so that nothing is lost', (revision, structuredContent, result) => {
    expect(render(revision, 'tools/call', { content: [], structuredContent } as Result)).toMatchObject({ result });
    expect(
      Object.keys(
        (render(revision, 'tools/call', { content: [], structuredContent } as Result) as { result: object }).result,
      ),
    ).toEqual(Object.keys(result));
  });

  it('[LEGS-30] list no output schema but of objects, whoever made the page', () => {
    const tools = [
      { name: 'a', outputSchema: { type: 'object' } },
      { name: 'b', outputSchema: { type: 'array' } },
      { name: 'c', outputSchema: { anyOf: [] } },
      { name: 'd' },
    ];
    const listed = { result: { tools: [tools[0], { name: 'b' }, { name: 'c' }, { name: 'd' }] } };
    expect(render('2025-11-25', 'tools/list', { tools } as Result)).toMatchObject(listed);
    expect(render('2025-11-25', 'tools/list', new Serialised(JSON.stringify({ tools })))).toMatchObject(listed);
  });

  it('[LEGS-24] carry further members as they are', () => {
    const page = new Serialised('{"resources":[],"ttlMs":60000,"cacheScope":"private"}');
    expect(render('2024-11-05', 'resources/list', page)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resources: [], ttlMs: 60_000, cacheScope: 'private' },
    });
  });

  it('cannot ask for input', () => {
    expect(() => render('2025-11-25', 'tools/call', { resultType: 'input_required' })).toThrow(/input_required/);
  });
});

describe('errors', () => {
  it.each<[string, ProtocolError, number, number]>([
    ['resources/read', new ProtocolError('invalidParams', 'x', { data: { uri: 'a:b' } }), -32002, 200],
    ['resources/read', new ProtocolError('invalidParams', 'x'), -32602, 200],
    ['tools/call', new ProtocolError('invalidParams', 'x', { data: { uri: 'a:b' } }), -32602, 200],
    ['tools/call', new ProtocolError('missingRequiredClientCapability', 'x'), -32600, 200],
    ['nope', new ProtocolError('methodNotFound', 'x'), -32601, 200],
    ['tools/call', new ProtocolError(7, 'denied', { status: 403 }), 7, 403],
    ['tools/call', new ProtocolError('invalidRequest', 'x', { status: 401 }), -32600, 401],
    ['tools/call', new ProtocolError(-32042, 'open the page', { data: { elicitations: [] } }), -32042, 200],
  ])('[LEGS-23] [LEGS-25] of %s: %s', (method, error, code, status) => {
    expect(toLegacyError(method, error)).toMatchObject({ code, status, message: error.message, data: error.data });
  });

  it('have no code that came later', () => {
    const later = ['headerMismatch', 'missingRequiredClientCapability', 'unsupportedProtocolVersion'] as const;
    for (const name of later)
      expect(toLegacyError('tools/call', new ProtocolError(name, 'x')).code).toBe(errorCodes.invalidRequest.code);
  });
});

describe('questions', () => {
  const ask = (request: InputRequest, revision: LegacyRevision) => toLegacyQuestion(request, revision, () => 'id-1');
  const form = (properties: object): InputRequest => ({
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Hm?', requestedSchema: { type: 'object', properties } },
  });

  it('[LEGS-25] name a page with an id at 2025-11-25', () => {
    const params = { mode: 'url', message: 'Open', url: 'https://a.example' };
    expect(ask({ method: 'elicitation/create', params }, '2025-11-25').params).toEqual({
      ...params,
      elicitationId: 'id-1',
    });
  });

  it('[LEGS-26] carry defaults and all kinds of choices at 2025-11-25', () => {
    const request = form({
      a: { type: 'string', default: 'x', oneOf: [{ const: 'x', title: 'X' }] },
      b: { type: 'array', items: { enum: ['x'], type: 'string' } },
    });
    expect(ask(request, '2025-11-25').params).toBe(request.params);
  });

  it('[LEGS-26] write titled choices as names at 2025-06-18, without a mode', () => {
    const oneOf = [
      { const: 'x', title: 'X' },
      { const: 'y', title: 'Y' },
    ];
    expect(ask(form({ a: { type: 'string', oneOf }, b: { type: 'boolean' } }), '2025-06-18').params).toEqual({
      message: 'Hm?',
      requestedSchema: {
        type: 'object',
        properties: { a: { type: 'string', enum: ['x', 'y'], enumNames: ['X', 'Y'] }, b: { type: 'boolean' } },
      },
    });
  });

  it('refuse a list of choices at 2025-06-18, and say so', () => {
    expect(() => ask(form({ tags: { type: 'array' } }), '2025-06-18')).toThrow(/"tags" is a list of choices/);
  });

  it.each<[LegacyRevision, number]>([
    ['2025-11-25', 1],
    ['2025-06-18', 2],
    ['2024-11-05', 2],
  ])('give a model one block a message before 2025-11-25: %s', (revision, messages) => {
    const text = (word: string) => ({ type: 'text', text: word });
    const params = { messages: [{ role: 'user', content: [text('a'), text('b')] }], maxTokens: 5 };
    const asked = ask({ method: 'sampling/createMessage', params }, revision).params as { messages: object[] };
    expect(asked.messages).toHaveLength(messages);
  });

  it('ask for roots without params', () => {
    expect(ask({ method: 'roots/list', params: {} }, '2025-03-26')).toEqual({ method: 'roots/list' });
  });

  it.each([
    ['elicitation/create', { action: 'decline', content: { a: 1 } }, { action: 'decline' }],
    ['elicitation/create', { action: 'cancel', content: null }, { action: 'cancel' }],
    ['elicitation/create', { action: 'accept', content: { a: 1 } }, { action: 'accept', content: { a: 1 } }],
    ['sampling/createMessage', { content: { type: 'text' }, stopReason: null }, { content: { type: 'text' } }],
  ])('[elicit-01] are answered, of %s, with %j', (method, result, read) => {
    expect(toModernAnswer(method, result)).toEqual(read);
  });
});
