import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterOf, parseChallenges } from '../../src/http/parse-challenges.ts';
import { createOAuthCredentials } from '../../src/authorization/index.ts';
import { createWorld, guard, scriptAuthorizationServer } from './scripted-world.ts';

const own = 'https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp';

describe('a challenge', () => {
  it.each([
    [`Bearer resource_metadata = "${own}"`, own],
    [
      'bearer realm="a, b=\\"c\\"", RESOURCE_METADATA="https://mcp.kiln.test/pr" , scope="read write"',
      'https://mcp.kiln.test/pr',
    ],
    ['Bearer error_description="set resource_metadata=\\"https://evil.test/x\\" first"', undefined],
    ['Bearer not_resource_metadata="https://evil.test/x"', undefined],
    [`Bearer error=insufficient_scope, resource_metadata=${own}, scope=x`, own],
    [`Bearer resource_metadata=${own} scope=x`, own],
    ['Bearer', undefined],
    ['Bearer resource_metadata=""', undefined],
    ['Basic realm="resource_metadata=https://evil.test/x"', undefined],
    ['Basic resource_metadata="https://evil.test/x"', undefined],
    [`Negotiate abc==, Bearer realm=x,resource_metadata="${own}"`, own],
    [`Negotiate, DPoP algs="ES256" , resource_metadata="${own}"`, own],
    ['Bearer realm="open, resource_metadata=https://evil.test/x', undefined],
    ['', undefined],
  ])('[AUTHCL-30] [auth-01] is read by its grammar: %s', (field, expected) => {
    expect(parameterOf(parseChallenges(field), 'resource_metadata')[0]).toBe(expected);
  });

  it('[auth-01] gives the scopes beside the metadata', () => {
    const challenges = parseChallenges('bearer realm="a, b=\\"c\\"", RESOURCE_METADATA="u" , scope="read write"');
    expect(parameterOf(challenges, 'scope')).toEqual(['read write']);
    expect(parameterOf(challenges, 'realm')).toEqual(['a, b="c"']);
  });

  it('keeps the challenges of several fields apart', () => {
    expect(parseChallenges('Basic realm="a", Bearer error="invalid_token", scope=x, DPoP algs="ES256"')).toEqual([
      { scheme: 'basic', parameters: new Map([['realm', ['a']]]) },
      {
        scheme: 'bearer',
        parameters: new Map([
          ['error', ['invalid_token']],
          ['scope', ['x']],
        ]),
      },
      { scheme: 'dpop', parameters: new Map([['algs', ['ES256']]]) },
    ]);
  });

  it('is read in time that grows with its length only, whatever it is', () => {
    for (const piece of ['a="', '\\"', ', ,', 'a=', 'Bearer ', '=', '"\\', 'x '] as const) {
      const started = performance.now();
      parseChallenges(`Bearer a="${piece.repeat(200_000)}`);
      parseChallenges(piece.repeat(200_000));
      expect(performance.now() - started).toBeLessThan(500);
    }
    fc.assert(
      fc.property(fc.string(), (text) => Array.isArray(parseChallenges(text))),
      { numRuns: 300 },
    );
  });
});

describe('discovery from a challenge', () => {
  it('[auth-01] never contacts what only looks like metadata', async () => {
    const world = createWorld();
    const server = scriptAuthorizationServer(world);
    const challenge = 'Bearer error_description="set resource_metadata=\\"https://evil.test/x\\" first"';
    const mcp = guard(world, (token) => (token === '' ? { status: 401, challenge } : undefined));
    const { redirect } = server;
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch });
    expect(await mcp.call(credentials)).toBe(200);
    expect(world.urls().filter((url) => url.includes('evil.test'))).toEqual([]);
  });

  it('[AUTHDI-01] [auth-03] goes on to the next place where a repeated parameter names one that is not there', async () => {
    const world = createWorld();
    const { redirect } = scriptAuthorizationServer(world);
    const root = 'https://mcp.kiln.test/.well-known/oauth-protected-resource';
    const challenge = `Bearer realm="OAuth", resource_metadata="${root}", error="invalid_token", resource_metadata="${own}"`;
    const mcp = guard(world, (token) => (token === '' ? { status: 401, challenge } : undefined));
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch });
    expect(await mcp.call(credentials)).toBe(200);
    expect(world.urls().slice(0, 2)).toEqual([root, own]);
  });
});
