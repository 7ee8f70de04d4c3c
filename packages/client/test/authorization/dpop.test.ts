import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createMemoryTokenStore,
  createOAuthCredentials,
  type OAuthCredentialsOptions,
  type TokenStore,
} from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createWorld, guard, scriptAuthorizationServer, type Verdict } from './scripted-world.ts';

const supported = { dpop_signing_alg_values_supported: ['ES256'] };

/** Servers that take bound tokens; with `nonces` they want their own nonce in each proof. */
function setUp(
  options: Partial<OAuthCredentialsOptions> = {},
  script: {
    readonly nonces?: boolean;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly resource?: Readonly<Record<string, unknown>>;
    readonly type?: string;
    readonly verdict?: (proof: string) => Verdict;
  } = {},
) {
  const { nonces = false, metadata = supported, resource = {}, type = 'DPoP' } = script;
  const world = createWorld();
  const server = scriptAuthorizationServer(world, { metadata });
  const proofs: string[] = [];
  const tokenProofs: (string | undefined)[] = [];
  const give = server.token;
  server.token = (asked) => {
    const { dpop } = asked.headers;
    tokenProofs.push(dpop);
    if (nonces && dpop !== undefined && decodeJwt(dpop)['nonce'] !== 'of-the-as') {
      return Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: { 'dpop-nonce': 'of-the-as' } });
    }
    return { ...(give(asked) as Record<string, unknown>), token_type: dpop === undefined ? 'Bearer' : type };
  };
  const mcp = guard(
    world,
    (authorization, _, fields) => {
      if (authorization === '') return { status: 401, challenge: 'DPoP algs="ES256"' };
      const { dpop = '' } = fields;
      proofs.push(dpop);
      if (script.verdict !== undefined) return script.verdict(dpop);
      if (!nonces || decodeJwt(dpop)['nonce'] === 'of-the-server') return undefined;
      return { status: 401, challenge: 'DPoP error="use_dpop_nonce"', nonce: 'of-the-server' };
    },
    { metadata: resource },
  );
  const store: TokenStore = createMemoryTokenStore();
  const { redirect } = server;
  const all = { serverUrl: mcp.url, redirect, fetch: world.fetch, store, ...options };
  return { world, server, mcp, proofs, tokenProofs, all, credentials: createOAuthCredentials(all) };
}

