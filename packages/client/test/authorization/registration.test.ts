import { describe, expect, it } from 'vitest';
import {
  createClientMetadata,
  createMemoryTokenStore,
  createOAuthCredentials,
  type OAuthCredentialsOptions,
  type TokenStore,
} from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import {
  createWorld,
  guard,
  scriptAuthorizationServer,
  type ScriptOptions,
  wantsToken,
  type World,
} from './scripted-world.ts';

const clientMetadataUrl = 'https://app.kiln.test/client.json';
const none = { registration_endpoint: undefined };
const cimd = { client_id_metadata_document_supported: true };

function setUp(script: ScriptOptions = {}, options: Partial<OAuthCredentialsOptions> = {}) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world, script);
  const mcp = guard(world, wantsToken);
  const { redirect } = server;
  const all = { serverUrl: mcp.url, redirect, fetch: world.fetch, ...options };
  return { world, server, mcp, credentials: createOAuthCredentials(all), all };
}

describe('a client', () => {
  it.each<[string, Readonly<Record<string, unknown>>, Partial<OAuthCredentialsOptions>, string]>([
    ['pre-registered before all', cimd, { client: { clientId: 'pre-1' }, clientMetadataUrl }, 'pre-1'],
    ['its metadata URL before registration', cimd, { clientMetadataUrl }, clientMetadataUrl],
    ['registered where no metadata URL is taken', {}, { clientMetadataUrl }, 'client-of-https://as.kiln.test'],
    ['registered where it has no metadata URL', cimd, {}, 'client-of-https://as.kiln.test'],
    [
      'registered where the metadata does not list the redirect URI',
      cimd,
      { clientMetadataUrl, clientMetadataRedirectUris: ['http://127.0.0.1/other'] },
      'client-of-https://as.kiln.test',
    ],
    [
      'its metadata URL where that lists the redirect URI with another loopback port',
      cimd,
      { clientMetadataUrl, clientMetadataRedirectUris: ['http://127.0.0.1/cb'] },
      clientMetadataUrl,
    ],
  ])(
    '[AUTHRG-09] [AUTHRG-01] [AUTHRG-02] [AUTHRG-03] [AUTHRG-07] [AUTHRG-08] [auth-15] is %s',
    async (_, metadata, options, id) => {
      const { server, mcp, credentials } = setUp({ metadata }, options);
      expect(await mcp.call(credentials)).toBe(200);
      expect(server.authorizations[0]?.get('client_id')).toBe(id);
      expect(server.tokenRequests[0]?.get('client_id')).toBe(id);
      expect(server.registrations).toHaveLength(id.startsWith('client-of') ? 1 : 0);
    },
  );

  it.each([
    [none, {}],
    [none, { clientMetadataUrl }],
    [
      { ...none, ...cimd },
      { clientMetadataUrl, clientMetadataRedirectUris: ['http://127.0.0.1/other'] },
    ],
  ])(
    '[AUTHRG-09] [AUTHRG-02] [auth-15] has to be configured where there is no other way: %j %j',
    async (metadata, options) => {
      const { server, mcp, credentials } = setUp({ metadata }, options);
      const error = await failure(mcp.call(credentials));
      expect(error.message).toContain('configure its client id');
      expect(server.authorizations).toEqual([]);
    },
  );

  it.each([
    ['http://127.0.0.1:7001/cb', 'native'],
    ['http://localhost:7001/cb', 'native'],
    ['http://[::1]:7001/cb', 'native'],
    ['https://app.kiln.test/cb', 'web'],
  ])('[AUTHRG-11] [AUTHCL-22] [AUTHRG-10] registers with %s as %s, with refresh tokens', async (redirectUri, type) => {
    const { server, mcp, credentials } = setUp({ redirectUri }, { clientName: 'Kiln' });
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.registrations).toEqual([
      {
        client_name: 'Kiln',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: type,
      },
    ]);
  });

  it('[AUTHRG-12] says what to do when its redirect URI is not taken', async () => {
    const { server, mcp, credentials, world } = setUp();
    world.route(
      'https://as.kiln.test/register',
      Response.json(
        { error: 'invalid_redirect_uri', error_description: 'native clients use a scheme of their own' },
        { status: 400 },
      ),
    );
    const error = await failure(mcp.call(credentials));
    expect(error.oauthError).toBe('invalid_redirect_uri');
    expect(error.message).toContain('native clients use a scheme of their own');
    expect(error.message).toContain('http://127.0.0.1:7001/cb of a native application');
    expect(server.authorizations).toEqual([]);
  });

  it('[auth-15] is registered once, and known the next time, also at another port of the loopback address', async () => {
    const store = createMemoryTokenStore();
    const { server, mcp, credentials, all } = setUp({}, { store });
    await mcp.call(credentials);
    const again = createOAuthCredentials({ ...all, redirect: { ...server.redirect, uri: 'http://127.0.0.1:7002/cb' } });
    await again.login();
    expect(server.registrations).toHaveLength(1);
    expect(server.authorizations[1]?.get('redirect_uri')).toBe('http://127.0.0.1:7002/cb');
  });

  it('is registered anew when its secret has expired', async () => {
    const store = createMemoryTokenStore();
    let now = 1_000_000;
    const { server, mcp, credentials, world } = setUp({}, { store, epochNow: () => now });
    let count = 0;
    world.route('https://as.kiln.test/register', () => {
      count += 1;
      const secret = { client_secret: `secret-number-${count}`, client_secret_expires_at: now / 1000 + 60 };
      return Response.json({ client_id: `c-${count}`, ...secret }, { status: 201 });
    });
    await mcp.call(credentials);
    now += 61_000;
    await credentials.login();
    expect(server.authorizations.map((asked) => asked.get('client_id'))).toEqual(['c-1', 'c-2']);
  });

  it.each<[string, readonly string[] | undefined, Readonly<Record<string, unknown>>]>([
    ['client_secret_basic', ['client_secret_basic', 'client_secret_post'], {}],
    ['client_secret_basic', undefined, {}],
    ['client_secret_post', ['client_secret_post'], {}],
    [
      'client_secret_post',
      ['client_secret_basic', 'client_secret_post'],
      { token_endpoint_auth_method: 'client_secret_post' },
    ],
    ['none', ['none'], { client_secret: undefined }],
  ])(
    '[AUTHRG-17] shows who it is by %s, as the authorization server has it: %j %j',
    async (method, supported, more) => {
      const { server, mcp, credentials, world } = setUp({
        metadata: { token_endpoint_auth_methods_supported: supported },
      });
      world.route('https://as.kiln.test/register', () =>
        // Some answer 200 and leave client_secret_expires_at out.
        Response.json({ client_id: 'c 1', client_secret: 'a-secret:with+signs', ...more }),
      );
      expect(await mcp.call(credentials)).toBe(200);
      const form = server.tokenRequests[0];
      const sent = world.asked.find(({ url }) => url.endsWith('/token'))?.headers['authorization'];
      if (method === 'client_secret_basic') {
        expect(atob(sent?.replace('Basic ', '') ?? '')).toBe('c+1:a-secret%3Awith%2Bsigns');
        expect([form?.get('client_id'), form?.get('client_secret')]).toEqual([null, null]);
      } else {
        expect(sent).toBeUndefined();
        expect(form?.get('client_id')).toBe('c 1');
        expect(form?.get('client_secret')).toBe(method === 'none' ? null : 'a-secret:with+signs');
      }
    },
  );

  it.each([
    [{ clientId: 'pre-1', secret: 'a-long-secret' }, ['client_secret_post'], 'a-long-secret'],
    [{ clientId: 'pre-1', secret: 'a-long-secret' }, undefined, null],
    [
      { clientId: 'pre-1', secret: 'a-long-secret', authMethod: 'client_secret_post' as const },
      undefined,
      'a-long-secret',
    ],
    [{ clientId: 'pre-1' }, ['client_secret_basic'], null],
  ])('[AUTHRG-17] that was registered by hand shows who it is likewise: %j %j', async (client, supported, posted) => {
    const metadata = { token_endpoint_auth_methods_supported: supported };
    const { server, mcp, credentials } = setUp({ metadata }, { client });
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.tokenRequests[0]?.get('client_secret')).toBe(posted);
  });

  it('[AUTHRG-04] [AUTHRG-05] describes itself in the document at its own URL', () => {
    const redirectUris = ['http://127.0.0.1/cb', 'http://localhost/cb'];
    expect(createClientMetadata({ url: clientMetadataUrl, name: 'Kiln', redirectUris })).toEqual({
      client_id: clientMetadataUrl,
      client_name: 'Kiln',
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect(() => createClientMetadata({ url: 'https://app.kiln.test', name: 'Kiln', redirectUris })).toThrow('path');
  });
});

