import { describe, expect, it } from 'vitest';
import { createOAuthCredentials, type OAuthCredentialsOptions } from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock } from '../manual-clock.ts';
import { createWorld, guard, scriptAuthorizationServer } from './scripted-world.ts';

/** An MCP server that wants scopes for each operation, and an authorization server that gives what is asked for. */
function setUp(
  needs: Readonly<Record<string, readonly string[]>>,
  options: Partial<OAuthCredentialsOptions> & { readonly challenge?: (missing: readonly string[]) => string } = {},
) {
  const { challenge = (scopes) => `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`, ...rest } = options;
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const granted = new Map<string, readonly string[]>();
  const give = server.token;
  server.token = (asked) => {
    const tokens = give(asked) as Record<string, unknown>;
    const isRefresh = asked.form.get('grant_type') === 'refresh_token';
    // A refresh does not widen anything.
    const scope = isRefresh ? 'init' : (server.authorizations.at(-1)?.get('scope') ?? '');
    granted.set(`Bearer ${String(tokens['access_token'])}`, scope.split(' '));
    return tokens;
  };
  const mcp = guard(world, (authorization, operation) => {
    const scopes = granted.get(authorization);
    if (scopes === undefined) return { status: 401, challenge: 'Bearer scope="init"' };
    const needed = needs[operation] ?? [];
    const isEnough = needed.every((scope) => scopes.includes(scope)) && !needed.includes('never');
    return isEnough ? undefined : { status: 403, challenge: challenge(needed) };
  });
  const { redirect } = server;
  const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch, ...rest });
  const asked = () => server.authorizations.map((parameters) => parameters.get('scope')?.split(' ').toSorted());
  return { world, server, mcp, credentials, asked };
}

const needs = { 'tools/list': ['tools:read'], 'tools/call': ['tools:write', 'tools:read'] };

describe('a step up', () => {
  it('[AUTHCL-11] [AUTHCL-12] [AUTHCL-13] [auth-10] asks for what it had and what it needs, each once', async () => {
    const { mcp, credentials, asked } = setUp(needs);
    expect(await mcp.call(credentials, 'tools/list')).toBe(200);
    expect(await mcp.call(credentials, 'tools/call')).toBe(200);
    expect(asked()).toEqual([['init'], ['init', 'tools:read'], ['init', 'tools:read', 'tools:write']]);
    // What was gained stays.
    expect(await mcp.call(credentials, 'tools/list')).toBe(200);
    expect(asked()).toHaveLength(3);
  });

  it('[auth-11] asks the user, since a refresh does not widen a token, and repeats the call once', async () => {
    const { mcp, credentials, server } = setUp({ 'tools/call': ['ledger:write'] });
    await mcp.call(credentials, 'ping');
    mcp.seen.length = 0;
    expect(await mcp.call(credentials, 'tools/call')).toBe(200);
    expect(mcp.seen).toHaveLength(2);
    expect(server.authorizations[1]?.get('scope')).toBe('init ledger:write');
    expect(server.tokenRequests.map((form) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'authorization_code',
    ]);
  });

  it('[AUTHCL-12] keeps what it gained when the user signs in again later', async () => {
    const { mcp, credentials, asked } = setUp(needs);
    await mcp.call(credentials, 'tools/call');
    await credentials.login();
    expect(asked().at(-1)).toEqual(['init', 'tools:read', 'tools:write']);
  });

  it('[AUTHCL-14] [auth-10] is given up at once when the token has what is asked for', async () => {
    const { mcp, credentials, server } = setUp({ 'tools/call': ['never'] });
    const error = await failure(mcp.call(credentials, 'tools/call'));
    expect(error.code).toBe('authorization');
    expect(error.oauthError).toBe('insufficient_scope');
    expect(error.status).toBe(403);
    expect(error.message).toContain('tools/call');
    expect(error.message).not.toContain('expired');
    expect(server.authorizations).toHaveLength(2);
  });

  it('[AUTHCL-14] is tried maxStepUps times for an operation, whatever the server asks for, and again after ten minutes', async () => {
    const clock = createManualClock();
    let count = 0;
    const challenge = () => `Bearer error="insufficient_scope", scope="scope-${(count += 1)}"`;
    const { mcp, credentials, server } = setUp(
      { greedy: ['never'], other: ['never'] },
      { clock, challenge, maxStepUps: 2 },
    );
    for (const [operation, expected] of [
      ['greedy', 3],
      ['greedy', 3],
      ['other', 5],
    ] as const) {
      const error = await failure(mcp.call(credentials, operation));
      expect(error.oauthError).toBe('insufficient_scope');
      expect(server.authorizations).toHaveLength(expected);
    }
    await clock.advance(600_001);
    await failure(mcp.call(credentials, 'greedy'));
    expect(server.authorizations).toHaveLength(7);
  });

  it('is shared by calls that need the same', async () => {
    const { mcp, credentials, server } = setUp(needs);
    await mcp.call(credentials, 'ping');
    const calls = Array.from({ length: 5 }, () => mcp.call(credentials, 'tools/call'));
    expect(await Promise.all(calls)).toEqual([200, 200, 200, 200, 200]);
    expect(server.authorizations).toHaveLength(2);
  });

  it('is not asked for when another one that waited has it already', async () => {
    const { mcp, credentials, server } = setUp({ first: ['a', 'b'], second: ['b'] });
    await mcp.call(credentials, 'ping');
    expect(await Promise.all([mcp.call(credentials, 'first'), mcp.call(credentials, 'second')])).toEqual([200, 200]);
    expect(server.authorizations).toHaveLength(2);
  });

  it('asks for what the server publishes where the challenge does not say what is missing', async () => {
    const { mcp, credentials, asked, world } = setUp(needs, { challenge: () => 'Bearer error="insufficient_scope"' });
    await mcp.call(credentials, 'ping');
    world.route('https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp', {
      resource: mcp.url,
      authorization_servers: ['https://as.kiln.test'],
      scopes_supported: ['tools:read'],
    });
    expect(await mcp.call(credentials, 'tools/list')).toBe(200);
    expect(asked()).toEqual([['init'], ['init', 'tools:read']]);
  });

  it.each(['Bearer', 'Bearer error="invalid_token"', 'Basic error="insufficient_scope", scope="x"', ''])(
    'is not what a 403 with the challenge "%s" asks for',
    async (challenge) => {
      const { mcp, credentials, server } = setUp({ 'tools/call': ['never'] }, { challenge: () => challenge });
      expect(await mcp.call(credentials, 'tools/call')).toBe(403);
      expect(server.authorizations).toHaveLength(1);
    },
  );
});
