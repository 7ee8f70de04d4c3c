import { createServer, type Server } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { messageOf, openFetchRoute, openNodeRoute, postOf } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { type Received, requestOf, type Sent } from './wire.ts';

/** One fault of what a handler returns: where its cause says that it is, and which rule it names. */
type Fault = readonly [what: string, returned: unknown, at: string, rule: string];

const image = { type: 'image', data: 'AQID', mimeType: 'image/png' };
const text = { type: 'text', text: 'x' };
const uri = 'mem://a';

const resultFaults: readonly Fault[] = [
  [
    'a resultType that the server does not produce',
    { resultType: 'input_required', requestState: 's' },
    '.resultType',
    '"complete"',
  ],
  ['a resultType of an extension', { resultType: 'task' }, '.resultType', '"complete"'],
  ['metadata that is no object', { _meta: 'x' }, '._meta', 'object'],
];

const blockFaults: readonly Fault[] = [
  ['a string as content', 'x', '', 'object'],
  ['null as content', null, '', 'object'],
  ['content without a type', { text: 'x' }, '.type', 'present'],
  ['content of an unknown type', { type: 'video', data: 'AQID' }, '.type', 'one of text, image'],
  ['content of an inherited type', { type: 'constructor' }, '.type', 'one of text, image'],
  ['text that is a number', { type: 'text', text: 1 }, '.text', 'string'],
  ['an image without data', { ...image, data: undefined }, '.data', 'present'],
  ['an image whose data are bytes', { ...image, data: Uint8Array.of(1) }, '.data', 'string'],
  ['an image that is a data URL', { ...image, data: 'data:image/png;base64,AQID' }, '.data', 'Base64'],
  ['an image in Base64url', { ...image, data: '-_-_' }, '.data', 'Base64'],
  ['an image without padding', { ...image, data: 'AQ' }, '.data', 'Base64'],
  ['an image with too much padding', { ...image, data: 'A===' }, '.data', 'Base64'],
  ['an image with bits after its end', { ...image, data: 'AR==' }, '.data', 'Base64'],
  ['an image in lines', { ...image, data: 'AQID\nAQI' }, '.data', 'Base64'],
  ['an image without a MIME type', { ...image, mimeType: undefined }, '.mimeType', 'present'],
  ['an image whose MIME type is none', { ...image, mimeType: 'png' }, '.mimeType', 'MIME type'],
  ['audio that is no Base64', { type: 'audio', data: '%', mimeType: 'audio/wav' }, '.data', 'Base64'],
  ['audio whose MIME type is none', { type: 'audio', data: 'AQID', mimeType: 'audio/' }, '.mimeType', 'MIME type'],
  ['a link without a name', { type: 'resource_link', uri }, '.name', 'present'],
  ['a link that is relative', { type: 'resource_link', uri: 'a/b', name: 'a' }, '.uri', 'absolute URI'],
  ['an embedded resource that is text', { type: 'resource', resource: 'x' }, '.resource', 'object'],
  ['an embedded resource without a URI', { type: 'resource', resource: { text: 'x' } }, '.resource.uri', 'present'],
  [
    'an embedded resource that is relative',
    { type: 'resource', resource: { uri: 'a', text: 'x' } },
    '.resource.uri',
    'absolute URI',
  ],
  [
    'an embedded resource of no MIME type',
    { type: 'resource', resource: { uri, text: 'x', mimeType: 'md' } },
    '.resource.mimeType',
    'MIME type',
  ],
  [
    'an embedded blob that is no Base64',
    { type: 'resource', resource: { uri, blob: 'x' } },
    '.resource.blob',
    'Base64',
  ],
  [
    'an audience of the system',
    { ...text, annotations: { audience: ['system'] } },
    '.annotations.audience[0]',
    'one of',
  ],
  ['a priority above one', { ...text, annotations: { priority: 2 } }, '.annotations.priority', '0 to 1'],
];

const toolFaults: readonly Fault[] = [
  ...resultFaults.map(([what, members, at, rule]): Fault => [what, { content: [], ...(members as object) }, at, rule]),
  ...blockFaults.map(([what, block, at, rule]): Fault => [what, { content: [text, block] }, `.content[1]${at}`, rule]),
  ['content that is text, in a full result', { content: 'x', structuredContent: {} }, '.content', 'array'],
  ['a hole in its content', { content: Array.from({ length: 1 }) }, '.content[0]', 'object'],
  ['isError that is text', { content: [], isError: 'no' }, '.isError', 'true or false'],
  ['an error with broken content', { content: ['no'], isError: true }, '.content[0]', 'object'],
];

