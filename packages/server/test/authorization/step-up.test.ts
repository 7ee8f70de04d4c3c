import { createServer, type HttpHead, type Principal } from '@switchyard/server';
import { anyOf, assertScopes, bearerJwt } from '@switchyard/server/authorization';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { messageOf, openFetchRoute, postOf, routes } from '../http-route.ts';
import { callOf } from '../wire.ts';
import { clients, openAuthorizationServer } from './open-authorization-server.ts';
import { challengesOf, createScoped, openProtected, resourceOf } from './open-protected.ts';

const metadataUrl = 'https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp';

describe.each(routes)('a tool that takes scopes, over %s', (_, open) => {
  it('[AUTHRS-07] [AUTHRS-11] [AUTHRS-12] [AUTHRS-13] answers 403 and names all of them in one challenge, whichever are missing', async () => {
    const server = await openAuthorizationServer();
    const { bear, events, seen } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
    for (const scope of ['', 'orders:read', 'ledger:read']) {
      const answer = await bear(await server.machineToken({ scope }), 'write');
      expect(answer.status).toBe(403);
      expect(challengesOf(answer)).toEqual([
        {
          scheme: 'Bearer',
          error: 'insufficient_scope',
          error_description: expect.any(String) as string,
          scope: 'orders:read orders:write',
          resource_metadata: metadataUrl,
        },
      ]);
      expect(messageOf(answer).error).toMatchObject({
        code: -32600,
        data: { requiredScopes: ['orders:read', 'orders:write'] },
      });
    }
    expect(events).toEqual(
      events.map(() => ({
        type: 'step-up',
        method: 'POST',
        status: 403,
        reason: 'insufficient-scope',
        requiredScopes: ['orders:read', 'orders:write'],
        subject: clients.machine,
        clientId: clients.machine,
        issuer: server.issuer,
      })),
    );
    expect(events).toHaveLength(3);
    expect(seen).toEqual([]);
  });

  it.each(['orders:read orders:write', 'orders:write', 'orders:admin'])(
    '[AUTHRS-14] [AUTHRS-16] runs with %s, which holds or implies them',
    async (scope) => {
      const server = await openAuthorizationServer();
      const { bear, events } = await openProtected(bearerJwt(resourceOf(server.issuer)), { open });
      const token = await server.sign({
        iss: server.issuer,
        aud: 'https://mcp.kiln.test/mcp',
        sub: 'mira',
        scope,
        exp: Math.floor(Date.now() / 1000) + 60,
      });
      expect(messageOf(await bear(token, 'write')).result).toMatchObject({ content: [{ text: 'written' }] });
      expect(events).toEqual([]);
    },
  );

  it('answers 401 to a caller who was let in as nobody, with the scopes of the tool and the metadata', async () => {
    const server = await openAuthorizationServer();
    const resource = resourceOf(server.issuer);
    const hook = anyOf(bearerJwt(resource), () => 'anonymous');
    const { call, bear, events } = await openProtected(hook, { resource, open });
    expect((await call({})).status).toBe(200);
    const answer = await call({}, 'write');
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toEqual([
      { scheme: 'Bearer', scope: 'orders:read orders:write', resource_metadata: metadataUrl },
    ]);
    expect(events).toMatchObject([{ type: 'unauthenticated', status: 401, reason: 'no-credentials' }]);
    // Who sends credentials that nobody knows is not nobody.
    expect((await bear('invented')).status).toBe(401);
    expect((await call({ authorization: 'Basic bWlyYTp4' })).status).toBe(401);
  });

  it('takes nobody for anonymous whose token an author’s own hook did not know', async () => {
    const own = (head: HttpHead): Principal | undefined =>
      head.header('authorization') === 'Bearer mira' ? { subject: 'mira' } : undefined;
    const { call } = await openProtected(
      anyOf(own, () => 'anonymous'),
      { open },
    );
    expect((await call({})).status).toBe(200);
    expect((await call({ authorization: 'Bearer eve' })).status).toBe(401);
    const { call: guest } = await openProtected(
      anyOf(() => 'anonymous'),
      { open },
    );
    expect((await guest({ authorization: 'Bearer guest' })).status).toBe(200);
  });

  it('knows the resource for principals of an author’s own hook', async () => {
    const resource = resourceOf('https://as.kiln.test');
    const principal: Principal = { subject: 'mira', scopes: ['orders:read'] };
    const { call } = await openProtected(() => principal, { resource, open });
    expect((await call({}, 'read')).status).toBe(200);
    const answer = await call({}, 'write');
    expect(challengesOf(answer)).toMatchObject([{ error: 'insufficient_scope', resource_metadata: metadataUrl }]);
  });

  it('takes a principal without scopes for one that has none', async () => {
    const { call } = await openProtected(() => ({ subject: 'mira' }), { open });
    expect((await call({}, 'read')).status).toBe(403);
  });
});

describe('assertScopes', () => {
  it('[AUTHRS-22] refuses callers without principal in memory as well, and lets in whom the transport gave the scopes', async () => {
    const server = createScoped([]);
    const respond = async (principal?: Principal): Promise<unknown> =>
      JSON.parse(
        (await server.respond(JSON.stringify(callOf('write')), {
          signal: new AbortController().signal,
          send: () => undefined,
          ...(principal === undefined ? {} : { principal }),
        })) ?? '',
      );
    expect(await respond()).toMatchObject({
      error: { code: -32600, data: { requiredScopes: ['orders:read', 'orders:write'] } },
    });
    expect(await respond({ subject: 'local', scopes: ['orders:read', 'orders:write'] })).toMatchObject({
      result: { content: [{ text: 'written' }] },
    });
  });

  it('takes no operation without scopes for one that nobody may use', () => {
    expect(() => assertScopes(undefined, [])).not.toThrow();
  });

  it('reports a step-up that comes after a stream has begun, which can have no status of its own', async () => {
    const events: unknown[] = [];
    const server = createServer({ name: 'late', version: '1.0.0' });
    server.tool('late', {}, (_args, context) => {
      context.progress(1);
      assertScopes(context.principal, ['orders:read']);
      return 'never';
    });
    const route = await openFetchRoute(server, {
      authenticate: () => ({ subject: 'mira' }),
      onSecurityEvent: (event) => events.push(event),
    });
    const message = callOf('late', {}, { meta: { ...(callOf('late').params['_meta'] as object), progressToken: 1 } });
    const answer = await route.call(postOf(message));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('requiredScopes');
    expect(events).toMatchObject([{ type: 'step-up', status: 403 }]);
  });
});

describe('the hierarchy of scopes', () => {
  const scope = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__', 'constructor');

  it('[AUTHRS-14] misses nothing that a path from a granted scope reaches, in cycles, too', () => {
    const edges = fc.array(fc.tuple(scope, scope), { maxLength: 12 });
    fc.assert(
      fc.property(edges, fc.array(scope), fc.array(scope, { minLength: 1 }), (pairs, granted, required) => {
        const implies = Object.fromEntries(
          pairs.map(([from]) => [from, pairs.filter(([other]) => other === from).map(([, to]) => to)]),
        );
        const reached = new Set(granted);
        for (let round = 0; round < pairs.length; round += 1)
          for (const [from, to] of pairs) if (reached.has(from) && Object.hasOwn(implies, from)) reached.add(to);
        const { missingScopes } = resourceOf('https://as.kiln.test', { implies });
        expect(missingScopes(granted, required)).toEqual(required.filter((one) => !reached.has(one)));
      }),
    );
  });
});