describe('when an MCP server moves to another authorization server', () => {
  function move(world: World, issuer: string): void {
    world.route('https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp', {
      resource: 'https://mcp.kiln.test/mcp',
      authorization_servers: [issuer],
    });
  }

  /** On the second day the server takes only tokens of the second authorization server. */
  function setUpMove(options: Partial<OAuthCredentialsOptions> = {}, two: Readonly<Record<string, unknown>> = {}) {
    const store: TokenStore = createMemoryTokenStore();
    const world = createWorld();
    let day = 1;
    const first = scriptAuthorizationServer(world, { metadata: two });
    const second = scriptAuthorizationServer(world, { issuer: 'https://as-two.test', metadata: two });
    const mcp = guard(world, (token) =>
      token.includes(day === 1 ? 'as.kiln.test' : 'as-two.test') ? undefined : { status: 401 },
    );
    const redirect = {
      uri: first.redirect.uri,
      authorize: (url: URL, asked: { readonly signal: AbortSignal; readonly state: string }) =>
        (url.host === 'as-two.test' ? second : first).redirect.authorize(url, asked),
    };
    const all = { serverUrl: mcp.url, redirect, fetch: world.fetch, store, ...options };
    const next = (): void => {
      day = 2;
      move(world, 'https://as-two.test');
    };
    const back = (): void => {
      day = 1;
      move(world, 'https://as.kiln.test');
    };
    return { world, first, second, mcp, store, all, next, back };
  }

  it.each(['the same process', 'another process'])(
    '[AUTHDI-05] [AUTHDI-06] [AUTHCL-04] [AUTHRG-13] [AUTHRG-14] [auth-14] %s registers and signs in anew, and gives it nothing of the old one',
    async (which) => {
      const { world, first, second, mcp, all, next, back } = setUpMove();
      const credentials = createOAuthCredentials(all);
      expect(await mcp.call(credentials)).toBe(200);
      next();
      expect(await mcp.call(which === 'another process' ? createOAuthCredentials(all) : credentials)).toBe(200);
      expect(second.registrations).toHaveLength(1);
      const sent = JSON.stringify(world.asked.filter(({ url }) => url.includes('as-two.test')));
      expect(sent).toContain(encodeURIComponent('client-of-https://as-two.test'));
      expect(sent).not.toContain('as.kiln.test');
      // Should the server move back, the client is still registered with the first.
      back();
      expect(await mcp.call(createOAuthCredentials(all))).toBe(200);
      expect(first.registrations).toHaveLength(1);
      // The token of the first was forgotten when the second gave one.
      expect(first.authorizations).toHaveLength(2);
    },
  );

  it('[AUTHRG-13] [auth-14] two servers of one authorization server share the registration, not the token', async () => {
    const { world, first, mcp, all } = setUpMove();
    await mcp.call(createOAuthCredentials(all));
    const url = 'https://other.kiln.test/mcp';
    const other = guard(world, wantsToken, { url });
    expect(await other.call(createOAuthCredentials({ ...all, serverUrl: url }))).toBe(200);
    expect(first.registrations).toHaveLength(1);
    expect(first.authorizations.map((asked) => asked.get('resource'))).toEqual([mcp.url, url]);
    expect(other.seen.filter((token) => token !== '' && mcp.seen.includes(token))).toEqual([]);
  });

  it('[AUTHRG-16] a metadata URL goes along', async () => {
    const { second, mcp, all, next } = setUpMove({ clientMetadataUrl }, cimd);
    const credentials = createOAuthCredentials(all);
    await mcp.call(credentials);
    next();
    expect(await mcp.call(credentials)).toBe(200);
    expect(second.authorizations[0]?.get('client_id')).toBe(clientMetadataUrl);
  });

  it.each([[undefined], ['https://as.kiln.test']])(
    '[AUTHRG-15] [AUTHRG-14] a client that was registered by hand, with issuer %s, is not used there',
    async (issuer) => {
      const client = { clientId: 'pre-1', secret: 'a-long-secret', ...(issuer === undefined ? {} : { issuer }) };
      const { world, second, mcp, all, next } = setUpMove({ client });
      await mcp.call(createOAuthCredentials(all));
      next();
      const error = await failure(mcp.call(createOAuthCredentials(all)));
      expect(error.message).toContain('"https://as-two.test"');
      expect(error.message).toContain('"https://as.kiln.test"');
      expect(second.authorizations).toEqual([]);
      const sent = world.asked.filter(({ url }) => url.includes('as-two.test'));
      expect(sent.every(({ method }) => method === 'GET')).toBe(true);
    },
  );
});