const resourceFaults: readonly Fault[] = [
  ...resultFaults.map(([what, members, at, rule]): Fault => [
    what,
    { contents: [{ uri, text: 'x' }], ...(members as object) },
    at,
    rule,
  ]),
  ['null', null, '.contents[0]', 'object'],
  ['a number', 7, '.contents[0]', 'object'],
  ['contents without a URI', { text: 'x' }, '.contents[0].uri', 'present'],
  ['contents with a relative URI', { uri: 'a.txt', text: 'x' }, '.contents[0].uri', 'absolute URI'],
  ['contents with neither text nor blob', { uri }, '.contents[0]', 'present'],
  ['contents with both text and blob', { uri, text: 'x', blob: 'AQID' }, '.contents[0]', 'not both'],
  ['a blob of bytes', { uri, blob: Uint8Array.of(1) }, '.contents[0]', 'must'],
  [
    'a blob that is no Base64',
    [
      { uri, text: 'x' },
      { uri, blob: 'no' },
    ],
    '.contents[1].blob',
    'Base64',
  ],
  ['a MIME type that is none', { uri, text: 'x', mimeType: 'markdown' }, '.contents[0].mimeType', 'MIME type'],
  ['an empty list', [], '.contents', 'hold something'],
  ['a full result without contents', { contents: [] }, '.contents', 'hold something'],
  ['strings as contents', { contents: ['x'] }, '.contents[0]', 'object'],
  ['contents that are no list', { contents: { uri, text: 'x' } }, '.contents', 'array'],
  ['freshness below zero', { contents: [{ uri, text: 'x' }], ttlMs: -1 }, '.ttlMs', 'at least 0'],
  ['a scope that there is not', { contents: [{ uri, text: 'x' }], cacheScope: 'shared' }, '.cacheScope', '"private"'],
];

const promptFaults: readonly Fault[] = [
  ...resultFaults.map(([what, members, at, rule]): Fault => [what, { messages: [], ...(members as object) }, at, rule]),
  ...blockFaults.map(([what, content, at, rule]): Fault => [
    what,
    [{ role: 'user', content }],
    `.messages[0].content${at}`,
    rule,
  ]),
  ['nothing', undefined, '.messages', 'present'],
  ['a number', 7, '.messages', 'array'],
  ['one message alone', { role: 'user', content: text }, '.messages', 'present'],
  ['strings as messages', ['x'], '.messages[0]', 'object'],
  ['the role system', [{ role: 'system', content: text }], '.messages[0].role', 'one of "user", "assistant"'],
  ['no role', [{ content: text }], '.messages[0].role', 'present'],
  ['a list of content', [{ role: 'user', content: [text] }], '.messages[0].content', 'object'],
  ['a description that is no text', { description: 7, messages: [] }, '.description', 'string'],
];

const completionFaults: readonly Fault[] = [
  ['nothing', undefined, '.completion', 'present'],
  ['text', 'python', '.completion', 'object'],
  ['numbers', [1, 2], '.completion.values[0]', 'string'],
  ['no values', { total: 1 }, '.completion.values', 'present'],
  ['a number as its value', { values: ['a', 7] }, '.completion.values[1]', 'string'],
  [
    'a number among those that are cut off',
    [...Array.from({ length: 150 }, () => 'a'), 7],
    '.completion.values[150]',
    'string',
  ],
  ['a total that is text', { values: [], total: '1' }, '.completion.total', 'integer'],
  ['hasMore that is text', { values: [], hasMore: 'no' }, '.completion.hasMore', 'true or false'],
];

const requests = {
  'tools/call': requestOf('tools/call', { name: 'probe' }),
  'resources/read': requestOf('resources/read', { uri }),
  'resources/read of a template': requestOf('resources/read', { uri: 'mem://t/1' }),
  'prompts/get': requestOf('prompts/get', { name: 'probe' }),
  'completion/complete of a prompt': requestOf('completion/complete', {
    ref: { type: 'ref/prompt', name: 'completed' },
    argument: { name: 'a', value: '' },
  }),
  'completion/complete of a template': requestOf('completion/complete', {
    ref: { type: 'ref/resource', uri: 'mem://t/{id}' },
    argument: { name: 'id', value: '' },
  }),
};

/** A server whose every handler returns the same, and its log. */
function createProbe(returned: unknown): { readonly server: Server; readonly log: ReturnType<typeof createRecorder> } {
  const log = createRecorder();
  const run = (): never => returned as never;
  const server = createServer({ name: 'probe', version: '1.0.0' }, { logger: log, createReference: () => 'ref-1' })
    .tool('probe', {}, run)
    .resource(uri, { name: 'a' }, run)
    .resourceTemplate('mem://t/{id}', { name: 't', complete: { id: run } }, run)
    .prompt('probe', {}, run)
    .prompt('completed', { args: { a: { complete: run } } }, run);
  return { server, log };
}

