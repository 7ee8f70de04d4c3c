import { metaKeys } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';

import { headersOf, type HttpCall, messageOf, postOf, routes } from './http-route.ts';
import { createLadderServer } from './ladder-server.ts';
import { callOf, metaOf, requestOf } from './wire.ts';

const unsupported = '2031-01-01';

const call = callOf('sum', { a: 1 });
const list = requestOf('tools/list');

/** Each call breaks the rule of its rung and every rule below that can still be broken. */
const rungs: readonly [rung: string, call: HttpCall, status: number, code: number][] = [
  [
    'Origin before method',
    { method: 'GET', headers: { origin: 'http://evil.example', 'content-type': 'text/plain' } },
    403,
    -32600,
  ],
  ['Host before method', { method: 'DELETE', headers: { host: 'evil.example' } }, 403, -32600],
  ['method before media type', { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: '{' }, 405, -32600],
  ['media type before JSON', { headers: { 'content-type': 'text/plain' }, body: '{' }, 415, -32600],
  ['JSON before the message', { headers: { 'content-type': 'application/json' }, body: '[{]' }, 400, -32700],
  [
    'the message before its metadata',
    { headers: { 'content-type': 'application/json' }, body: JSON.stringify([requestOf('nope', {}, { meta: {} })]) },
    400,
    -32600,
  ],
  [
    'the id before the metadata',
    { headers: headersOf(list), body: JSON.stringify(requestOf('nope', {}, { id: 1.5, meta: {} })) },
    400,
    -32600,
  ],
  [
    'metadata before headers',
    { headers: { 'content-type': 'application/json' }, body: JSON.stringify(requestOf('nope', {}, { meta: {} })) },
    400,
    -32602,
  ],
  [
    '[HDR-03] the version header before the version',
    postOf(requestOf('nope', {}, { meta: metaOf({ [metaKeys.protocolVersion]: unsupported }) })),
    400,
    -32020,
  ],
  [
    'the method header before the version',
    postOf(requestOf('nope', {}, { meta: metaOf({ [metaKeys.protocolVersion]: unsupported }) }), {
      'mcp-protocol-version': unsupported,
      'mcp-method': 'NOPE',
    }),
    400,
    -32020,
  ],
  [
    'the version before the method',
    postOf(requestOf('nope', {}, { meta: metaOf({ [metaKeys.protocolVersion]: unsupported }) }), {
      'mcp-protocol-version': unsupported,
    }),
    400,
    -32022,
  ],
  ['[HTTP-28] the method before its params', postOf(requestOf('nope', { name: 7 })), 404, -32601],
  ['params before the tool', postOf(requestOf('tools/call', { name: 'absent', arguments: 5 })), 200, -32602],
  ['Mcp-Param before the argument rules', postOf(callOf('city', { city: 7 })), 400, -32020],
  ['the capability before the argument rules', postOf(callOf('sampled', { surplus: 1 })), 400, -32021],
];

