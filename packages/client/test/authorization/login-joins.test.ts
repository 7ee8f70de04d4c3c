import { describe, expect, it } from 'vitest';
import { createOAuthCredentials } from '../../src/authorization/index.ts';
import { settle } from '../manual-clock.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from './scripted-world.ts';

describe('a login', () => {
  it.each([
    ['agrees', 1],
    ['refuses', 2],
  ])('while a call has the user asked is that question, too, where he %s', async (how, asked) => {
    const world = createWorld();
    const server = scriptAuthorizationServer(world);
    const mcp = guard(world, wantsToken);
    const open = Promise.withResolvers<void>();
    const redirect = {
      uri: server.redirect.uri,
      async authorize(...page: Parameters<typeof server.redirect.authorize>) {
        const answer = await server.redirect.authorize(...page);
        await open.promise;
        if (how === 'refuses' && server.authorizations.length === 1) throw new Error('not now');
        return answer;
      },
    };
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch });
    const call = mcp.call(credentials).catch(() => 0);
    for (let turn = 0; turn < 50 && server.authorizations.length === 0; turn += 1) await settle();
    expect(server.authorizations).toHaveLength(1);
    const login = credentials.login();
    await settle();
    open.resolve();
    await login;
    await call;
    expect(server.authorizations).toHaveLength(asked);
    expect(await mcp.call(credentials)).toBe(200);
    // One that comes later is a question of its own.
    await credentials.login();
    expect(server.authorizations).toHaveLength(asked + 1);
  });
});
