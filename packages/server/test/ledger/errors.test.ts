import { errorCodes } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { messageOf, postOf, routes } from '../http-route.ts';
import { callOf, metaOf, requestOf } from '../wire.ts';

const long = 'x'.repeat(100_000);

const server = createServer({ name: 'failing', version: '1.0.0' }, { logger: silentLogger })
  .tool('sum', { input: z.object({ a: z.number() }) }, ({ a }) => a)
  .tool('sampled', { requires: ['sampling'] }, () => '')
  .resource('mem://one', { name: 'one' }, () => {
    throw new Error('first line\n    at secret (/srv/app.ts:1:1)');
  })
  .prompt('p', { args: { a: 'A' } }, () => 'p');

const version = 'io.modelcontextprotocol/protocolVersion';
const faults = [
  postOf({ ...requestOf('tools/list'), jsonrpc: '1.0' } as never),
  { ...postOf(requestOf('tools/list')), body: '{"jsonrpc"' },
  { ...postOf(requestOf('tools/list')), body: '[]' },
  postOf(requestOf('tools/list', {}, { id: null })),
  postOf(requestOf('tools/list', {}, { meta: undefined })),
  postOf(requestOf('tools/list', {}, { meta: metaOf({ [version]: long }) })),
  postOf(requestOf('tools/list', {}, { meta: metaOf({ [version]: '2031-01-01' }) }), {
    'mcp-protocol-version': '2031-01-01',
  }),
  postOf(requestOf('tools/list'), { 'mcp-method': 'other' }),
  postOf(requestOf('no/such/method')),
  postOf(requestOf('tools/list', { cursor: long })),
  postOf(callOf('absent')),
  postOf(requestOf('tools/call', { name: 'sum', arguments: [] })),
  postOf(callOf('sampled')),
  postOf(requestOf('resources/read', { uri: 'mem://one' })),
  postOf(requestOf('resources/read', { uri: 'mem://absent' })),
  postOf(requestOf('resources/read', { uri: 'no uri' })),
  postOf(requestOf('prompts/get', { name: 'absent' })),
  postOf(requestOf('prompts/get', { name: 'p', arguments: {} })),
  postOf(requestOf('completion/complete', { ref: { type: 'ref/prompt', name: 'absent' }, argument: {} })),
  postOf(requestOf('subscriptions/listen', {})),
];

describe.each(routes)('every error over %s', (_name, open) => {
  it('[MSG-18] [MSG-21] [MSG-25] [MSG-26] is one short sentence under a code of the specification, and shows nothing of the inside', async () => {
    const route = await open(server);
    const codes = new Set<unknown>(Object.values(errorCodes).map(({ code }) => code));
    for (const fault of faults) {
      const answer = await route.call(fault);
      const { error } = messageOf(answer);
      expect({ answer, code: codes.has(error?.code) }).toEqual({ answer, code: true });
      expect(error?.message).toMatch(/^\S[^\n\r]{9,299}$/);
      expect(answer.text).not.toMatch(/secret|\/srv/);
    }
  });

  it('[MSG-21] has no code from -32000 to -32019', () => {
    for (const { code } of Object.values(errorCodes)) expect(code >= -32_019 && code <= -32_000).toBe(false);
  });
});
