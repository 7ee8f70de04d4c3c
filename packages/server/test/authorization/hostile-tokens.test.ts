import { bearerJwt } from '@switchyard/server/authorization';
import { base64url, generateKeyPair, type JWTPayload, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import { messageOf, routes } from '../http-route.ts';
import { type AuthorizationServerFixture, jwtResource, openAuthorizationServer } from './open-authorization-server.ts';
import { challengesOf, openProtected, principalOf, resourceOf } from './open-protected.ts';

const metadataUrl = 'https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp';

function claimsOf({ issuer }: AuthorizationServerFixture, more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: jwtResource,
    sub: 'mira',
    client_id: 'cli',
    scope: 'orders:read',
    iat: now,
    exp: now + 300,
    ...more,
  };
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

type Make = (server: AuthorizationServerFixture) => Promise<string> | string;

/** What is wrong with a token, how to make it, and the reason that the operator is told. */
const hostile: readonly (readonly [name: string, make: Make, reason: string])[] = [
  ['is signed by nobody (alg none)', (server) => new UnsecuredJWT(claimsOf(server)).encode(), 'algorithm'],
  [
    'is signed with another key',
    async (server) => server.sign(claimsOf(server), { key: (await generateKeyPair('ES256')).privateKey }),
    'bad-signature',
  ],
  [
    'is signed with the public key as a secret (HS256)',
    (server) =>
      server.sign(claimsOf(server), {
        alg: 'HS256',
        key: new TextEncoder().encode(JSON.stringify(server.publicJwk())),
      }),
    'algorithm',
  ],
  [
    'carries the key that it is signed with',
    async (server) => {
      const { privateKey } = await generateKeyPair('ES256');
      return server.sign(claimsOf(server), { key: privateKey, more: { jwk: server.publicJwk() } });
    },
    'bad-signature',
  ],
  ['has expired', (server) => server.sign(claimsOf(server, { exp: nowSeconds() - 6 })), 'expired'],
  ['is not valid yet', (server) => server.sign(claimsOf(server, { nbf: nowSeconds() + 60 })), 'not-yet-valid'],
  [
    'never ends',
    (server) => {
      const { exp: _, ...claims } = claimsOf(server);
      return server.sign(claims);
    },
    'invalid-claims',
  ],
  [
    'ends at a time that is no number',
    (server) => server.sign({ ...claimsOf(server), exp: '9999999999' as unknown as number }),
    'invalid-claims',
  ],
  [
    'is for another server',
    (server) => server.sign(claimsOf(server, { aud: 'https://mcp.kiln.test/other' })),
    'other-audience',
  ],
  [
    'is for the origin only',
    (server) => server.sign(claimsOf(server, { aud: 'https://mcp.kiln.test' })),
    'other-audience',
  ],
  ['is for a longer path', (server) => server.sign(claimsOf(server, { aud: `${jwtResource}/` })), 'other-audience'],
  [
    'is for nobody',
    (server) => {
      const { aud: _, ...claims } = claimsOf(server);
      return server.sign(claims);
    },
    'other-audience',
  ],
  ['is for an empty list', (server) => server.sign(claimsOf(server, { aud: [] })), 'other-audience'],
  ['is from another issuer', (server) => server.sign(claimsOf(server, { iss: 'https://evil.test' })), 'other-issuer'],
  [
    'is from an issuer that differs by a slash',
    (server) => server.sign(claimsOf(server, { iss: `${server.issuer}/` })),
    'other-issuer',
  ],
  [
    'is from no issuer',
    (server) => {
      const { iss: _, ...claims } = claimsOf(server);
      return server.sign(claims);
    },
    'other-issuer',
  ],
  ['names a key that nobody has', (server) => server.sign(claimsOf(server), { kid: '../../dev/null' }), 'unknown-key'],
  [
    'wants an extension understood',
    (server) => tamper(server, (header) => ({ ...header, crit: ['b64x'], b64x: true })),
    'malformed-token',
  ],
  ['is a proof of DPoP', (server) => server.sign(claimsOf(server), { typ: 'dpop+jwt' }), 'other-token-type'],
  ['is a logout token', (server) => server.sign(claimsOf(server), { typ: 'logout+jwt' }), 'other-token-type'],
  ...[7, null, ['a'], {}].map((jti): readonly [string, Make, string] => [
    `has the id ${JSON.stringify(jti)}, by which it could not be revoked`,
    (server) => server.sign(claimsOf(server, { jti: jti as never })),
    'invalid-claims',
  ]),
  ['speaks for nobody', (server) => server.sign(claimsOf(server, { sub: '' })), 'no-subject'],
  [
    'speaks for what is no text',
    (server) => server.sign({ ...claimsOf(server), sub: { $ne: '' } as unknown as string }),
    'no-subject',
  ],
  [
    'is bound in a way that nobody can check',
    (server) => server.sign(claimsOf(server, { cnf: { kid: 'x' } })),
    'unknown-bond',
  ],
  ['is bound to what is no object', (server) => server.sign(claimsOf(server, { cnf: null })), 'unknown-bond'],
  [
    'had its claims changed',
    async (server) => {
      const [head, , signature] = (await server.sign(claimsOf(server))).split('.');
      return [head, base64url.encode(JSON.stringify(claimsOf(server, { sub: 'root' }))), signature].join('.');
    },
    'bad-signature',
  ],
  [
    'lost its signature',
    async (server) => `${(await server.sign(claimsOf(server))).split('.').slice(0, 2).join('.')}.`,
    'bad-signature',
  ],
  ['is longer than any token', (server) => server.sign(claimsOf(server, { pad: 'x'.repeat(9_000) })), 'token-too-long'],
  ['is no JWT', () => 'deadbeef', 'not-a-jwt'],
  ['is an encrypted JWT', () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..a.b.c', 'not-a-jwt'],
  ['has a head that is no JSON', () => 'AAAA.BBBB.CCCC', 'not-a-jwt'],
];

/** Signs with the server's own key what jose itself would not sign. */
async function tamper(server: AuthorizationServerFixture, change: (header: object) => object): Promise<string> {
  const [head = '', ...rest] = (await server.sign(claimsOf(server))).split('.');
  const header = change(JSON.parse(new TextDecoder().decode(base64url.decode(head))) as object);
  return [base64url.encode(JSON.stringify(header)), ...rest].join('.');
}

describe.each(routes)('a server that takes JWTs, over %s', (_, open) => {
  it.each(hostile)(
    '[AUTHRS-04] [AUTHRS-05] [AUTHRS-06] [AUTHRS-09] [AUTHRS-17] [AUTHRS-20] [EXT-04] refuses with 401 a token that %s',
    async (_name, make, reason) => {
      const server = await openAuthorizationServer();
      const { bear, events, seen, logged } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
      const token = await make(server);
      const answer = await bear(token);
      expect(answer.status).toBe(401);
      expect(challengesOf(answer)).toEqual([
        {
          scheme: 'Bearer',
          error: 'invalid_token',
          error_description: expect.any(String) as string,
          scope: 'orders:read',
          resource_metadata: metadataUrl,
        },
      ]);
      expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
      expect(events).toMatchObject([{ type: 'unauthenticated', status: 401, method: 'POST', reason }]);
      expect(seen).toEqual([]);
      for (const told of [answer.text, JSON.stringify(events), logged()]) expect(told).not.toContain(token);
    },
  );

  it.each<[string, { readonly [name: string]: string | undefined }, number, string]>([
    ['nothing after Bearer', { authorization: 'Bearer' }, 400, 'malformed-header'],
    ['a token with a space', { authorization: 'Bearer a b' }, 400, 'malformed-header'],
    ['a token with quotes', { authorization: 'Bearer "abc"' }, 400, 'malformed-header'],
    ['two tokens', { authorization: 'Bearer abc, Bearer def' }, 400, 'several-credentials'],
    ['no scheme', { authorization: '"' }, 400, 'malformed-header'],
  ])('[AUTHRS-08] refuses with 400 an Authorization header with %s', async (_name, headers, status, reason) => {
    const server = await openAuthorizationServer();
    const { call, events } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
    const answer = await call(headers);
    expect(answer.status).toBe(status);
    expect(challengesOf(answer)).toMatchObject([{ scheme: 'Bearer', error: 'invalid_request' }]);
    expect(events).toMatchObject([{ type: 'unauthenticated', status, reason }]);
  });

  it('[AUTHRS-08] refuses with 400 a token in the URL, a valid one in the header, too', async () => {
    const server = await openAuthorizationServer();
    const { call, events } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
    const token = await server.machineToken();
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const answer = await call(headers, 'who', `/mcp?access_token=${token}`);
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain(token);
    }
    expect(events.map(({ reason }) => reason)).toEqual(['token-in-url', 'token-in-url']);
  });

  it.each<[string, string | undefined, string]>([
    ['no Authorization header', undefined, 'no-credentials'],
    ['a scheme that it does not know', 'Basic bWlyYTpzZWNyZXQ=', 'other-scheme'],
  ])(
    '[AUTHRS-03] [AUTHRS-10] answers %s with 401 and no error, the scope and the metadata',
    async (_name, authorization, reason) => {
      const server = await openAuthorizationServer();
      const { call, events } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
      const answer = await call({ authorization });
      expect(answer.status).toBe(401);
      expect(challengesOf(answer)).toEqual([
        { scheme: 'Bearer', scope: 'orders:read', resource_metadata: metadataUrl },
      ]);
      expect(events).toMatchObject([{ type: 'unauthenticated', reason }]);
    },
  );

  it.each(['bearer', 'BEARER', 'Bearer  '])('takes the scheme as %j', async (scheme) => {
    const server = await openAuthorizationServer();
    const { call } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
    expect((await call({ authorization: `${scheme} ${await server.machineToken()}` })).status).toBe(200);
  });

  it.each<[string, JWTPayload]>([
    ['upper case', { aud: 'HTTPS://MCP.KILN.TEST/mcp' }],
    ['the own port of its scheme', { aud: 'https://mcp.kiln.test:443/mcp' }],
    ['a list with others', { aud: ['https://other.test', jwtResource] }],
  ])('[AUTHRS-23] takes an audience in %s', async (_name, claims) => {
    const server = await openAuthorizationServer();
    const { bear } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
    expect(principalOf(await bear(await server.sign(claimsOf(server, claims))))).toMatchObject({ subject: 'mira' });
  });
});
