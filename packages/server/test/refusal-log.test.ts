import { type Authenticate, createServer } from '@switchyard/server';
import { apiKeys, hashApiKey } from '@switchyard/server/authorization';
import { describe, expect, it } from 'vitest';

import { createLimitedLogger } from '../src/limits/limited-logger.ts';
import { type HttpCall, openNodeRoute, postOf, routes } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

const call = callOf('echo', { text: 'SECRET' });
const post = postOf(call);

const digest = await hashApiKey('key-of-bob');

function create(now: () => number = () => 0) {
  const logger = createRecorder();
  return { logger, server: createServer({ name: 'refusing', version: '1.0.0' }, { logger, now }) };
}

const refused: readonly [what: string, call: HttpCall, fields: object][] = [
  [
    'a foreign host',
    postOf(call, { host: 'evil.example' }),
    { status: 403, host: 'evil.example', origin: undefined, hint: expect.stringContaining('allowedHosts') },
  ],
  [
    'a foreign origin',
    postOf(call, { origin: 'https://evil.example' }),
    { status: 403, origin: 'https://evil.example', hint: expect.stringContaining('allowedOrigins') },
  ],
  ['another method', { method: 'PUT' }, { status: 405, method: 'PUT' }],
  ['another media type', postOf(call, { 'content-type': 'text/plain' }), { status: 415 }],
  ['a large body', { ...post, body: JSON.stringify(callOf('echo', { text: 'SECRET'.repeat(100) })) }, { status: 413 }],
  ['what is no JSON', { ...post, body: '{SECRET' }, { status: 400, reason: 'the body is no JSON' }],
  ['what is no message', { ...post, body: '{"SECRET":1}' }, { status: 400, reason: 'the body is no message' }],
];

describe.each(routes)('the log of what is refused early over %s', (_route, open) => {
  it.each(refused)('has one line of %s, with the path and without query and body', async (_what, sent, fields) => {
    const { logger, server } = create();
    const route = await open(server, { maxBodyBytes: 512 });
    const { status } = await route.call({ ...sent, path: '/mcp?token=SECRET' });
    expect(logger.lines).toMatchObject([
      {
        level: 'info',
        message: 'request refused',
        fields: { method: 'POST', path: expect.stringMatching(/\/mcp$/), reason: expect.any(String), ...fields },
      },
    ]);
    expect(logger.lines[0]?.fields['status']).toBe(status);
    expect(JSON.stringify(logger.lines)).not.toContain('SECRET');
  });

  it.each<[string, Authenticate, object]>([
    ['whom the hook does not know', () => undefined, { status: 401, reason: 'refused' }],
    [
      'without an API key',
      apiKeys({ keys: [{ digest, principal: { subject: 'bob' } }], header: 'authorization' }),
      { status: 401 },
    ],
    [
      'who has left',
      () => ({ status: 401, wwwAuthenticate: 'Bearer', reason: 'left-us', about: { subject: 'bob', tenant: 'acme' } }),
      { status: 401, reason: 'left-us', subject: 'bob', tenant: 'acme' },
    ],
    ['who may not', () => ({ status: 403, wwwAuthenticate: 'Bearer' }), { status: 403, reason: 'refused' }],
  ])('has one line of a caller %s, with an onSecurityEvent, too', async (_what, authenticate, fields) => {
    for (const options of [{}, { onSecurityEvent: () => undefined }]) {
      const { logger, server } = create();
      const route = await open(server, { authenticate, ...options });
      await route.call({ ...postOf(call, { authorization: 'Bearer SECRET' }), path: '/mcp?token=SECRET' });
      expect(logger.lines).toMatchObject([{ level: 'info', message: 'request refused', fields }]);
      expect(logger.lines[0]?.fields).not.toHaveProperty('hint');
      expect(JSON.stringify(logger.lines)).not.toContain('SECRET');
    }
  });

  it('has no second line of a hook that fails', async () => {
    const { logger, server } = create();
    const route = await open(server, {
      authenticate() {
        throw new Error('the database is down');
      },
    });
    await route.call(post);
    expect(logger.lines).toHaveLength(1);
  });

  it('has ten lines a second at most, and says in the next how many more there were', async () => {
    let clock = 0;
    const { logger, server } = create(() => clock);
    const route = await open(server);
    for (let index = 0; index < 25; index += 1) await route.call({ method: 'PUT' });
    expect(logger.lines).toHaveLength(10);
    clock = 1_000;
    await route.call({ method: 'PUT' });
    await route.call({ method: 'PUT' });
    expect(logger.lines.slice(10).map(({ fields }) => fields['notLogged'])).toEqual([15, undefined]);
  });

  it('stays short, whatever a caller writes into the head', async () => {
    const { logger, server } = create();
    const route = await open(server);
    const long = 'x'.repeat(5_000);
    await route.call({ ...postOf(call, { origin: `https://${long}` }), path: `/mcp/${long}` });
    expect(JSON.stringify(logger.lines).length).toBeLessThan(2_000);
  });
});

it('the log of what is refused early has a line of a path at which nothing is served', async () => {
  const { logger, server } = create();
  const route = await openNodeRoute(server);
  await route.call({ ...post, path: '/?token=SECRET' });
  await route.call({ ...postOf(call, { host: 'evil.example' }), path: '/other' });
  expect(logger.lines.map(({ fields }) => fields)).toMatchObject([
    { status: 404, path: '/', reason: expect.stringContaining('/mcp') },
    { status: 403, path: '/other', host: 'evil.example' },
  ]);
});

it('a log of lines that anybody can cause has room for errors whatever is warned of', () => {
  const logger = createRecorder();
  const limited = createLimitedLogger(logger, { now: () => 0 });
  for (let index = 0; index < 25; index += 1) limited.warn({}, 'anybody can cause it');
  limited.error({}, 'the disk is full');
  expect(logger.lines).toHaveLength(11);
  expect(logger.lines.at(-1)).toMatchObject({ level: 'error', message: 'the disk is full' });
});
