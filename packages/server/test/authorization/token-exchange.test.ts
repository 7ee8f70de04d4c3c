import { createServer, type Server, silentLogger } from '@switchyard/server';
import {
  bearerJwt,
  createTokenExchange,
  type ExchangedToken,
  exchangeTokenFor,
  introspection,
  TokenExchangeError,
  type TokenExchangeOptions,
} from '@switchyard/server/authorization';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';

import { type HttpAnswer, openNodeRoute, postOf } from '../http-route.ts';
import { createRecorder } from '../recorder.ts';
import { callOf } from '../wire.ts';
import {
  type AuthorizationServerFixture,
  clients,
  downstreamResource,
  openAuthorizationServer,
  opaqueResource,
} from './open-authorization-server.ts';
import { resourceOf } from './open-protected.ts';

const client = { clientId: clients.gateway, clientSecret: clients.gateway };

interface Opened {
  readonly server: AuthorizationServerFixture;
  readonly clock: { offsetMs: number; setBackMs: number };
  /** What the handler got, in order. */
  readonly got: (ExchangedToken | TokenExchangeError)[];
  call(token: string): Promise<HttpAnswer>;
  exchanges(): number;
  logged(): string;
}

function createDownstream(
  got: Opened['got'],
  audience: string,
  scopes: readonly string[],
  log = createRecorder(),
): Server {
  const server = createServer({ name: 'downstream', version: '1.0.0' }, { logger: log });
  server.tool('fetch', {}, async (_, { principal }) => {
    try {
      got.push(await exchangeTokenFor(principal, audience, scopes));
      return 'fetched';
    } catch (error) {
      got.push(error as TokenExchangeError);
      throw error;
    }
  });
  return server;
}

async function open(
  options: Partial<TokenExchangeOptions> = {},
  audience: string = downstreamResource,
  scopes: readonly string[] = ['ledger:read'],
): Promise<Opened> {
  const server = await openAuthorizationServer();
  const clock = { offsetMs: 0, setBackMs: 0 };
  const now = (): number => clock.offsetMs;
  const epochNow = (): number => Date.now() + clock.offsetMs - clock.setBackMs;
  const exchange = createTokenExchange({ issuer: server.issuer, client, now, epochNow, ...options });
  const log = createRecorder();
  const got: Opened['got'] = [];
  const authenticate = bearerJwt(resourceOf(server.issuer), { exchange, epochNow });
  const route = await openNodeRoute(createDownstream(got, audience, scopes, log), { authenticate });
  return {
    server,
    clock,
    got,
    call: (token) => route.call(postOf(callOf('fetch'), { authorization: `Bearer ${token}` })),
    exchanges: () => server.requests.filter((path) => path === '/token').length,
    logged: () =>
      JSON.stringify(log.lines, (_, value: unknown) =>
        value instanceof Error ? `${value.stack} ${JSON.stringify(value)} ${String(value.cause)}` : value,
      ),
  };
}

const tokenOf = ({ got }: Opened, index = 0): string => (got[index] as ExchangedToken).accessToken;

