import {
  anyOf,
  type ApiKey,
  apiKeys,
  type ApiKeysOptions,
  bearerJwt,
  hashApiKey,
} from '@switchyard/server/authorization';
import type { Principal } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openAuthorizationServer } from './open-authorization-server.ts';
import { challengesOf, openProtected, principalOf, resourceOf } from './open-protected.ts';

const mira: ApiKey = {
  digest: await hashApiKey('key-of-mira'),
  principal: { subject: 'mira', tenant: 'acme', scopes: ['orders:write'] },
};
const bob: ApiKey = { digest: await hashApiKey('key-of-bob'), principal: { subject: 'bob' }, expiresAtMs: 1_000 };

describe.each<[string, Partial<ApiKeysOptions>, (key: string) => { readonly [name: string]: string }]>([
  ['in a header of its own', {}, (key) => ({ 'x-api-key': key })],
  ['in a header that was named', { header: 'X-Kiln' }, (key) => ({ 'x-kiln': key })],
  ['as bearer token', { header: 'Authorization' }, (key) => ({ authorization: `Bearer ${key}` })],
])('an API key %s', (_name, options, headersOf) => {
  it('lets in whom it belongs to', async () => {
    const { call } = await openProtected(apiKeys({ keys: [bob, mira], ...options }));
    expect(principalOf(await call(headersOf('key-of-mira')))).toEqual(mira.principal);
  });

  it.each<[string, string, string]>([
    ['is none', 'key-of-eve', 'unknown-api-key'],
    ['is the digest of one', mira.digest, 'unknown-api-key'],
    ['is the beginning of one', 'key-of-mir', 'unknown-api-key'],
    ['is a giant', 'k'.repeat(600), 'unknown-api-key'],
    ['has ended', 'key-of-bob', 'expired'],
  ])('[AUTHRS-17] is refused with 401 when it %s', async (_case, key, reason) => {
    const { call, events, seen, logged } = await openProtected(
      apiKeys({ keys: [mira, bob], epochNow: () => 1_000, ...options }),
    );
    const answer = await call(headersOf(key));
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'unauthenticated', reason }]);
    for (const told of [answer.text, JSON.stringify(events), logged()]) expect(told).not.toContain(key);
    expect(seen).toEqual([]);
  });

  it('is asked for where none is sent', async () => {
    const { call, events } = await openProtected(apiKeys({ keys: [mira], ...options }));
    expect((await call({})).status).toBe(401);
    expect(events).toMatchObject([{ reason: 'no-credentials' }]);
  });

  it('says when it ends, so that what stays open for its caller ends then', async () => {
    const earlier = { ...mira, principal: { ...mira.principal, expiresAtMs: 500 }, expiresAtMs: 900 };
    for (const [keys, expiresAtMs] of [
      [[mira], undefined],
      [[{ ...mira, expiresAtMs: 900 }], 900],
      [[earlier], 500],
    ] as const) {
      const { call } = await openProtected(apiKeys({ keys, epochNow: () => 0, ...options }));
      expect((principalOf(await call(headersOf('key-of-mira'))) as Principal).expiresAtMs).toBe(expiresAtMs);
    }
  });

  it('is refused from its end on, whether that is said of the key or of whom it belongs to', async () => {
    const key = { ...mira, principal: { ...mira.principal, expiresAtMs: 500 } };
    for (const keys of [[key], [{ ...key, expiresAtMs: 900 }], [{ ...mira, expiresAtMs: 500 }]]) {
      let now = 499;
      const { call } = await openProtected(apiKeys({ keys, epochNow: () => now, ...options }));
      expect((await call(headersOf('key-of-mira'))).status).toBe(200);
      now = 500;
      expect((await call(headersOf('key-of-mira'))).status).toBe(401);
    }
  });

  it('holds the scopes of its principal, and what they imply', async () => {
    const { call, events } = await openProtected(
      apiKeys({ keys: [mira, bob], epochNow: () => 0, resource: resourceOf('https://as.kiln.test'), ...options }),
    );
    expect((await call(headersOf('key-of-mira'), 'write')).status).toBe(200);
    expect((await call(headersOf('key-of-bob'), 'read')).status).toBe(403);
    expect(events).toMatchObject([{ type: 'step-up', subject: 'bob', requiredScopes: ['orders:read'] }]);
  });
});

