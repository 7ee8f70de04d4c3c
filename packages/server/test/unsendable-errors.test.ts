import { createServer, ProtocolError, type Server } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { type HttpAnswer, messageOf, openFetchRoute, openNodeRoute, postOf, routes } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { openStdio } from './stdio-route.ts';
import { callOf, type Received, requestOf, type Sent } from './wire.ts';

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

const unsendable: readonly [string, () => ProtocolError][] = [
  ['data with a cycle', () => new ProtocolError('invalidParams', 'SECRET', { data: cyclic })],
  [
    'data whose toJSON throws',
    () =>
      new ProtocolError('invalidParams', 'SECRET', {
        data: {
          toJSON() {
            throw new Error('SECRET');
          },
        },
      }),
  ],
  ['a code with a fraction', () => new ProtocolError(1.5, 'SECRET')],
  ['a code that is no number', () => new ProtocolError(NaN, 'SECRET')],
  ['a code beyond exact integers', () => new ProtocolError(2 ** 60, 'SECRET')],
  ['a status below all responses', () => new ProtocolError('invalidParams', 'SECRET', { status: 101 })],
  ['a status without a body', () => new ProtocolError('invalidParams', 'SECRET', { status: 204 })],
  ['a status that resets a form', () => new ProtocolError('invalidParams', 'SECRET', { status: 205 })],
  ['a status that redirects', () => new ProtocolError('invalidParams', 'SECRET', { status: 304 })],
  [
    'a message that is no text',
    () => Object.assign(new ProtocolError('invalidParams', ''), { message: { a: 'SECRET' } }),
  ],
  ['a status that there is not', () => new ProtocolError('invalidParams', 'SECRET', { status: 1_000 })],
  ['a status with a fraction', () => new ProtocolError('invalidParams', 'SECRET', { status: 400.5 })],
  ['a status that is text', () => new ProtocolError('invalidParams', 'SECRET', { status: '400' as never })],
];

const internal = { code: -32603, message: 'Internal error (reference ref-1)', data: { reference: 'ref-1' } };

function createThrowing(create: () => ProtocolError): { server: Server; log: ReturnType<typeof createRecorder> } {
  const log = createRecorder();
  const fail = (): never => {
    throw create();
  };
  const server = createServer({ name: 'throwing', version: '1.0.0' }, { logger: log, createReference: () => 'ref-1' })
    .tool('fail', {}, fail)
    .resource('mem://fail', { name: 'fail' }, fail)
    .prompt('fail', {}, fail);
  return { server, log };
}

const requests: readonly Sent[] = [
  callOf('fail'),
  requestOf('resources/read', { uri: 'mem://fail' }),
  requestOf('prompts/get', { name: 'fail' }),
];

const send: readonly [string, (server: Server, message: Sent) => Promise<Received | undefined>][] = [
  ['memory', (server, message) => openMemory(server).send(message)],
  ['node:http', async (server, message) => received(await (await openNodeRoute(server)).call(postOf(message)))],
  ['fetch', async (server, message) => received(await (await openFetchRoute(server)).call(postOf(message)))],
  [
    'stdio',
    async (server, message) => {
      const stdio = await openStdio(server);
      stdio.send(message);
      await stdio.end();
      return stdio.messages()[0];
    },
  ],
];

function received(answer: HttpAnswer): Received {
  expect(answer.status).toBe(200);
  return messageOf(answer);
}

describe.each(send)('an error that has no form on the wire, over %s,', (_, send) => {
  it.each(unsendable)('is an internal error whose cause is logged: %s', async (_, create) => {
    for (const message of requests) {
      const { server, log } = createThrowing(create);
      const response = await send(server, message);
      expect(response).toEqual({ jsonrpc: '2.0', id: 1, error: internal });
      expect(log.lines).toMatchObject([
        { level: 'error', fields: { reference: 'ref-1', method: message.method, err: expect.any(Error) } },
        { level: 'info', fields: { code: -32603 } },
      ]);
    }
  });
});

describe.each(routes)('an error of authenticate that has no form on the wire, over %s,', (_, open) => {
  it.each(unsendable)('is an internal error whose cause is logged: %s', async (_, create) => {
    const { server, log } = createThrowing(create);
    const route = await open(server, {
      authenticate: () => {
        throw create();
      },
    });
    const answer = await route.call(postOf(callOf('fail')));
    expect(answer.status).toBe(500);
    expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: internal });
    expect(log.lines).toMatchObject([{ level: 'error', fields: { reference: 'ref-1', err: expect.any(Error) } }]);
  });
});

it('[MSG-16] [MSG-17] sends an error with any integer as its code and any JSON as its data', async () => {
  for (const [code, data] of [
    [1, null],
    [0, [1]],
    [-32_602, { a: 9007199254740993n }],
    [Number.MIN_SAFE_INTEGER, 'x'],
  ] as const) {
    const { server } = createThrowing(() => new ProtocolError(code, 'shown', { data }));
    const { error } = (await openMemory(server).send(callOf('fail'))) ?? {};
    expect(error).toEqual({ code, message: 'shown', data: JSON.parse(JSON.stringify(data, asNumber)) as unknown });
  }
});

function asNumber(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
