import { createServer, type Logger } from '@switchyard/server';
import { type EventBus, StoreError } from '@switchyard/stores';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';

import { messageOf, postOf, routes } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf, requestOf } from './wire.ts';

const broken: Logger = { info: fail, warn: fail, error: fail };

function fail(): never {
  throw new Error('the disk is full');
}

function createFailing(logger: Logger, cause: unknown = new Error('x')) {
  const fail = (): never => {
    throw cause;
  };
  return createServer(
    { name: 'failing', version: '1.0.0' },
    { logger, logRequests: 'all', createReference: () => 'ref-1' },
  )
    .tool('ping', {}, () => 'pong')
    .tool('fail', {}, fail)
    .resource('mem://fail', { name: 'fail' }, fail);
}

describe('a logger that throws', () => {
  it('costs no caller an answer, in memory', async () => {
    const memory = openMemory(createFailing(broken));
    expect(await memory.call('ping')).toMatchObject({ content: [{ text: 'pong' }] });
    expect(await memory.call('fail')).toMatchObject({ isError: true });
    expect((await memory.request('resources/read', { uri: 'mem://fail' })).error).toMatchObject({ code: -32603 });
    expect((await memory.request('absent')).error).toMatchObject({ code: -32601 });
  });

  it('ends no process where a bus fails', async () => {
    let published = 0;
    const down = (): Promise<never> => {
      published += 1;
      return Promise.reject(new StoreError('closed', 'the bus is closed'));
    };
    const bus: EventBus = {
      publish: down,
      subscribe: down,
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const failures: unknown[] = [];
    const note = (reason: unknown): void => void failures.push(reason);
    process.on('unhandledRejection', note);
    try {
      createServer({ name: 'failing', version: '1.0.0' }, { logger: broken, bus }).tool('ping', {}, () => 'pong');
      await vi.waitFor(() => expect(published).toBeGreaterThan(0));
      // A rejection that nobody handles is told of after the microtasks of this turn.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(failures).toEqual([]);
  });

  it('is tried once and once more with the cause as text for each line', async () => {
    const tried: string[] = [];
    const at = (level: string) => (): never => {
      tried.push(level);
      return fail();
    };
    const memory = openMemory(createFailing({ info: at('info'), warn: at('warn'), error: at('error') }));
    for (const request of [callOf('fail'), requestOf('resources/read', { uri: 'mem://fail' })]) {
      tried.length = 0;
      await memory.send(request);
      expect(tried).toEqual(['error', 'error', 'info', 'info']);
    }
  });

  it.each(routes)('costs no caller an answer, over %s', async (_, open) => {
    const route = await open(createFailing(broken), {
      authenticate(head) {
        if (head.header('authorization') === 'bad') throw new Error('x');
        return 'anonymous';
      },
    });
    expect(messageOf(await route.call(postOf(callOf('ping')))).result).toMatchObject({ content: [{ text: 'pong' }] });
    expect(messageOf(await route.call(postOf(callOf('ping'), { authorization: 'bad' }))).error?.code).toBe(-32603);
    const read = requestOf('resources/read', { uri: 'mem://fail' });
    expect(messageOf(await route.call(postOf(read))).error?.code).toBe(-32603);
  });
});

describe('a createReference that throws', () => {
  it.each(routes)('costs no caller an answer and the log no cause, over %s', async (_, open) => {
    const log = createRecorder();
    const server = createServer({ name: 'failing', version: '1.0.0' }, { logger: log, createReference: fail })
      .tool('fail', {}, () => {
        throw new Error('the cause');
      })
      .resource('mem://fail', { name: 'fail' }, () => {
        throw new Error('the cause');
      });
    const route = await open(server);
    expect(messageOf(await route.call(postOf(callOf('fail')))).result).toMatchObject({ isError: true });
    const read = messageOf(await route.call(postOf(requestOf('resources/read', { uri: 'mem://fail' }))));
    expect(read.error?.code).toBe(-32603);
    const causes = log.lines.filter(({ fields }) => 'err' in fields).map(({ fields }) => String(fields['err']));
    expect(causes).toEqual(['Error: the cause', 'Error: the cause']);
  });
});

const endless = new Error('endless');
endless.cause = endless;

const hostile: readonly [string, unknown, string | undefined][] = [
  ['is frozen', Object.freeze(new Error('frozen')), 'frozen'],
  ['has itself as its cause', endless, 'endless'],
  ['has a message that throws', Object.defineProperty(new Error('x'), 'message', { get: fail }), undefined],
  ['has a stack that throws', Object.defineProperty(new Error('x'), 'stack', { get: fail }), undefined],
  [
    'has a member that throws',
    Object.defineProperty(new Error('member'), 'code', { get: fail, enumerable: true }),
    'member',
  ],
  ['is an object without a prototype', Object.create(null), undefined],
  ['is a symbol', Symbol('symbol'), undefined],
];

describe('a cause in the log of pino', () => {
  it.each(hostile)(
    'is written under its reference, or at least that there was one, where it %s',
    async (_, cause, text) => {
      const lines: string[] = [];
      const server = createFailing(pino({ level: 'info' }, { write: (line) => void lines.push(line) }), cause);
      expect(await openMemory(server).call('fail')).toMatchObject({
        isError: true,
        content: [{ text: 'The tool fail failed (reference ref-1)' }],
      });
      const failures = lines.filter((line) => line.includes('"reference":"ref-1"'));
      expect(failures).toHaveLength(1);
      expect(JSON.parse(failures[0] ?? '')).toMatchObject({ reference: 'ref-1', method: 'tools/call', name: 'fail' });
      if (text !== undefined) expect(failures[0]).toContain(text);
    },
  );

  it('costs its caller no answer where not even its class can be asked for', async () => {
    const cause = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, has: fail });
    const memory = openMemory(createFailing(pino({ level: 'info' }, { write: () => undefined }), cause));
    for (const message of [callOf('fail'), requestOf('resources/read', { uri: 'mem://fail' })]) {
      expect((await memory.send(message))?.error).toMatchObject({ code: -32603, data: { reference: 'ref-1' } });
    }
  });
});
