import {
  bearerJwt,
  type BearerJwtOptions,
  createDpopNonces,
  createReplaySet,
  type DpopNonces,
  introspection,
  type ProtectedResourceOptions,
} from '@switchyard/server/authorization';
import { base64url, calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import type { HttpAnswer } from '../http-route.ts';
import {
  type AuthorizationServerFixture,
  clients,
  jwtResource,
  openAuthorizationServer,
  opaqueResource,
} from './open-authorization-server.ts';
import { challengesOf, openProtected, principalOf, type Protected, resourceOf } from './open-protected.ts';

interface ProofKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function createProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: await exportJWK(publicKey) };
}

async function digest(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

interface ProofChanges {
  readonly claims?: { readonly [name: string]: unknown };
  readonly header?: { readonly [name: string]: unknown };
  readonly signWith?: CryptoKey | Uint8Array;
}

/** A right proof for a request with a token, with other members where given. */
async function proofOf(token: string, { privateKey, jwk }: ProofKey, changes: ProofChanges = {}): Promise<string> {
  const claims = {
    htm: 'POST',
    htu: jwtResource,
    iat: Math.floor(Date.now() / 1000),
    jti: crypto.randomUUID(),
    ath: await digest(token),
    ...changes.claims,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...changes.header })
    .sign(changes.signWith ?? privateKey);
}

/** A token that the authorization server bound to a key. */
async function boundToken(server: AuthorizationServerFixture, key: ProofKey, resource = jwtResource): Promise<string> {
  const dpop = await new SignJWT({
    htm: 'POST',
    htu: `${server.issuer}/token`,
    iat: Math.floor(Date.now() / 1000),
    jti: crypto.randomUUID(),
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk })
    .sign(key.privateKey);
  return server.machineToken({ dpop, resource });
}

interface Opened extends Protected {
  readonly server: AuthorizationServerFixture;
  readonly key: ProofKey;
  readonly token: string;
  readonly clock: { offsetMs: number };
  /** Calls with the token and a proof. */
  prove(proof: string | undefined): Promise<HttpAnswer>;
}

async function open(
  more: Partial<ProtectedResourceOptions> = {},
  options: Partial<BearerJwtOptions> = {},
): Promise<Opened> {
  const server = await openAuthorizationServer();
  const clock = { offsetMs: 0 };
  const epochNow = (): number => Date.now() + clock.offsetMs;
  const resource = resourceOf(server.issuer, more);
  const opened = await openProtected(bearerJwt(resource, { epochNow, ...options }), { resource });
  const key = await createProofKey();
  const token = await boundToken(server, key);
  return {
    ...opened,
    server,
    key,
    token,
    clock,
    prove: (dpop) => opened.call({ authorization: `DPoP ${token}`, dpop }),
  };
}

