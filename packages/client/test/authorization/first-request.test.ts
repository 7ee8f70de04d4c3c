import { expect, it } from 'vitest';
import { createOAuthCredentials } from '../../src/authorization/index.ts';
import { connect } from '../../src/index.ts';
import { closeAfterwards } from '../cache/serve-cached.ts';
import { discovery, type Written } from '../scripted-peer.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from './scripted-world.ts';

it('[HTTP-32] [version-04] a 401 to the first request begins a sign-in, and never initialize', async () => {
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const { url } = guard(world, wantsToken);
  const methods: unknown[] = [];
  world.route(url, ({ body, headers }) => {
    const { id, method } = JSON.parse(body) as Written;
    methods.push(method);
    if (headers['authorization'] !== undefined) return { jsonrpc: '2.0', id, result: discovery };
    return new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });
  const { redirect } = server;
  const credentials = createOAuthCredentials({ serverUrl: url, redirect, fetch: world.fetch });
  const client = closeAfterwards(await connect(url, { credentials, fetch: world.fetch }));
  expect(client.era).toBe('modern');
  expect(server.authorizations).toHaveLength(1);
  expect(methods).toEqual(['server/discover', 'server/discover']);
});