describe.each(routes)('the ladder of checks over %s', (_, open) => {
  it.each(rungs)('checks %s', async (_, call, status, code) => {
    const { server, runs } = createLadderServer();
    const route = await open(server);
    const answer = await route.call(call);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(messageOf(answer)).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
    expect(runs()).toBe(0);
    expect((await route.call(postOf(callOf('sum', { a: 1 })))).status).toBe(200);
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    [
      'all of them',
      { 'mcp-protocol-version': undefined, 'mcp-method': undefined, 'mcp-name': undefined },
      'The headers "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: =?base64?esOkaGxlbg==?=" are missing: each repeats a value of the body',
    ],
    [
      'one',
      { 'mcp-method': undefined },
      'The header "Mcp-Method: tools/call" is missing: each repeats a value of the body',
    ],
  ])('[HDR-09] names missing headers as they are to be sent: %s', async (_, without, message) => {
    const route = await open(createLadderServer().server);
    const answer = await route.call(postOf(callOf('zählen'), { 'mcp-name': '=?base64?esOkaGxlbg==?=', ...without }));
    expect(messageOf(answer).error).toEqual({ code: -32020, message });
  });

  it('names a header that differs before those that are missing', async () => {
    const headers = { 'mcp-protocol-version': unsupported, 'mcp-method': undefined };
    const answer = await (await open(createLadderServer().server)).call(postOf(call, headers));
    expect(messageOf(answer).error?.message).toBe(
      'The header MCP-Protocol-Version does not repeat the value in the body',
    );
  });

  it('[TOOL-27] answers argument values that break the schema with a complete result, at the bottom', async () => {
    const { server, runs } = createLadderServer();
    const answer = await (await open(server)).call(postOf(callOf('sum', { a: true })));
    expect(answer.status).toBe(200);
    expect(messageOf(answer).result).toMatchObject({ resultType: 'complete', isError: true });
    expect(runs()).toBe(0);
  });

  it.each<[string, HttpCall, number, number]>([
    ['trap 1: [META-05] no _meta', postOf(requestOf('server/discover', {}, { meta: undefined })), 400, -32602],
    [
      'no _meta and no Mcp-Method',
      postOf(requestOf('server/discover', {}, { meta: undefined }), { 'mcp-method': undefined }),
      400,
      -32602,
    ],
    [
      '[META-05] _meta without a version',
      postOf(requestOf('tools/list', {}, { meta: { [metaKeys.clientCapabilities]: {} } })),
      400,
      -32602,
    ],
    [
      '[META-05] _meta without capabilities',
      postOf(requestOf('tools/list', {}, { meta: { [metaKeys.protocolVersion]: '2026-07-28' } })),
      400,
      -32602,
    ],
    [
      'an unknown log level',
      postOf(requestOf('tools/list', {}, { meta: metaOf({ [metaKeys.logLevel]: 'loud' }) })),
      400,
      -32602,
    ],
    ['[HDR-05] no version header', postOf(list, { 'mcp-protocol-version': undefined }), 400, -32020],
    [
      'trap 2: a header version and another in _meta',
      postOf(requestOf('tools/list', {}, { meta: metaOf({ [metaKeys.protocolVersion]: unsupported }) })),
      400,
      -32020,
    ],
    ['[HDR-09] no Mcp-Method', postOf(list, { 'mcp-method': undefined }), 400, -32020],
    ['[HDR-09] no Mcp-Name', postOf(call, { 'mcp-name': undefined }), 400, -32020],
    ['[HDR-10] [HDR-14] another Mcp-Method', postOf(list, { 'mcp-method': 'tools/call' }), 400, -32020],
    ['trap 4: [HDR-12] Mcp-Method in capitals', postOf(list, { 'mcp-method': 'TOOLS/LIST' }), 400, -32020],
    ['[HDR-10] another Mcp-Name', postOf(call, { 'mcp-name': 'Sum' }), 400, -32020],
    ['[HDR-10] an empty Mcp-Name', postOf(call, { 'mcp-name': '' }), 400, -32020],
    ['[HDR-20] Mcp-Name in broken Base64', postOf(call, { 'mcp-name': '=?base64?c3Vt=?=' }), 400, -32020],
    ['trap 12: [HTTP-28] ping', postOf(requestOf('ping')), 404, -32601],
    [
      '[VER-18] initialize with modern metadata',
      postOf(requestOf('initialize', { protocolVersion: '2025-11-25' })),
      404,
      -32601,
    ],
    ['[MSG-35] logging/setLevel', postOf(requestOf('logging/setLevel', { level: 'info' })), 404, -32601],
    ['[MSG-35] resources/subscribe', postOf(requestOf('resources/subscribe', { uri: 'mem://here' })), 404, -32601],
    ['[MSG-34] a family that is not served', postOf(requestOf('completion/complete')), 404, -32601],
    ['an inherited member as the method', postOf(requestOf('toString')), 404, -32601],
    ['[TOOL-25] an unknown tool', postOf(callOf('absent')), 200, -32602],
    ['an inherited member as the tool', postOf(callOf('constructor')), 200, -32602],
    [
      '[TOOL-26] arguments that are no object',
      postOf(requestOf('tools/call', { name: 'sum', arguments: [] })),
      200,
      -32602,
    ],
    ['[TOOL-26] a call without a name', postOf(requestOf('tools/call')), 200, -32602],
    ['an unknown prompt', postOf(requestOf('prompts/get', { name: 'absent' })), 200, -32602],
    [
      '[N23] a prompt argument that is a number',
      postOf(requestOf('prompts/get', { name: 'hello', arguments: { who: 1 } })),
      200,
      -32602,
    ],
    ['[PAG-08] a foreign cursor', postOf(requestOf('tools/list', { cursor: 'zzz' })), 200, -32602],
    ['[HDR-38] an annotated argument without its header', postOf(callOf('city', { city: 'Oslo' })), 400, -32020],
    ['an integer for it, without its header', postOf(callOf('city', { city: 5 })), 400, -32020],
    [
      '[HDR-40] another value in its header',
      postOf(callOf('city', { city: 'Oslo' }), { 'mcp-param-city': 'oslo' }),
      400,
      -32020,
    ],
    ['[HDR-39] its header without the argument', postOf(callOf('city', {}), { 'mcp-param-city': 'Oslo' }), 400, -32020],
    [
      '[HDR-40] another integer in its header',
      postOf(callOf('typed', { n: 42 }), { 'mcp-param-n': '42.5' }),
      400,
      -32020,
    ],
    [
      '[HDR-40] a boolean in capitals in its header',
      postOf(callOf('typed', { ok: true }), { 'mcp-param-ok': 'True' }),
      400,
      -32020,
    ],
    ['[HDR-38] 0 without its header', postOf(callOf('typed', { n: 0 })), 400, -32020],
    ['[HDR-38] a nested empty text without its header', postOf(callOf('typed', { deep: { tag: '' } })), 400, -32020],
    [
      'trap 5: [HDR-19] an unknown tool whose name is Base64 in the header',
      postOf(callOf('zählen'), { 'mcp-name': '=?base64?esOkaGxlbg==?=' }),
      200,
      -32602,
    ],
    ['its header beside null', postOf(callOf('city', { city: null }), { 'mcp-param-city': 'null' }), 400, -32020],
    [
      'trap 8: its header in Base64 without padding',
      postOf(callOf('city', { city: 'Oslo!' }), { 'mcp-param-city': '=?base64?T3NsbyE?=' }),
      400,
      -32020,
    ],
  ])('answers %s', async (_, call, status, code) => {
    const { server, runs } = createLadderServer();
    const answer = await (await open(server)).call(call);
    expect(answer.status).toBe(status);
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code } });
    expect(runs()).toBe(0);
  });

  it.each<[string, HttpCall, RegExp]>([
    [
      'trap 4: [HDR-11] header names in capitals',
      {
        headers: {
          'Content-Type': 'application/json',
          'MCP-PROTOCOL-VERSION': '2026-07-28',
          'MCP-METHOD': 'tools/call',
          'MCP-NAME': 'sum',
        },
        body: JSON.stringify(call),
      },
      /"structuredContent":1/,
    ],
    ['trap 5: [HDR-19] Mcp-Name in Base64', postOf(call, { 'mcp-name': '=?base64?c3Vt?=' }), /"structuredContent":1/],
    [
      'trap 6: [HDR-13] spaces and tabs round Mcp-Name',
      postOf(call, { 'mcp-name': ' \t sum \t ' }),
      /"structuredContent":1/,
    ],
    [
      '[HDR-13] spaces round the other two',
      postOf(call, { 'mcp-method': '  tools/call ', 'mcp-protocol-version': ' 2026-07-28\t' }),
      /"structuredContent":1/,
    ],
    [
      'trap 9: [HDR-21] Base64 without the wrapper',
      postOf(callOf('city', { city: 'T3Nsbw==' }), { 'mcp-param-city': 'T3Nsbw==' }),
      /T3Nsbw==/,
    ],
    [
      '[HDR-19] an argument in Base64',
      postOf(callOf('city', { city: 'Zürich' }), { 'mcp-param-city': '=?base64?WsO8cmljaA==?=' }),
      /Zürich/,
    ],
    ['[HDR-39] an argument that is absent', postOf(callOf('city')), /undefined/],
    [
      'trap 10: [HDR-39] arguments that are null, 0, false and empty',
      postOf(callOf('typed', { n: 0, ok: false, deep: { tag: '' } }), {
        'mcp-param-n': '0',
        'mcp-param-ok': 'false',
        'mcp-param-tag': '',
      }),
      /"n":0/,
    ],
    ['[HDR-39] a nested argument that is null', postOf(callOf('typed', { deep: { tag: null } })), /"tag":null/],
    [
      '[HDR-23] [HDR-41] an integer that its header writes with a fraction',
      postOf(callOf('typed', { n: 42 }), { 'mcp-param-n': '42.0' }),
      /"n":42/,
    ],
    ['trap 15: [META-04] no clientInfo', postOf(call), /"structuredContent":1/],
    [
      '[HTTP-26] [HTTP-27] a session id, and an event id',
      postOf(call, { 'mcp-session-id': 'abc', 'last-event-id': '7' }),
      /"structuredContent":1/,
    ],
    ['an Mcp-Param that no tool knows', postOf(call, { 'mcp-param-zone': 'x' }), /"structuredContent":1/],
    ['Accept for JSON alone', postOf(call, { accept: 'application/json' }), /"structuredContent":1/],
    ['no Accept', postOf(call, { accept: undefined }), /"structuredContent":1/],
    [
      'capabilities that nobody knows',
      postOf(callOf('sum', { a: 1 }, { meta: metaOf({ [metaKeys.clientCapabilities]: { hologram: {} } }) })),
      /"structuredContent":1/,
    ],
  ])('serves %s', async (_, call, text) => {
    const answer = await (await open(createLadderServer().server)).call(call);
    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(text) });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
  });

  it.each<[string, string]>([
    ['trap 3: [VER-02] [HTTP-29] tools/list', 'tools/list'],
    ['[DISC-11] the probe itself', 'server/discover'],
  ])('names what it speaks to %s of another version', async (_, method) => {
    const message = requestOf(method, {}, { id: 'v', meta: metaOf({ [metaKeys.protocolVersion]: unsupported }) });
    const answer = await (
      await open(createLadderServer().server)
    ).call(postOf(message, { 'mcp-protocol-version': unsupported }));
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toMatchObject({
      id: 'v',
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: unsupported } },
    });
  });

  it('trap 13: [META-06] [META-07] [HTTP-31] names the capabilities that a call needs as an object', async () => {
    const answer = await (await open(createLadderServer().server)).call(postOf(callOf('sampled')));
    expect(answer.status).toBe(400);
    expect(messageOf(answer).error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } });
  });

  it('trap 14: [META-08] takes no capability from an earlier request', async () => {
    const route = await open(createLadderServer().server);
    const able = metaOf({ [metaKeys.clientCapabilities]: { sampling: {} } });
    expect((await route.call(postOf(callOf('sampled', {}, { meta: able })))).status).toBe(200);
    expect(messageOf(await route.call(postOf(callOf('sampled')))).error?.code).toBe(-32021);
  });

  it('trap 27: [RES-08] answers an absent resource with its URI', async () => {
    const answer = await (
      await open(createLadderServer().server)
    ).call(postOf(requestOf('resources/read', { uri: 'mem://absent' })));
    expect(answer.status).toBe(200);
    expect(messageOf(answer).error).toMatchObject({ code: -32602, data: { uri: 'mem://absent' } });
  });

  it.each<[string, unknown]>([
    ['cancelled', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    ['unknown', { jsonrpc: '2.0', method: 'notifications/vendor.example/ping' }],
    ['a request method without an id', { jsonrpc: '2.0', method: 'tools/list' }],
  ])(
    '[HTTP-10] [N12] [http-06] accepts a notification (%s) with 202 and no body, with headers or without',
    async (_, message) => {
      const route = await open(createLadderServer().server);
      for (const headers of [
        { 'content-type': 'application/json' },
        headersOf({ method: 'notifications/cancelled' }),
      ]) {
        const answer = await route.call({ headers, body: JSON.stringify(message) });
        expect(answer).toMatchObject({ status: 202, text: '' });
        expect(answer.headers).not.toHaveProperty('content-type');
      }
    },
  );

  it.each<[string, object]>([
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }],
  ])('[MSG-33] refuses %s that a client posts', async (_, message) => {
    const answer = await (
      await open(createLadderServer().server)
    ).call({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) });
    expect(answer.status).toBe(400);
    expect(messageOf(answer).error?.code).toBe(-32600);
  });
});