describe('a bound token', () => {
  it('[EXT-07] is asked for and sent with a fresh proof each time, of one key, under the scheme DPoP', async () => {
    const { mcp, credentials, proofs, tokenProofs, server } = setUp({ dpop: true });
    await mcp.call(credentials);
    await mcp.call(credentials);
    const token = mcp.seen[1]?.replace('DPoP ', '') ?? '';
    expect(mcp.seen.slice(1)).toEqual([`DPoP ${token}`, `DPoP ${token}`]);
    const all = [...tokenProofs, ...proofs].map(String);
    const keys = new Set<string>();
    for (const proof of all) {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: ['ES256'],
      });
      expect(protectedHeader.jwk).not.toHaveProperty('d');
      keys.add(await calculateJwkThumbprint(protectedHeader.jwk ?? {}));
      expect(payload).toMatchObject({ htm: 'POST' });
    }
    expect(keys.size).toBe(1);
    expect([...keys]).toEqual([server.authorizations[0]?.get('dpop_jkt')]);
    expect(new Set(all.map((proof) => decodeJwt(proof).jti)).size).toBe(3);
    expect(decodeJwt(tokenProofs[0] ?? '')).toMatchObject({ htu: 'https://as.kiln.test/token' });
    expect(decodeJwt(proofs[0] ?? '')).toMatchObject({
      htu: 'https://mcp.kiln.test/mcp',
      ath: createHash('sha256').update(token).digest('base64url'),
    });
  });

  it('[EXT-07] is proven with the nonces that the authorization server and the MCP server want', async () => {
    const { mcp, credentials, proofs, tokenProofs, server } = setUp({ dpop: true }, { nonces: true });
    expect(await mcp.call(credentials)).toBe(200);
    expect(tokenProofs.map((proof) => decodeJwt(proof ?? '')['nonce'])).toEqual([undefined, 'of-the-as']);
    expect(proofs.map((proof) => decodeJwt(proof)['nonce'])).toEqual([undefined, 'of-the-server']);
    // The nonce is known from now on.
    expect(await mcp.call(credentials)).toBe(200);
    expect(proofs).toHaveLength(3);
    expect(server.authorizations).toHaveLength(1);
  });

  it('is proven with each next nonce of a server for as long as a call or a stream lasts', async () => {
    let wanted = 0;
    const { mcp, credentials } = setUp(
      { dpop: true },
      {
        verdict: (proof) =>
          decodeJwt(proof)['nonce'] === `nonce-${wanted}`
            ? undefined
            : { status: 401, challenge: 'DPoP error="use_dpop_nonce"', nonce: `nonce-${wanted}` },
      },
    );
    const { signal } = new AbortController();
    for (wanted = 1; wanted < 7; wanted += 1) expect(await mcp.call(credentials, 'the stream', signal)).toBe(200);
  });

  it('[CACHE-17] belongs to who it was given to, also where somebody else logs in while its proof is signed', async () => {
    const { mcp, credentials } = setUp({ dpop: true });
    await mcp.call(credentials);
    const { signal } = new AbortController();
    const fields = await credentials.fieldsFor({ httpMethod: 'POST', url: mcp.url, signal });
    const before = credentials.principal(fields);
    expect(before).toBe(credentials.principal());
    await credentials.login();
    expect(credentials.principal(fields)).toBe(before);
    expect(credentials.principal()).not.toBe(before);
    expect(credentials.principal({})).toBeUndefined();
    expect(credentials.principal({ authorization: 'DPoP a-token-of-somebody' })).toBeNull();
  });

  it('is given up when no nonce is good enough', async () => {
    let count = 0;
    const verdict = (): Verdict => ({
      status: 401,
      challenge: 'DPoP error="use_dpop_nonce"',
      nonce: `n-${(count += 1)}`,
    });
    const { mcp, credentials } = setUp({ dpop: true }, { verdict });
    expect((await failure(mcp.call(credentials))).code).toBe('unauthorized');
    expect(count).toBe(3);
  });

  it('is used by another process with the key that the store has, and refreshed with it', async () => {
    const { mcp, credentials, all, proofs, tokenProofs } = setUp({ dpop: true });
    await mcp.call(credentials);
    const again = createOAuthCredentials({ ...all, epochNow: () => Date.now() + 3_590_000 });
    expect(await mcp.call(again)).toBe(200);
    const keys = [...tokenProofs, ...proofs].map((proof) => decodeProtectedHeader(proof ?? '').jwk?.x);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(again.principal()).not.toBe(credentials.principal());
  });

  it.each([
    [undefined, { dpop_signing_alg_values_supported: ['ES256'] }, supported, true],
    [undefined, { dpop_bound_access_tokens_required: true }, supported, true],
    [undefined, {}, supported, false],
    [undefined, { dpop_signing_alg_values_supported: ['ES256'] }, {}, false],
    [undefined, { dpop_signing_alg_values_supported: ['RS256'] }, supported, false],
    [false, { dpop_signing_alg_values_supported: ['ES256'] }, supported, false],
    [true, {}, {}, true],
  ])(
    'with dpop %s, where the server says %j and the authorization server %j, is bound: %s',
    async (dpop, resource, metadata, expected) => {
      const { mcp, credentials } = setUp(dpop === undefined ? {} : { dpop }, { resource, metadata });
      expect(await mcp.call(credentials)).toBe(200);
      expect(mcp.seen.at(-1)?.startsWith(expected ? 'DPoP ' : 'Bearer ')).toBe(true);
    },
  );

  it.each([
    [true, {}, { dpop_signing_alg_values_supported: ['RS256'] }, 'DPoP'],
    [false, { dpop_bound_access_tokens_required: true }, supported, 'DPoP'],
    [true, {}, supported, 'Bearer'],
    [undefined, { dpop_bound_access_tokens_required: true }, supported, 'Bearer'],
  ])('is not replaced by an unbound one: dpop %s, %j, %j, %s', async (dpop, resource, metadata, type) => {
    const { mcp, credentials } = setUp(dpop === undefined ? {} : { dpop }, { resource, metadata, type });
    expect((await failure(mcp.call(credentials))).code).toBe('authorization');
    expect(mcp.seen).toEqual(['']);
  });
});
