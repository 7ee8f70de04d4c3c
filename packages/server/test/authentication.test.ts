import { createServer, type HttpOptions, type Principal, ProtocolError, type Server } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { messageOf, postOf, routes } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

function createWho(): { server: Server; log: ReturnType<typeof createRecorder> } {
  const log = createRecorder();
  const server = createServer({ name: 'who', version: '1.0.0' }, { logger: log, logRequests: 'all' });
  server.tool('who', {}, (_, { principal }) => ({ principal: principal ?? null }));
  return { server, log };
}

const mira: Principal = { subject: 'mira', tenant: 'acme', scopes: ['orders:read'] };

const options: HttpOptions = {
  authenticate(head) {
    const token = head.header('authorization');
    if (token === undefined) throw new ProtocolError('invalidRequest', 'A token is needed', { status: 401 });
    if (token === 'Bearer guest') return 'anonymous';
    return Promise.resolve(token === 'Bearer good' ? mira : undefined);
  },
};

describe.each(routes)('authentication over %s', (_, open) => {
  it('gives handlers and the log the principal that it established', async () => {
    const { server, log } = createWho();
    const answer = await (await open(server, options)).call(postOf(callOf('who'), { authorization: 'Bearer good' }));
    expect(messageOf(answer).result).toMatchObject({ structuredContent: { principal: mira } });
    expect(log.lines).toMatchObject([{ fields: { subject: 'mira', tenant: 'acme' } }]);
    expect(JSON.stringify(log.lines)).not.toContain('good');
  });

  it('lets a caller in without a principal only where it says so', async () => {
    const route = await open(createWho().server, options);
    const answer = await route.call(postOf(callOf('who'), { authorization: 'Bearer guest' }));
    expect(messageOf(answer).result).toMatchObject({ structuredContent: { principal: null } });
  });

  it('refuses with 401 and a challenge whom it establishes as nobody', async () => {
    const answer = await (await open(createWho().server, options)).call(postOf(callOf('who'), { authorization: 'x' }));
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(messageOf(answer)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('credentials') },
    });
  });

  it.each([null, false, true, 0, '', 'mira'])(
    'refuses with 401 whom it establishes as %j, which is nobody',
    async (nobody) => {
      const authenticate = (): Principal => nobody as unknown as Principal;
      const answer = await (await open(createWho().server, { authenticate })).call(postOf(callOf('who')));
      expect(answer.status).toBe(401);
    },
  );

  it('[HTTP-05] refuses with the status of its error, before anything runs', async () => {
    const { server, log } = createWho();
    const answer = await (await open(server, options)).call(postOf(callOf('absent')));
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'content-type': 'application/json', 'www-authenticate': 'Bearer' },
    });
    expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: 'A token is needed' } });
    expect(log.lines).toMatchObject([{ level: 'info', message: 'request refused', fields: { status: 401 } }]);
  });

  it('is not asked about a caller from a foreign origin', async () => {
    let asked = 0;
    const route = await open(createWho().server, { authenticate: () => void (asked += 1) });
    expect((await route.call(postOf(callOf('who'), { origin: 'https://evil.test' }))).status).toBe(403);
    expect(asked).toBe(0);
  });

  it('belongs to one request: the next without a token gets nothing of it', async () => {
    const route = await open(createWho().server, options);
    expect((await route.call(postOf(callOf('who'), { authorization: 'Bearer good' }))).status).toBe(200);
    expect((await route.call(postOf(callOf('who')))).status).toBe(401);
  });
});