describe('apiKeys', () => {
  it.each<[string, ApiKeysOptions]>([
    ['no keys', { keys: [] }],
    ['a key in place of its digest', { keys: [{ digest: 'key-of-mira', principal: { subject: 'mira' } }] }],
    ['a digest twice', { keys: [mira, { ...bob, digest: mira.digest }] }],
    [
      'more keys than each request is compared with',
      { keys: Array.from({ length: 1_001 }, (_, index) => ({ ...mira, digest: `${mira.digest}${index}` })) },
    ],
  ])('refuses to be made with %s', (_name, options) => {
    expect(() => apiKeys(options)).toThrow(TypeError);
  });

  it.each<[string, object, string]>([
    ['digest', { principal: mira.principal }, 'keys[1].digest is missing: it is what hashApiKey answers'],
    ['awaited digest', { ...mira, digest: hashApiKey('k') }, 'keys[1].digest must be a text: `await`'],
    ['principal', { digest: bob.digest }, 'keys[1].principal is missing'],
    ['subject', { digest: bob.digest, principal: {} }, 'keys[1].principal.subject is missing'],
    ...['2020-01-01', Number.NaN, null, new Date(0)].map((expiresAtMs): [string, object, string] => [
      'end that is a time',
      { ...bob, expiresAtMs },
      'keys[1].expiresAtMs must be a time in milliseconds',
    ]),
    ...['2020-01-01', Number.NaN].map((expiresAtMs): [string, object, string] => [
      'end of its principal that is a time',
      { ...bob, principal: { subject: 'bob', expiresAtMs } },
      'keys[1].principal: its expiresAtMs must be a time',
    ]),
    [
      'scopes that are a list',
      { ...bob, principal: { subject: 'bob', scopes: 'orders:read' } },
      'keys[1].principal: its scopes must be a list',
    ],
  ])('names the key that has no %s', (_name, second, message) => {
    expect(() => apiKeys({ keys: [mira, second as ApiKey] })).toThrow(message);
  });

  it('tells a caller whether its key was not sent, is not known or has ended', async () => {
    const { call } = await openProtected(apiKeys({ keys: [mira, bob], epochNow: () => 1_000 }));
    const needed = 'An API key is needed in the header x-api-key';
    expect((await call({})).text).toContain(`${needed}"`);
    expect((await call({ 'x-api-key': 'key-of-eve' })).text).toContain(
      `${needed}, and the one that was sent is not known`,
    );
    expect((await call({ 'x-api-key': 'key-of-bob' })).text).toContain(
      `${needed}, and the one that was sent has ended`,
    );
  });

  it('says of unknown credentials what is wrong with them, in one challenge for both', async () => {
    const server = await openAuthorizationServer();
    const keys = apiKeys({ keys: [mira], header: 'authorization' });
    for (const hooks of [
      [bearerJwt(resourceOf(server.issuer)), keys] as const,
      [keys, bearerJwt(resourceOf(server.issuer))] as const,
    ]) {
      const { bear } = await openProtected(anyOf(...hooks));
      expect((await bear('key-of-mira')).status).toBe(200);
      const challenges = challengesOf(await bear('key-of-eve'));
      expect(challenges).toHaveLength(1);
      expect(challenges).toMatchObject([{ scheme: 'Bearer', error: 'invalid_token' }]);
    }
  });

  it('stands beside tokens: each credential goes to the hook that knows it', async () => {
    const server = await openAuthorizationServer();
    const resource = resourceOf(server.issuer);
    const { bear, call, events } = await openProtected(anyOf(bearerJwt(resource), apiKeys({ keys: [mira], resource })));
    expect((await bear(await server.machineToken())).status).toBe(200);
    expect((await call({ 'x-api-key': 'key-of-mira' })).status).toBe(200);
    const answer = await call({});
    expect(challengesOf(answer).map(({ scheme }) => scheme)).toEqual(['Bearer', 'ApiKey']);
    expect((await call({ 'x-api-key': 'key-of-eve' })).status).toBe(401);
    // A token that was refused is not mended by a key beside it.
    expect(
      (await call({ 'x-api-key': 'key-of-mira', authorization: `Bearer ${await server.sign({ iss: server.issuer })}` }))
        .status,
    ).toBe(401);
    expect(events.map(({ reason }) => reason)).toEqual(['no-credentials', 'unknown-api-key', 'other-audience']);
  });
});