describe('a token that is bound to a key', () => {
  it('is taken with a fresh proof for each request', async () => {
    const { prove, token, key } = await open();
    for (let index = 0; index < 3; index += 1)
      expect(principalOf(await prove(await proofOf(token, key)))).toMatchObject({ subject: clients.machine });
  });

  it('is taken where its authorization server says of it that it is bound', async () => {
    const server = await openAuthorizationServer();
    const client = { clientId: clients.gateway, clientSecret: clients.gateway };
    const resource = resourceOf(server.issuer, { resource: opaqueResource });
    const { call } = await openProtected(introspection(resource, { client }));
    const key = await createProofKey();
    const token = await boundToken(server, key, opaqueResource);
    const dpop = await proofOf(token, key, { claims: { htu: opaqueResource } });
    expect((await call({ authorization: `DPoP ${token}`, dpop })).status).toBe(200);
    expect((await call({ authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('is refused as bearer token, also with a proof', async () => {
    const { call, token, key, events } = await open();
    for (const dpop of [undefined, await proofOf(token, key)]) {
      const answer = await call({ authorization: `Bearer ${token}`, dpop });
      expect(answer.status).toBe(401);
      expect(challengesOf(answer)).toMatchObject([{ scheme: 'DPoP', error: 'invalid_token' }]);
    }
    expect(events.map(({ reason }) => reason)).toEqual(['proof-missing', 'proof-missing']);
  });

  const now = (): number => Math.floor(Date.now() / 1000);
  it.each<[string, (token: string, key: ProofKey) => Promise<string | undefined>, string]>([
    ['no proof', () => Promise.resolve(undefined), 'proof-missing'],
    ['a proof that is no JWT', () => Promise.resolve('proof'), 'proof-invalid'],
    [
      'two proofs',
      async (token, key) => `${await proofOf(token, key)}, ${await proofOf(token, key)}`,
      'proof-malformed',
    ],
    ['a giant proof', (token, key) => proofOf(token, key, { claims: { pad: 'x'.repeat(9_000) } }), 'proof-malformed'],
    ['a proof of another type', (token, key) => proofOf(token, key, { header: { typ: 'JWT' } }), 'proof-invalid'],
    [
      'a proof for another method',
      (token, key) => proofOf(token, key, { claims: { htm: 'GET' } }),
      'proof-of-another-request',
    ],
    [
      'a proof for another host',
      (token, key) => proofOf(token, key, { claims: { htu: 'https://evil.test/mcp' } }),
      'proof-of-another-request',
    ],
    [
      'a proof for another path',
      (token, key) => proofOf(token, key, { claims: { htu: `${jwtResource}/x` } }),
      'proof-of-another-request',
    ],
    [
      'a proof for a URL with a user',
      (token, key) => proofOf(token, key, { claims: { htu: 'https://eve:x@mcp.kiln.test/mcp' } }),
      'proof-of-another-request',
    ],
    [
      'a proof that begins beyond the tolerance',
      (token, key) => proofOf(token, key, { claims: { nbf: now() + 7 } }),
      'proof-invalid',
    ],
    ['a proof for no URL', (token, key) => proofOf(token, key, { claims: { htu: 7 } }), 'proof-of-another-request'],
    ['an old proof', (token, key) => proofOf(token, key, { claims: { iat: now() - 70 } }), 'proof-out-of-time'],
    ['a proof of tomorrow', (token, key) => proofOf(token, key, { claims: { iat: now() + 60 } }), 'proof-out-of-time'],
    ['a proof without time', (token, key) => proofOf(token, key, { claims: { iat: undefined } }), 'proof-invalid'],
    ['a proof without id', (token, key) => proofOf(token, key, { claims: { jti: undefined } }), 'proof-invalid'],
    [
      'a proof with a long id',
      (token, key) => proofOf(token, key, { claims: { jti: 'x'.repeat(257) } }),
      'proof-invalid',
    ],
    ['a proof for another token', (_, key) => proofOf('other', key), 'proof-of-another-token'],
    [
      'a proof for no token',
      (token, key) => proofOf(token, key, { claims: { ath: undefined } }),
      'proof-of-another-token',
    ],
    ['a proof by another key', async (token) => proofOf(token, await createProofKey()), 'proof-of-another-key'],
    [
      'a proof that names the key and is signed by another',
      async (token, key) => proofOf(token, key, { signWith: (await createProofKey()).privateKey }),
      'proof-invalid',
    ],
    [
      'a proof that carries a private key',
      async (token, key) => proofOf(token, key, { header: { jwk: await exportJWK(key.privateKey) } }),
      'proof-invalid',
    ],
    [
      'a proof signed with a secret',
      (token, key) => {
        const secret = new TextEncoder().encode('a secret that is long enough for it');
        const jwk = { kty: 'oct', k: base64url.encode(secret) };
        return proofOf(token, key, { header: { alg: 'HS256', jwk }, signWith: secret });
      },
      'proof-invalid',
    ],
  ])('is refused with %s', async (_name, make, reason) => {
    const { prove, token, key, events, seen } = await open();
    const answer = await prove(await make(token, key));
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toMatchObject([
      { scheme: 'DPoP', error: 'invalid_dpop_proof', algs: expect.stringContaining('ES256') as string },
    ]);
    expect(events).toMatchObject([{ type: 'unauthenticated', reason, subject: clients.machine }]);
    expect(JSON.stringify(events)).not.toContain(token);
    expect(seen).toEqual([]);
  });

  it('takes a URL in another spelling, and without its query', async () => {
    const { prove, token, key } = await open();
    for (const htu of ['HTTPS://MCP.kiln.test:443/mcp', `${jwtResource}?x=1`, `${jwtResource}#x`])
      expect((await prove(await proofOf(token, key, { claims: { htu } }))).status).toBe(200);
  });

  it('takes the URL of the endpoint where that is not the resource', async () => {
    const endpointUrl = 'https://mcp.kiln.test/v1/mcp';
    const { prove, token, key } = await open({ endpointUrl });
    expect((await prove(await proofOf(token, key, { claims: { htu: endpointUrl } }))).status).toBe(200);
    expect((await prove(await proofOf(token, key))).status).toBe(401);
  });

  it('takes a proof of a clock that is ahead by less than the tolerance, whichever of its times says so', async () => {
    const { prove, token, key } = await open();
    for (const claims of [{ iat: now() + 4 }, { nbf: now() + 4 }, { iat: now() + 4, nbf: now() + 4 }])
      expect((await prove(await proofOf(token, key, { claims }))).status).toBe(200);
  });

  it('takes a proof once', async () => {
    const { prove, token, key, events } = await open();
    const proof = await proofOf(token, key);
    const answers = await Promise.all([prove(proof), prove(proof), prove(proof)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
    expect(events.map(({ reason }) => reason)).toEqual(['proof-replayed', 'proof-replayed']);
  });

  it('takes nothing while it cannot remember what was used', async () => {
    const { prove, token, key, events } = await open({}, { dpopReplays: createReplaySet({ maxEntries: 1 }) });
    expect((await prove(await proofOf(token, key))).status).toBe(200);
    expect((await prove(await proofOf(token, key))).status).toBe(503);
    expect(events).toMatchObject([{ type: 'unavailable' }]);
  });

  it('asks for a nonce where nonces are wanted, takes the last two, and gives the current one', async () => {
    const clock = { offsetMs: 0 };
    const epochNow = (): number => Date.now() + clock.offsetMs;
    const dpopNonces = createDpopNonces({ periodMs: 10_000, epochNow });
    const { prove, token, key, events } = await open({}, { dpopNonces, epochNow });
    const nonced = (nonce: string): Promise<string> =>
      proofOf(token, key, { claims: { nonce, iat: Math.floor(epochNow() / 1000) } });
    const asked = await prove(await proofOf(token, key));
    const first = asked.headers['dpop-nonce'] ?? '';
    expect(first).toMatch(/^[\w-]{22}$/);
    expect(asked.status).toBe(401);
    expect(challengesOf(asked)).toMatchObject([{ scheme: 'DPoP', error: 'use_dpop_nonce' }]);
    expect((await prove(await nonced(first))).status).toBe(200);
    clock.offsetMs = 10_000;
    expect((await prove(await nonced(first))).status).toBe(200);
    const refused = await prove(await nonced('invented'));
    expect(refused.status).toBe(401);
    const second = refused.headers['dpop-nonce'] ?? '';
    expect(second).not.toBe(first);
    expect((await prove(await nonced(second))).status).toBe(200);
    clock.offsetMs = 20_000;
    expect((await prove(await nonced(first))).status).toBe(401);
    expect(events.map(({ reason }) => reason)).toEqual(['proof-nonce', 'proof-nonce', 'proof-nonce']);
  });

  it('takes the nonce of any instance with the same keys, and asks once for one', async () => {
    const keys = ['A'.repeat(43)];
    const server = await openAuthorizationServer();
    const resource = resourceOf(server.issuer);
    const instances = await Promise.all(
      [1, 2].map(() =>
        openProtected(bearerJwt(resource, { dpopNonces: createDpopNonces({ keys, periodMs: 600_000_000 }) })),
      ),
    );
    const key = await createProofKey();
    const token = await boundToken(server, key);
    const statuses: number[] = [];
    let nonce: string | undefined;
    for (let index = 0; index < 6; index += 1) {
      const dpop = await proofOf(token, key, { claims: { nonce } });
      const answer = await instances[index % 2]?.call({ authorization: `DPoP ${token}`, dpop });
      statuses.push(answer?.status ?? 0);
      nonce = answer?.headers['dpop-nonce'] ?? nonce;
    }
    expect(statuses).toEqual([401, 200, 200, 200, 200, 200]);
  });

  it('is refused where proofs are not checked', async () => {
    const { prove, call, token, key, events } = await open({ dpop: 'off' });
    expect((await prove(await proofOf(token, key))).status).toBe(401);
    const answer = await call({ authorization: `Bearer ${token}` });
    expect(challengesOf(answer)).toMatchObject([{ scheme: 'Bearer', error: 'invalid_token' }]);
    expect(events.map(({ reason }) => reason)).toEqual(['unknown-bond', 'unknown-bond']);
  });

  it('names the key by its thumbprint alone: other members of the key change nothing', async () => {
    const { prove, token, key } = await open();
    const jwk = { ...key.jwk, kid: 'any', use: 'sig' };
    expect(await calculateJwkThumbprint(jwk)).toBe(await calculateJwkThumbprint(key.jwk));
    expect((await prove(await proofOf(token, key, { header: { jwk } }))).status).toBe(200);
  });
});

describe('a token that is bound to nothing', () => {
  it('is refused under the scheme DPoP', async () => {
    const { call, server, key, events } = await open();
    const token = await server.machineToken();
    const answer = await call({ authorization: `DPoP ${token}`, dpop: await proofOf(token, key) });
    expect(answer.status).toBe(401);
    expect(events).toMatchObject([{ reason: 'not-bound' }]);
  });

  it('is refused where bonds are required, and the challenge is for DPoP', async () => {
    const { bear, call, server } = await open({ dpop: 'required' });
    for (const answer of [await bear(await server.machineToken()), await call({})]) {
      expect(answer.status).toBe(401);
      expect(challengesOf(answer)).toMatchObject([{ scheme: 'DPoP', algs: expect.any(String) as string }]);
    }
  });
});

describe('createDpopNonces', () => {
  it('keeps no nonce that nobody could have got in the last two periods', () => {
    let now = 0;
    const nonces = createDpopNonces({ periodMs: 10, epochNow: () => now });
    const first = nonces.current();
    expect(nonces.accepts(first)).toBe(true);
    now = 20;
    expect(nonces.accepts(first)).toBe(false);
    expect(nonces.current()).not.toBe(first);
  });

  it('takes the nonce of an instance whose clock is ahead', () => {
    const keys = [Buffer.alloc(32, 1).toString('base64url')];
    const ahead = createDpopNonces({ keys, periodMs: 10, epochNow: () => 1_000 });
    const behind = createDpopNonces({ keys, periodMs: 10, epochNow: () => 999 });
    expect(behind.accepts(ahead.current())).toBe(true);
    expect(ahead.accepts(behind.current())).toBe(true);
  });

  it('gives nonces of the first key, and takes those of all, so that keys can be changed', () => {
    const [old, fresh] = ['A'.repeat(43), 'B'.repeat(42) + 'A'] as [string, string];
    const epochNow = (): number => 0;
    const [before, between, after] = [[old], [old, fresh], [fresh, old]].map((keys) =>
      createDpopNonces({ keys, epochNow }),
    ) as [DpopNonces, DpopNonces, DpopNonces];
    expect(between.current()).toBe(before.current());
    expect(after.current()).not.toBe(before.current());
    expect(between.accepts(after.current()) && after.accepts(between.current())).toBe(true);
  });

  it('has a key of its own unless given one, which nobody knows', () => {
    const [one, other] = [createDpopNonces(), createDpopNonces()];
    expect(one.accepts(other.current())).toBe(false);
  });

  it.each([[[]], [['short']], [['not base64url!'.repeat(4)]]])('refuses keys such as %j', (keys) => {
    expect(() => createDpopNonces({ keys })).toThrow(/for nonces of DPoP/);
  });
});

describe('createReplaySet', () => {
  it('takes a key again when its time is over, and drops what is over when it is full', () => {
    let now = 0;
    const replays = createReplaySet({ maxEntries: 2, epochNow: () => now });
    expect(replays.add('a', 10)).toBe(true);
    expect(replays.add('a', 10)).toBe(false);
    expect(replays.add('b', 20)).toBe(true);
    expect(() => replays.add('c', 30)).toThrow('full');
    now = 10;
    expect(replays.add('a', 30)).toBe(true);
    expect(replays.add('b', 30)).toBe(false);
  });
});