const routes: readonly [string, (server: Server, message: Sent) => Promise<Received | undefined>][] = [
  ['memory', (server, message) => openMemory(server).send(message)],
  ['node:http', async (server, message) => messageOf(await (await openNodeRoute(server)).call(postOf(message)))],
  ['fetch', async (server, message) => messageOf(await (await openFetchRoute(server)).call(postOf(message)))],
];

function faultsOf(method: string): readonly Fault[] {
  if (method.startsWith('tools')) return toolFaults;
  if (method.startsWith('resources')) return resourceFaults;
  return method.startsWith('prompts') ? promptFaults : completionFaults;
}

describe.each(routes)('a handler that breaks the protocol, over %s,', (_route, send) => {
  const every = Object.entries(requests).flatMap(([method, message]) =>
    faultsOf(method).map(([what, returned, at, rule]) => [method, what, message, returned, at, rule] as const),
  );

  it.each(every)(
    '[TOOL-18] [TOOL-34] [PRM-04] [PRM-05] [PRM-06] [PRM-07] [MSG-10] [MSG-11] [RES-05] [RES-09] [RES-18] [RES-19] is a failure of the server whose cause is logged: %s: %s',
    async (_, __, message, returned, at, rule) => {
      const { server, log } = createProbe(returned);
      const response = await send(server, message);
      if (message.method === 'tools/call') {
        expect(response?.result).toMatchObject({
          resultType: 'complete',
          isError: true,
          content: [{ type: 'text', text: 'The tool probe failed (reference ref-1)' }],
        });
      } else {
        expect(response?.error).toEqual({
          code: -32603,
          message: 'Internal error (reference ref-1)',
          data: { reference: 'ref-1' },
        });
      }
      const [failure] = log.lines;
      expect(failure).toMatchObject({ level: 'error', fields: { reference: 'ref-1', method: message.method } });
      const cause = String(failure?.fields['err']);
      expect(cause).toContain(`result${at}`);
      expect(cause).toContain(rule);
    },
  );
});

describe('a handler that keeps to the protocol', () => {
  const blocks = [
    { type: 'text', text: '' },
    { ...image, annotations: { audience: ['user'], priority: 1, lastModified: '2026-07-28T00:00:00Z' } },
    { type: 'audio', data: '', mimeType: 'audio/x-wav; codec="1"' },
    { type: 'image', data: 'AQ==', mimeType: 'image/svg+xml' },
    { type: 'image', data: 'AQI=', mimeType: 'Image/PNG' },
    { type: 'image', data: '+/+/', mimeType: 'image/vnd.x-1' },
    { type: 'resource_link', uri: 'urn:isbn:1', name: 'a', mimeType: 'text/markdown' },
    { type: 'resource', resource: { uri: 'file:///a%20b', text: '' } },
    { type: 'resource', resource: { uri, blob: '', mimeType: 'application/octet-stream' } },
    { type: 'text', text: 'x', annotations: { priority: 0 }, _meta: { 'com.example/a': 1 }, extra: true },
  ];

  it.each(blocks)('[TOOL-18] [TOOL-19] [PRM-05] [PRM-06] [PRM-07] [RES-19] may send the content %j', async (block) => {
    const tool = await openMemory(createProbe({ resultType: 'complete', content: [block] }).server).call('probe');
    expect(tool).toMatchObject({ content: [block] });
    expect(tool).not.toHaveProperty('isError');
    const messages = [{ role: 'assistant', content: block }];
    const prompt = await openMemory(createProbe(messages).server).send(requests['prompts/get']);
    expect(prompt?.result).toMatchObject({ messages });
  });

  it('[RES-18] may send any bytes that a standard encoder encodes, however many', async () => {
    for (const length of [0, 1, 2, 3, 4, 255, 4 * 1024 * 1024 + 1]) {
      const blob = Buffer.alloc(length, 251).toString('base64');
      const { result } = (await openMemory(createProbe({ uri, blob }).server).send(requests['resources/read'])) ?? {};
      expect(result?.['contents']).toEqual([{ uri, blob }]);
    }
  });

  it('[CACHE-01] has the freshness of its definition where its full result leaves a member out', async () => {
    const returned = { contents: [{ uri, text: 'x' }], ttlMs: undefined, cacheScope: 'public' };
    const response = await openMemory(createProbe(returned).server).send(requests['resources/read']);
    expect(response?.result).toMatchObject({ ttlMs: 0, cacheScope: 'public' });
  });
});

it.each(['markdown', '', 'text/', '/plain', 'text/plain\n', 'text plain'])(
  '[PRM-07] refuses to define a resource whose MIME type is %j',
  (mimeType) => {
    const server = createServer({ name: 'probe', version: '1.0.0' });
    expect(() => server.resource(uri, { name: 'a', mimeType }, () => 'x')).toThrow(/MIME type/);
    expect(() => server.resourceTemplate('mem://t/{id}', { name: 't', mimeType }, () => 'x')).toThrow(/MIME type/);
  },
);
