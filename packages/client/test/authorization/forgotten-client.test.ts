import { describe, expect, it } from 'vitest';
import {
  createMemoryTokenStore,
  createOAuthCredentials,
  type OAuthCredentialsOptions,
  type Redirect,
  type TokenStore,
} from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from './scripted-world.ts';

/** A user whose browser comes back from authorization requests that `isTaken`, and stays on an error page otherwise. */
function setUp(isTaken: (parameters: URLSearchParams, registered: readonly unknown[]) => boolean) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const mcp = guard(world, wantsToken);
  const store = createMemoryTokenStore();
  world.route('https://as.kiln.test/register', ({ body }) => {
    server.registrations.push(JSON.parse(body) as Readonly<Record<string, unknown>>);
    return Response.json({ client_id: `client-${server.registrations.length}` }, { status: 201 });
  });
  const login = (port: number, options: Partial<OAuthCredentialsOptions> = {}) => {
    const redirect: Redirect = {
      uri: `http://127.0.0.1:${port}/cb`,
      authorize: (url, asked) =>
        isTaken(url.searchParams, server.registrations)
          ? server.redirect.authorize(url, asked)
          : Promise.reject(new Error('nobody came back')),
    };
    return createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch, store, ...options }).login();
  };
  return { server, store, login };
}

describe('a registration', () => {
  it('is made anew after a sign-in that never came back, since the server may have forgotten it', async () => {
    let forgotten = '';
    const { server, login } = setUp((parameters) => parameters.get('client_id') !== forgotten);
    await login(7001);
    await login(7002);
    expect(server.registrations).toHaveLength(1);
    forgotten = 'client-1';
    await failure(login(7003));
    await login(7004);
    await login(7005);
    expect(server.registrations.length).toBeGreaterThan(1);
    expect(server.authorizations.at(-1)?.get('client_id')).not.toBe('client-1');
  });

  it('is kept where the user came back, whatever he said', async () => {
    const { server, login } = setUp(() => true);
    const agree = server.answer;
    server.answer = (parameters) => ({ ...agree(parameters), error: 'access_denied' });
    await failure(login(7001));
    server.answer = agree;
    await login(7001);
    expect(server.registrations).toHaveLength(1);
  });

  it('is made for each port where the server turned out to compare redirect URIs with their ports', async () => {
    const { server, login } = setUp((parameters, registered) =>
      registered.some((one) => JSON.stringify(one).includes(`"${parameters.get('redirect_uri')}"`)),
    );
    await login(7001);
    await failure(login(7002));
    for (const port of [7003, 7004]) await login(port);
    expect(server.registrations.map((one) => (one as { redirect_uris: string[] }).redirect_uris[0])).toEqual(
      [7001, 7003, 7004].map((port) => `http://127.0.0.1:${port}/cb`),
    );
  });

  it('that is damaged in the store is made anew', async () => {
    const { server, store, login } = setUp(() => true);
    const damaged: TokenStore = {
      ...store,
      get: (key) =>
        key.startsWith('client')
          ? Promise.reject(Object.assign(new Error('damaged'), { code: 'corrupt' }))
          : store.get(key),
    };
    await login(7001);
    await login(7001, { store: damaged });
    expect(server.registrations).toHaveLength(2);
  });
});
