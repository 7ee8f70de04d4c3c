import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createOAuthCredentials, type OAuthCredentialsOptions } from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import {
  createWorld,
  guard,
  type Guarded,
  scriptAuthorizationServer,
  type ScriptOptions,
  wantsToken,
} from './scripted-world.ts';

/** An MCP server, its authorization server and a client for them. */
function setUp(
  script: ScriptOptions = {},
  options: Partial<OAuthCredentialsOptions> = {},
  mcpOptions: { readonly challenge?: string; readonly metadata?: Readonly<Record<string, unknown>> } = {},
) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world, script);
  const { challenge = 'Bearer', metadata = {} } = mcpOptions;
  const mcp: Guarded = guard(world, (token) => (token === '' ? { status: 401, challenge } : undefined), { metadata });
  const { redirect } = server;
  const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch, ...options });
  return { world, server, mcp, credentials };
}

describe('a sign-in', () => {
  it('[AUTHCL-25] [AUTHCL-29] proves with S256 that it is the one that asked, and takes a new state each time', async () => {
    const { server, mcp, credentials } = setUp();
    await mcp.call(credentials);
    await credentials.login();
    const [first, second] = server.authorizations;
    expect(first?.get('code_challenge_method')).toBe('S256');
    const verifier = server.tokenRequests[0]?.get('code_verifier') ?? '';
    expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(first?.get('code_challenge'));
    expect(first?.get('state')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(second?.get('state')).not.toBe(first?.get('state'));
    expect(second?.get('code_challenge')).not.toBe(first?.get('code_challenge'));
  });

  it.each([[undefined], [[]], [['plain']]])(
    '[AUTHCL-26] is refused with an authorization server whose PKCE methods are %s',
    async (methods) => {
      const { server, mcp, credentials } = setUp({ metadata: { code_challenge_methods_supported: methods } });
      const error = await failure(mcp.call(credentials));
      expect(error.code).toBe('authorization');
      expect(error.message).toContain('PKCE');
      expect([server.authorizations, server.tokenRequests]).toEqual([[], []]);
    },
  );

  it.each([
    { advertised: true, iss: 'https://as.kiln.test', accept: true },
    { advertised: true, iss: undefined, accept: false },
    { advertised: false, iss: undefined, accept: true },
    { advertised: undefined, iss: undefined, accept: true },
    { advertised: false, iss: 'https://as.kiln.test', accept: true },
    { advertised: false, iss: 'https://evil.test', accept: false },
    { advertised: true, iss: 'https://evil.test', accept: false },
    { advertised: true, iss: 'https://as.kiln.test/', accept: false },
    { advertised: true, iss: 'https://AS.kiln.test', accept: false },
    { advertised: true, iss: 'https://as.kiln.test:443', accept: false },
    { advertised: true, iss: 'https://as%2Ekiln.test', accept: false },
    { advertised: true, iss: '', accept: false },
  ])(
    '[AUTHCL-16] [AUTHCL-17] [AUTHCL-18] [AUTHCL-20] [auth-13] with iss promised: $advertised, sent: $iss is taken: $accept',
    async ({ advertised, iss, accept }) => {
      const { server, mcp, credentials } = setUp({
        metadata: { authorization_response_iss_parameter_supported: advertised },
      });
      server.answer = (asked) => ({
        code: 'an-authorization-code',
        state: asked.get('state') ?? '',
        ...(iss === undefined ? {} : { iss }),
      });
      if (accept) {
        expect(await mcp.call(credentials)).toBe(200);
        return;
      }
      const error = await failure(mcp.call(credentials));
      expect(error.message).toContain('https://as.kiln.test');
      expect(server.tokenRequests).toEqual([]);
    },
  );

  it.each([true, false])(
    '[AUTHCL-19] [auth-13] does not show the error of an answer that somebody else sent, with iss promised: %s',
    async (advertised) => {
      const { server, mcp, credentials } = setUp({
        metadata: { authorization_response_iss_parameter_supported: advertised },
      });
      server.answer = (asked) => ({
        error: 'access_denied',
        error_description: 'call 555-0100',
        error_uri: 'https://evil.test/help',
        state: asked.get('state') ?? '',
        iss: 'https://evil.test',
      });
      const error = await failure(mcp.call(credentials));
      expect(error.oauthError).toBeUndefined();
      expect(`${error.message} ${String(error.cause)}`).not.toMatch(/555-0100|access_denied|help/);
      expect(server.tokenRequests).toEqual([]);
    },
  );

  it('tells the error of the right authorization server, and does not ask again at once', async () => {
    const clock = createManualClock();
    const { server, mcp, credentials } = setUp({}, { clock });
    const answer = server.answer;
    server.answer = (asked) => ({ ...answer(asked), error: 'access_denied', error_description: 'the user\nsaid no' });
    const error = await failure(mcp.call(credentials));
    expect(error.oauthError).toBe('access_denied');
    expect(error.message).toContain('the user said no');
    await failure(mcp.call(credentials));
    expect(server.authorizations).toHaveLength(1);
    // A sign-in that the user starts himself is another matter.
    server.answer = answer;
    await credentials.login();
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(2);
  });

  it.each([[{ state: 'another' }], [{ state: '' }]])('[AUTHCL-29] drops an answer with %s', async (part) => {
    const { server, mcp, credentials } = setUp();
    const answer = server.answer;
    server.answer = (asked) => ({ ...answer(asked), ...part });
    expect((await failure(mcp.call(credentials))).message).toContain('state');
    expect(server.tokenRequests).toEqual([]);
  });

  it.each([
    ['a URL', (query: string) => new URL(`http://127.0.0.1:7001/cb?${query}`)],
    ['a URL as text', (query: string) => `http://127.0.0.1:7001/cb?${query}`],
    ['parameters', (query: string) => new URLSearchParams(query)],
  ])('takes the answer as %s', async (_, form) => {
    const { server, mcp, credentials } = setUp({}, { redirect: { uri: 'http://127.0.0.1:7001/cb', authorize } });
    function authorize(url: URL) {
      server.authorizations.push(url.searchParams);
      return Promise.resolve(form(new URLSearchParams(server.answer(url.searchParams)).toString()));
    }
    expect(await mcp.call(credentials)).toBe(200);
  });

  it('names why the user could not be asked', async () => {
    const redirect = {
      uri: 'http://127.0.0.1:7001/cb',
      authorize: () => Promise.reject(new Error('there is no browser')),
    };
    const { mcp, credentials } = setUp({}, { redirect });
    expect((await failure(mcp.call(credentials))).message).toContain('there is no browser');
  });

  it('ends after authorizationTimeoutMs', async () => {
    const clock = createManualClock();
    let signal: AbortSignal | undefined;
    const redirect = {
      uri: 'http://127.0.0.1:7001/cb',
      authorize: (_: URL, options: { readonly signal: AbortSignal }) => {
        ({ signal } = options);
        return new Promise<never>(() => undefined);
      },
    };
    const { mcp, credentials } = setUp({}, { redirect, clock, authorizationTimeoutMs: 5000 });
    const failed = failure(mcp.call(credentials));
    await untilDefined(() => signal);
    await clock.advance(5000);
    expect((await failed).code).toBe('timeout');
    expect(signal?.aborted).toBe(true);
  });

  it('stands the deadline of the call still, goes on when the call is given up, and serves the next one', async () => {
    const agreed = Promise.withResolvers<void>();
    let asked: URL | string | undefined;
    const { server, mcp, credentials } = setUp(
      {},
      {
        redirect: {
          uri: 'http://127.0.0.1:7001/cb',
          async authorize(url, options) {
            asked = url;
            await agreed.promise;
            return server.redirect.authorize(url, options);
          },
        },
      },
    );
    const caller = new AbortController();
    let held = 0;
    const refusal = credentials.onRefusal?.({
      status: 401,
      challenge: 'Bearer',
      header: () => undefined,
      fields: {},
      operation: 'tools/list',
      signal: caller.signal,
      hold: (work) => {
        held += 1;
        return work();
      },
    });
    await untilDefined(() => asked);
    caller.abort(new Error('enough'));
    await expect(refusal).rejects.toThrow('enough');
    agreed.resolve();
    await untilDefined(() => credentials.principal() ?? undefined);
    expect(held).toBe(1);
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(1);
  });

  it('uses pushed requests where the authorization server wants them', async () => {
    const { server, mcp, credentials, world } = setUp({
      metadata: {
        require_pushed_authorization_requests: true,
        pushed_authorization_request_endpoint: 'https://as.kiln.test/par',
      },
    });
    let pushed: URLSearchParams | undefined;
    world.route('https://as.kiln.test/par', ({ form }) => {
      pushed = form;
      return Response.json({ request_uri: 'urn:pushed:1', expires_in: 60 }, { status: 201 });
    });
    server.answer = () => ({ code: 'an-authorization-code', state: pushed?.get('state') ?? '', iss: server.issuer });
    expect(await mcp.call(credentials)).toBe(200);
    expect(pushed?.get('code_challenge_method')).toBe('S256');
    expect([...(server.authorizations[0]?.keys() ?? [])]).toEqual(['client_id', 'request_uri']);
  });
});

describe('the scopes of a sign-in', () => {
  it.each([
    ['those of the challenge', 'Bearer scope="a b a"', ['c', 'd'], undefined, 'a b'],
    ['those that the server publishes', 'Bearer', ['c', 'd'], undefined, 'c d'],
    ['none', 'Bearer', undefined, undefined, null],
    ['none', 'Bearer', [], undefined, null],
    ['those that were configured', 'Bearer', ['c', 'd'], 'own', 'own'],
    ['those that were configured and those of the challenge', 'Bearer scope="a"', ['c'], 'own', 'own a'],
  ])('[AUTHCL-09] [AUTHCL-10] [AUTHCL-15] are %s', async (_, challenge, supported, scope, expected) => {
    const metadata = supported === undefined ? {} : { scopes_supported: supported };
    const options = scope === undefined ? {} : { scope };
    const { server, mcp, credentials } = setUp({}, options, { challenge, metadata });
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations[0]?.get('scope')).toBe(expected);
  });

  it.each([
    [['offline_access', 'a'], 'a offline_access', 'consent'],
    [['a'], 'a', null],
    [undefined, 'a', null],
  ])(
    '[AUTHCL-23] hold offline_access where the authorization server supports it: %s',
    async (supported, expected, prompt) => {
      const metadata = supported === undefined ? {} : { scopes_supported: supported };
      const { server, mcp, credentials } = setUp({ metadata }, {}, { challenge: 'Bearer scope="a"' });
      expect(await mcp.call(credentials)).toBe(200);
      expect(server.authorizations[0]?.get('scope')).toBe(expected);
      expect(server.authorizations[0]?.get('prompt')).toBe(prompt);
    },
  );
});

