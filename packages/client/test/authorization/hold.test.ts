import { describe, expect, it } from 'vitest';
import { createOAuthCredentials, type Grant } from '../../src/authorization/index.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from './scripted-world.ts';

/** Credentials, and a call of which it is known when its deadline stands still. */
function setUp(grantOf?: (redirect: () => Promise<void>) => Grant) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const mcp = guard(world, wantsToken);
  const holds = { now: 0, whileAsked: [] as number[], whileFetched: new Set<number>() };
  const look = (): Promise<void> => Promise.resolve(void holds.whileAsked.push(holds.now));
  const redirect = {
    uri: server.redirect.uri,
    async authorize(...asked: Parameters<typeof server.redirect.authorize>) {
      await look();
      return server.redirect.authorize(...asked);
    },
  };
  const fetch: typeof world.fetch = (url, init) => {
    holds.whileFetched.add(holds.now);
    return world.fetch(url, init);
  };
  const way = grantOf === undefined ? { redirect } : { grant: grantOf(look) };
  const credentials = createOAuthCredentials({ serverUrl: mcp.url, fetch, ...way });
  const refuse = () =>
    credentials.onRefusal?.({
      status: 401,
      challenge: 'Bearer',
      header: () => undefined,
      fields: {},
      operation: 'tools/list',
      signal: new AbortController().signal,
      async hold(work) {
        holds.now += 1;
        try {
          return await work();
        } finally {
          holds.now -= 1;
        }
      },
    });
  return { holds, refuse, server };
}

describe('the deadline of a call', () => {
  it('stands still while its user is asked, and not while a server is', async () => {
    const { holds, refuse } = setUp();
    expect(await refuse()).toBe(true);
    expect(holds).toEqual({ now: 0, whileAsked: [1], whileFetched: new Set([0]) });
  });

  it('stands still for all calls that wait for the same user', async () => {
    const { holds, refuse, server } = setUp();
    expect(await Promise.all([refuse(), refuse(), refuse()])).toEqual([true, true, true]);
    expect(holds.whileAsked).toEqual([3]);
    expect(holds.now).toBe(0);
    expect(server.authorizations).toHaveLength(1);
  });

  it('stands still while a grant of the caller asks a user', async () => {
    const { holds, refuse } = setUp((look) => ({
      type: 'device',
      redirectUri: 'http://127.0.0.1/cb',
      async obtain({ asksUser, token }) {
        await asksUser(look);
        return token('urn:ietf:params:oauth:grant-type:device_code', { device_code: 'd-1' });
      },
    }));
    expect(await refuse()).toBe(true);
    expect(holds).toEqual({ now: 0, whileAsked: [1], whileFetched: new Set([0]) });
  });
});
