import { describe, expect, it } from 'vitest';
import { createOAuthCredentials } from '../../src/authorization/index.ts';
import { holdUp } from './rotating-world.ts';
import { createWorld, guard, scriptAuthorizationServer, type Verdict, wantsToken } from './scripted-world.ts';

/** A server, its authorization server, and a user who answers the first page when he is let. */
function setUp(verdict: (authorization: string) => Verdict = wantsToken) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const mcp = guard(world, verdict);
  const [page, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const redirect = {
    uri: server.redirect.uri,
    async authorize(...given: Parameters<typeof server.redirect.authorize>) {
      const answer = await server.redirect.authorize(...given);
      asked.resolve();
      await page.promise;
      return answer;
    },
  };
  const held = holdUp(world.fetch, mcp.url);
  const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: held.fetch });
  /** Begins a call, and answers it when its user is asked. */
  const callUntilAsked = async () => {
    const call = mcp.call(credentials).catch(() => 0);
    await asked.promise;
    return { call };
  };
  /** Logs in while a call has the user asked, who answers before the server does; `then` comes in between. */
  const loginAfterAnswer = async (then = (): Promise<void> => Promise.resolve()) => {
    const { call } = await callUntilAsked();
    held.close();
    const login = credentials.login();
    await held.reached;
    page.resolve();
    await call;
    await then();
    held.open();
    await login;
  };
  return { world, server, mcp, page, credentials, callUntilAsked, loginAfterAnswer };
}

describe('a login', () => {
  it('while a call has the user asked is that question, too', async () => {
    const { server, mcp, page, credentials, callUntilAsked } = setUp();
    const { call } = await callUntilAsked();
    const login = credentials.login();
    page.resolve();
    await Promise.all([login, call]);
    expect(server.authorizations).toHaveLength(1);
    expect(await mcp.call(credentials)).toBe(200);
    // One that comes later is a question of its own.
    await credentials.login();
    expect(server.authorizations).toHaveLength(2);
  });

  it('is that question also where the user answers before the server does', async () => {
    const { server, loginAfterAnswer } = setUp();
    await loginAfterAnswer();
    expect(server.authorizations).toHaveLength(1);
  });

  it('asks by itself where the user does not agree there', async () => {
    const { server, mcp, page, credentials, callUntilAsked } = setUp();
    const { answer } = server;
    server.answer = (asked) => ({ ...answer(asked), error: 'access_denied' });
    const { call } = await callUntilAsked();
    server.answer = answer;
    const login = credentials.login();
    page.resolve();
    await Promise.all([login, call]);
    expect(server.authorizations).toHaveLength(2);
    expect(await mcp.call(credentials)).toBe(200);
  });

  it('asks by itself for scopes that the open question is not about', async () => {
    const { world, server, mcp, page, credentials, callUntilAsked } = setUp();
    const headers = { 'www-authenticate': 'Bearer scope="read write"' };
    world.route(mcp.url, new Response('no', { status: 401, headers }));
    const { call } = await callUntilAsked();
    const login = credentials.login();
    page.resolve();
    await Promise.all([login, call]);
    expect(server.authorizations.map((asked) => asked.get('scope'))).toEqual([null, 'read write']);
  });

  it('asks by itself where the user logged out after he answered', async () => {
    const { server, credentials, loginAfterAnswer } = setUp();
    await loginAfterAnswer(() => credentials.logout());
    expect(server.authorizations).toHaveLength(2);
  });
});