describe('options that cannot be used', () => {
  const redirect = { uri: 'http://127.0.0.1:7001/cb', authorize: () => Promise.resolve('') };
  it.each<[string, OAuthCredentialsOptions]>([
    ['serverUrl', { serverUrl: 'http://mcp.kiln.test/mcp', redirect }],
    ['serverUrl', { serverUrl: 'no url', redirect }],
    ['redirect', { serverUrl: 'https://mcp.kiln.test/mcp' }],
    ['redirect.uri', { serverUrl: 'https://mcp.kiln.test', redirect: { ...redirect, uri: 'http://app.kiln.test/cb' } }],
    ['redirect.uri', { serverUrl: 'https://mcp.kiln.test', redirect: { ...redirect, uri: 'https://a.test/cb#x' } }],
    ['clientMetadataUrl', { serverUrl: 'https://mcp.kiln.test', redirect, clientMetadataUrl: 'http://a.test/c.json' }],
    ['clientMetadataUrl', { serverUrl: 'https://mcp.kiln.test', redirect, clientMetadataUrl: 'https://a.test/' }],
    ['clientMetadataUrl', { serverUrl: 'https://mcp.kiln.test', redirect, clientMetadataUrl: 'https://a.test/b/../c' }],
  ])('[AUTHCL-28] [AUTHRG-04] are refused at once: %s', (name, options) => {
    expect(() => createOAuthCredentials(options)).toThrow(name);
  });
});

it('an authorization server that does not answer ends the call after httpTimeoutMs', async () => {
  const clock = createManualClock();
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const mcp = guard(world, wantsToken);
  const asked = Promise.withResolvers<void>();
  const { redirect } = server;
  const credentials = createOAuthCredentials({
    serverUrl: mcp.url,
    redirect,
    clock,
    httpTimeoutMs: 2000,
    fetch: (url, init) => {
      if (!url.endsWith('/token')) return world.fetch(url, init);
      asked.resolve();
      return new Promise(() => undefined);
    },
  });
  const failed = failure(mcp.call(credentials));
  await asked.promise;
  await settle();
  await clock.advance(2000);
  const error = await failed;
  expect(error.code).toBe('timeout');
  expect(error.message).toContain('https://as.kiln.test/token');
});

/** Waits until something has happened. */
async function untilDefined(look: () => unknown): Promise<void> {
  for (let turn = 0; turn < 1000 && look() === undefined; turn += 1) await settle();
  expect(look()).toBeDefined();
}
