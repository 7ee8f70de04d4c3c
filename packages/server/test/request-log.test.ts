import { createServer, type Logger, type Server } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { openNodeRoute, postOf } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf, metaOf, requestOf } from './wire.ts';

function createLogged(logger: Logger): Server {
  let clock = 0;
  return createServer(
    { name: 'logged', version: '1.0.0' },
    { logger, logRequests: 'all', now: () => (clock += 1.23456), createReference: () => 'ref-1' },
  )
    .tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text)
    .tool('fail', {}, () => {
      throw new Error('cause');
    })
    .resource('mem://a', { name: 'a' }, () => 'contents')
    .prompt('p', { args: { who: 'x' } }, ({ who }) => who);
}

describe('the log of requests', () => {
  it('has one line a request with these fields, and no argument, result or metadata', async () => {
    const logger = createRecorder();
    const memory = openMemory(createLogged(logger), {
      principal: { subject: 'mira', tenant: 'acme' } as { subject: string },
    });
    const message = callOf('echo', { text: 'SECRET' }, { id: 'r-1', meta: metaOf({ token: 'SECRET' }) });
    const response = await memory.send(message);
    expect(logger.lines).toStrictEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          requestId: 'r-1',
          method: 'tools/call',
          name: 'echo',
          durationMs: 1.235,
          resultChars: JSON.stringify(response).length,
          subject: 'mira',
          tenant: 'acme',
          code: undefined,
          cancelled: undefined,
        },
      },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('SECRET');
  });

  it.each<[string, object, object]>([
    ['an unknown tool', callOf('absent'), { method: 'tools/call', name: 'absent', code: -32602 }],
    ['an unknown method', requestOf('nope'), { method: 'nope', code: -32601 }],
    ['missing metadata', requestOf('tools/list', {}, { meta: undefined }), { method: 'tools/list', code: -32602 }],
    [
      'an absent resource',
      requestOf('resources/read', { uri: 'mem://absent' }),
      { method: 'resources/read', name: 'mem://absent', code: -32602 },
    ],
    [
      'a prompt',
      requestOf('prompts/get', { name: 'p', arguments: { who: 'SECRET' } }),
      { method: 'prompts/get', name: 'p' },
    ],
  ])('names what was asked and the code that answered: %s', async (_, message, fields) => {
    const logger = createRecorder();
    await openMemory(createLogged(logger)).send(message);
    expect(logger.lines).toMatchObject([{ level: 'info', fields: { code: undefined, ...fields } }]);
    expect(JSON.stringify(logger.lines)).not.toContain('SECRET');
  });

  it('stays short, whatever a caller writes into ids and names', async () => {
    const logger = createRecorder();
    const memory = openMemory(createLogged(logger));
    const long = 'x'.repeat(1_000_000);
    await memory.send(callOf(long, {}, { id: long }));
    await memory.send(requestOf(long, {}, { id: long }));
    await memory.send(requestOf('resources/read', { uri: long }));
    expect(logger.lines).toHaveLength(3);
    for (const line of logger.lines) expect(JSON.stringify(line).length).toBeLessThan(2_000);
  });

  it('[CAN-13] tells that the caller cancelled, and why', async () => {
    const logger = createRecorder();
    const caller = new AbortController();
    caller.abort(new Error('user closed the tab'));
    await openMemory(createLogged(logger), { signal: caller.signal }).send(callOf('echo', { text: 'x' }));
    expect(logger.lines[0]?.fields).toMatchObject({ cancelled: 'user closed the tab' });
  });

  it('has the cause of a failure under the reference that the caller got', async () => {
    const logger = createRecorder();
    const result = await openMemory(createLogged(logger)).call('fail');
    expect(result.content[0]?.text).toContain('ref-1');
    expect(logger.lines[0]).toMatchObject({
      level: 'error',
      fields: { reference: 'ref-1', name: 'fail', err: expect.objectContaining({ message: 'cause' }) },
    });
  });

  it('has the cause of a failed authentication under the reference that the caller got', async () => {
    const logger = createRecorder();
    const route = await openNodeRoute(createLogged(logger), {
      authenticate: () => {
        throw new Error('the key store is gone');
      },
    });
    const answer = await route.call(postOf(callOf('echo', { text: 'x' })));
    expect(answer.text).toContain('ref-1');
    expect(answer.text).not.toContain('key store');
    expect(logger.lines).toMatchObject([
      {
        level: 'error',
        fields: { reference: 'ref-1', err: expect.objectContaining({ message: 'the key store is gone' }) },
      },
    ]);
  });
});

describe('the log of requests, unless told otherwise', () => {
  it('has a line for those that failed, were cancelled or took a second, and none for others', async () => {
    const logger = createRecorder();
    let clock = 0;
    const server = createServer({ name: 'notable', version: '1.0.0' }, { logger, now: () => clock })
      .tool('quick', {}, () => '')
      .tool('slow', {}, () => {
        clock += 1_000;
        return '';
      });
    const memory = openMemory(server);
    await memory.call('quick');
    await memory.call('slow');
    await memory.request('tools/call', { name: 'absent' });
    const aborter = new AbortController();
    aborter.abort();
    await openMemory(server, { signal: aborter.signal }).call('quick');
    expect(logger.lines.map(({ fields }) => fields['name'])).toEqual(['slow', 'absent', 'quick']);
  });
});