describe('exchangeTokenFor', () => {
  it('[AUTHRS-09] gets a token of another audience that names the user and this server, and not the one that came in', async () => {
    const opened = await open();
    const { access } = await opened.server.userToken('mira', { scope: 'orders:read ledger:read' });
    expect((await opened.call(access)).status).toBe(200);
    const token = tokenOf(opened);
    expect(token).not.toBe(access);
    expect(decodeJwt(token)).toMatchObject({
      iss: opened.server.issuer,
      aud: downstreamResource,
      sub: 'mira',
      scope: 'ledger:read',
      act: { sub: clients.gateway },
    });
    expect(opened.got).toMatchObject([
      { tokenType: 'bearer', scopes: ['ledger:read'], expiresAtMs: expect.any(Number) as number },
    ]);
  });

  it('asks once for the same caller, target and scopes, at once or later, until shortly before the end', async () => {
    const opened = await open();
    const { access } = await opened.server.userToken('mira');
    const before = opened.exchanges();
    await Promise.all([1, 2, 3, 4].map(() => opened.call(access)));
    await opened.call(access);
    expect(opened.exchanges() - before).toBe(1);
    opened.clock.offsetMs = 571_000;
    await opened.call(access);
    expect(opened.exchanges() - before).toBe(2);
    expect(opened.got).toHaveLength(6);
  });

  it('gets a new token when the old one has ended whatever becomes of the time of day', async () => {
    const opened = await open();
    const { access } = await opened.server.userToken('mira');
    const before = opened.exchanges();
    await opened.call(access);
    opened.clock.offsetMs = 571_000;
    opened.clock.setBackMs = 300_000;
    await opened.call(access);
    expect(opened.exchanges() - before).toBe(2);
  });

  it('keeps apart what different tokens of one user got', async () => {
    const opened = await open();
    const first = (await opened.server.userToken('mira')).access;
    const second = (await opened.server.userToken('mira')).access;
    const other = (await opened.server.userToken('bob')).access;
    const before = opened.exchanges();
    for (const token of [first, second, other]) await opened.call(token);
    expect(opened.exchanges() - before).toBe(3);
    expect([0, 1, 2].map((index) => decodeJwt(tokenOf(opened, index)).sub)).toEqual(['mira', 'mira', 'bob']);
  });

  it('keeps no more tokens than it may', async () => {
    const opened = await open({ maxCached: 1 });
    const [first, second] = [
      (await opened.server.userToken('mira')).access,
      (await opened.server.userToken('bob')).access,
    ];
    const before = opened.exchanges();
    for (const token of [first, second, first]) await opened.call(token);
    expect(opened.exchanges() - before).toBe(3);
  });

  it('sends what RFC 8693 asks for, with the token of the actor where there is one', async () => {
    const opened = await open({
      actorToken: () => Promise.resolve({ token: 'actor', type: 'urn:x' }),
      targetParameter: 'audience',
    });
    const { access } = await opened.server.userToken('mira');
    let body = '';
    opened.server.intercept('/token', (response, request) => {
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () =>
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_request"}'),
      );
    });
    await opened.call(access);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: access,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: downstreamResource,
      scope: 'ledger:read',
      actor_token: 'actor',
      actor_token_type: 'urn:x',
    });
  });

  it('[AUTHRS-18] tells of a refusal by its code alone, and asks again the next time', async () => {
    const opened = await open({}, 'https://elsewhere.test/api');
    const { access } = await opened.server.userToken('mira');
    const before = opened.exchanges();
    const answer = await opened.call(access);
    await opened.call(access);
    expect(opened.exchanges() - before).toBe(2);
    expect(opened.got).toMatchObject([{ code: 'refused' }, { code: 'refused' }]);
    expect((opened.got[0] as Error).message).toContain('invalid_target');
    // The authorization server repeats the token in its description, on purpose.
    for (const told of [answer.text, opened.logged(), String((opened.got[0] as Error).stack)])
      expect(told).not.toContain(access);
  });

  it.each<[string, (server: AuthorizationServerFixture) => void]>([
    ['does not answer', (server) => server.intercept('/token', () => undefined)],
    ['answers nonsense', (server) => server.intercept('/token', (response) => response.end('<html>'))],
    ['breaks off', (server) => server.intercept('/token', (response) => response.destroy())],
    [
      'answers a token of no type',
      (server) =>
        server.intercept('/token', (response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"secret-of-nobody"}'),
        ),
    ],
  ])('[AUTHRS-18] is unavailable when the authorization server %s, and says nothing of tokens', async (why, break_) => {
    const opened = await open(why === 'does not answer' ? { timeoutMs: 50 } : {});
    const { access } = await opened.server.userToken('mira');
    break_(opened.server);
    const answer = await opened.call(access);
    expect(answer.text).toContain('"isError":true');
    expect(opened.got).toMatchObject([{ code: 'unavailable' }]);
    for (const told of [answer.text, opened.logged(), String((opened.got[0] as Error).stack)])
      for (const secret of [access, 'secret-of-nobody', clients.gateway]) expect(told).not.toContain(secret);
  });

  it('refuses a token that is none for access', async () => {
    const opened = await open();
    const { access } = await opened.server.userToken('mira');
    const token = {
      access_token: 'x',
      token_type: 'bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
    };
    opened.server.intercept('/token', (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token)),
    );
    await opened.call(access);
    expect(opened.got).toMatchObject([{ code: 'refused' }]);
  });

  it('exchanges opaque tokens, too', async () => {
    const server = await openAuthorizationServer();
    const got: Opened['got'] = [];
    const exchange = createTokenExchange({ issuer: server.issuer, client });
    const resource = resourceOf(server.issuer, { resource: opaqueResource });
    const route = await openNodeRoute(createDownstream(got, downstreamResource, []), {
      authenticate: introspection(resource, { client, exchange }),
    });
    const { access } = await server.userToken('mira', { resource: opaqueResource });
    let sent: string | null = null;
    server.intercept('/token', (response, request) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        sent = new URLSearchParams(body).get('subject_token');
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"access_token":"down","token_type":"Bearer"}');
      });
    });
    await route.call(postOf(callOf('fetch'), { authorization: `Bearer ${access}` }));
    expect(sent).toBe(access);
    expect(got).toEqual([{ accessToken: 'down', tokenType: 'bearer' }]);
  });

  it.each<[string, Parameters<typeof exchangeTokenFor>[0]]>([
    ['nobody', undefined],
    ['whom an author’s own hook admitted', { subject: 'mira' }],
  ])('says that there is nothing to exchange for %s', async (_name, principal) => {
    await expect(exchangeTokenFor(principal, downstreamResource)).rejects.toMatchObject({ code: 'no-exchange' });
  });

  it('refuses what is no scope before anything is sent', async () => {
    const opened = await open({}, downstreamResource, ['a b']);
    const { access } = await opened.server.userToken('mira');
    const before = opened.exchanges();
    await opened.call(access);
    expect(opened.exchanges()).toBe(before);
    expect(opened.got).toMatchObject([{ name: 'TypeError' }]);
  });

  it('is out of reach for a copy of the principal', async () => {
    const server = await openAuthorizationServer();
    const exchange = createTokenExchange({ issuer: server.issuer, client });
    const failures: unknown[] = [];
    const copying = createServer({ name: 'copying', version: '1.0.0' }, { logger: silentLogger });
    copying.tool('fetch', {}, async (_, { principal }) => {
      await exchangeTokenFor({ ...principal, subject: 'root' }, downstreamResource).catch((error: unknown) =>
        failures.push(error),
      );
      return 'done';
    });
    const route = await openNodeRoute(copying, { authenticate: bearerJwt(resourceOf(server.issuer), { exchange }) });
    const { access } = await server.userToken('mira');
    await route.call(postOf(callOf('fetch'), { authorization: `Bearer ${access}` }));
    expect(failures).toMatchObject([{ code: 'no-exchange' }]);
  });

  it('refuses to be made without TLS', () => {
    expect(() => createTokenExchange({ issuer: 'http://as.kiln.test', client })).toThrow(TypeError);
    expect(() =>
      createTokenExchange({ issuer: 'https://as.kiln.test', tokenEndpoint: 'http://as.kiln.test/t', client }),
    ).toThrow(TypeError);
  });
});

describe('the error of an exchange', () => {
  it('is one class with a closed set of codes', () => {
    expect(new TokenExchangeError('refused', 'no')).toMatchObject({ name: 'TokenExchangeError', code: 'refused' });
  });
});
