import { describe, expect, it } from 'vitest';
import { createOAuthCredentials, type OAuthCredentialsOptions } from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken, type World } from './scripted-world.ts';

const prm = '/.well-known/oauth-protected-resource';

function credentialsFor(world: World, url: string, more: Partial<OAuthCredentialsOptions> = {}) {
  const server = scriptAuthorizationServer(world);
  const { redirect } = server;
  return { server, credentials: createOAuthCredentials({ serverUrl: url, redirect, fetch: world.fetch, ...more }) };
}

describe('the metadata of the MCP server', () => {
  it.each(['\\@victim.test', '\\.victim.test', '/\t', '/mcp/../mcp', '/%zz', '?', ' ', '/mcp{}', '/m\u0107p'])(
    '[AUTHCL-08] is refused where a reader of URIs could take its resource, with "%s" at the end, for another one',
    async (end) => {
      const world = createWorld();
      const url = `https://mcp.kiln.test${end.startsWith('\\') ? end.replace('\\', '/') : ''}/mcp`;
      const mcp = guard(world, wantsToken, { url, metadata: { resource: `https://mcp.kiln.test${end}` } });
      const { credentials, server } = credentialsFor(world, mcp.url);
      expect((await failure(mcp.call(credentials))).code).toBe('authorization');
      expect(server.authorizations).toEqual([]);
    },
  );

  it.each([
    ['a status', 404],
    ['401', 401],
    ['500', 500],
    ['a page', new Response('<html>', { status: 200 })],
  ] as const)(
    '[AUTHDI-01] [AUTHCL-01] [auth-04] is looked for at the path, and at the root where that answers %s',
    async (_, answer) => {
      const world = createWorld();
      const mcp = guard(world, wantsToken, { metadata: null });
      world.route(`https://mcp.kiln.test${prm}/mcp`, answer);
      world.route(`https://mcp.kiln.test${prm}`, {
        resource: mcp.url,
        authorization_servers: ['https://as.kiln.test'],
      });
      const { credentials, server } = credentialsFor(world, mcp.url);
      expect(await mcp.call(credentials)).toBe(200);
      expect(world.urls().slice(0, 2)).toEqual([`https://mcp.kiln.test${prm}/mcp`, `https://mcp.kiln.test${prm}`]);
      expect(server.authorizations).toHaveLength(1);
    },
  );

  it.each([
    'https://other.test/mcp',
    'https://mcp.kiln.test/other',
    'https://mcp.kiln.test/mc',
    'https://mcp.kiln.test/mcp?tenant=other',
    'https://mcp.kiln.test/mcp#part',
    'https://somebody@mcp.kiln.test/mcp',
    'http://mcp.kiln.test/mcp',
    7,
  ])('[AUTHCL-08] [auth-04] is refused, and nobody is asked, when it is for %s', async (resource) => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { metadata: { resource } });
    const { credentials, server } = credentialsFor(world, mcp.url);
    const error = await failure(mcp.call(credentials));
    expect(error.code).toBe('authorization');
    expect(error.message).toContain('https://mcp.kiln.test/mcp');
    expect([server.authorizations, server.tokenRequests, server.registrations]).toEqual([[], [], []]);
    // Nor is the root looked at, which could be for something else again.
    expect(world.urls()).toEqual([`https://mcp.kiln.test${prm}/mcp`]);
  });

  it.each(['https://other.test/mcp', 'https://mcp.kiln.test/other'])(
    '[AUTHCL-08] [auth-04] is refused at the root, too, when it is for %s',
    async (resource) => {
      const world = createWorld();
      const mcp = guard(world, wantsToken, { metadata: null });
      world.route(`https://mcp.kiln.test${prm}`, { resource, authorization_servers: ['https://as.kiln.test'] });
      const { credentials, server } = credentialsFor(world, mcp.url);
      const error = await failure(mcp.call(credentials));
      expect(error).toMatchObject({ code: 'authorization', message: expect.stringContaining(resource) });
      expect([server.authorizations, server.tokenRequests, server.registrations]).toEqual([[], [], []]);
      expect(world.urls()).toEqual([`https://mcp.kiln.test${prm}/mcp`, `https://mcp.kiln.test${prm}`]);
    },
  );

  it.each([
    ['https://mcp.kiln.test', 'https://mcp.kiln.test', 'https://mcp.kiln.test'],
    ['https://MCP.kiln.test:443', 'https://mcp.kiln.test', 'https://mcp.kiln.test'],
    ['https://mcp.kiln.test/', 'https://mcp.kiln.test/', 'https://mcp.kiln.test/'],
    ['https://mcp.kiln.test/x/', 'https://mcp.kiln.test/x/', 'https://mcp.kiln.test/x/'],
    ['https://mcp.kiln.test/x/', 'https://mcp.kiln.test/x', 'https://mcp.kiln.test/x'],
    ['https://mcp.kiln.test/mcp', 'https://mcp.kiln.test', 'https://mcp.kiln.test'],
    ['https://mcp.kiln.test/mcp', 'https://MCP.kiln.test/mcp', 'https://MCP.kiln.test/mcp'],
    ['https://mcp.kiln.test', null, 'https://mcp.kiln.test'],
    ['https://MCP.kiln.test:443/a?key=1', null, 'https://mcp.kiln.test/a'],
  ])(
    '[AUTHCL-05] [AUTHCL-06] [AUTHCL-07] [AUTHRS-23] [auth-06] of %s gives the resource %s, sent as it is in all requests',
    async (url, published, expected) => {
      const world = createWorld();
      const mcp = guard(world, (token) => (token === '' || token.includes('-1-of-') ? { status: 401 } : undefined), {
        url,
        metadata: null,
      });
      const { origin, pathname } = new URL(url);
      if (published !== null) {
        const metadata = { resource: published, authorization_servers: ['https://as.kiln.test'] };
        world.route(origin + prm + (pathname === '/' ? '' : pathname.replace(/\/$/, '')), metadata);
      }
      const issuer = published === null ? origin : 'https://as.kiln.test';
      const server = scriptAuthorizationServer(world, { issuer });
      const credentials = createOAuthCredentials({ serverUrl: url, redirect: server.redirect, fetch: world.fetch });
      // Signs in; the next refusal, of another request, makes it refresh.
      await mcp.call(credentials).catch(() => undefined);
      await mcp.call(credentials);
      const sent = [...server.authorizations, ...server.tokenRequests];
      expect(sent.map((parameters) => parameters.get('resource'))).toEqual(sent.map(() => expected));
      expect(server.tokenRequests.map((form) => form.get('grant_type'))).toContain('refresh_token');
    },
  );

  it.each([
    ['/mcp/', ['/mcp/', '/mcp', '']],
    ['/mcp?tenant=7', ['/mcp?tenant=7', '/mcp', '']],
    ['/mcp', ['/mcp', '']],
    ['/', ['']],
  ])('of %s is looked for at its own place first: %j', async (path, places) => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { url: `https://mcp.kiln.test${path}`, metadata: null });
    const { redirect } = scriptAuthorizationServer(world, { issuer: 'https://mcp.kiln.test' });
    await mcp.call(createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch }));
    const asked = world.asked.map(({ url }) => url).filter((url) => url.includes(prm));
    expect(asked).toEqual(places.map((place) => `https://mcp.kiln.test${prm}${place}`));
  });

  it('[AUTHCL-07] [auth-07] of the challenge is used, and that of the root never asked for', async () => {
    const world = createWorld();
    const named = `https://mcp.kiln.test${prm}/mcp`;
    const challenge = `Bearer resource_metadata="${named}"`;
    const mcp = guard(world, (token) => (token === '' ? { status: 401, challenge } : undefined));
    world.route(`https://mcp.kiln.test${prm}`, {
      resource: 'https://mcp.kiln.test',
      authorization_servers: ['https://as-other.test'],
    });
    const { credentials, server } = credentialsFor(world, mcp.url);
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations[0]?.get('resource')).toBe('https://mcp.kiln.test/mcp');
    expect(world.urls().filter((url) => url.includes('as-other') || url === `https://mcp.kiln.test${prm}`)).toEqual([]);
  });

  it.each([
    'http://mcp.kiln.test/prm',
    'https://127.0.0.1/prm',
    'https://localhost/prm',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.7/prm',
    'https://[::1]/prm',
    'https://[fd00::1]/prm',
    'file:///etc/passwd',
    'https://user:secret-of-somebody@mcp.kiln.test/prm',
    'not a url',
  ])('is not fetched from %s, which a public server may not name', async (url) => {
    const world = createWorld();
    const challenge = `Bearer resource_metadata="${url}"`;
    const mcp = guard(world, (token) => (token === '' ? { status: 401, challenge } : undefined));
    world.route(url, { resource: mcp.url, authorization_servers: ['https://evil.test'] });
    const { credentials } = credentialsFor(world, mcp.url);
    // The well-known place is as good.
    expect(await mcp.call(credentials)).toBe(200);
    expect(world.urls()).not.toContain(url);
  });

  it('is asked for without credentials, and redirects do not leave the origin', async () => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { metadata: null });
    const to = (location: string) => new Response(null, { status: 302, headers: { location } });
    world.route(`https://mcp.kiln.test${prm}/mcp`, to('https://evil.test/prm'));
    world.route('https://evil.test/prm', { resource: mcp.url, authorization_servers: ['https://evil.test'] });
    world.route(`https://mcp.kiln.test${prm}`, to('/moved'));
    world.route('https://mcp.kiln.test/moved', { resource: mcp.url, authorization_servers: ['https://as.kiln.test'] });
    const { credentials } = credentialsFor(world, mcp.url);
    expect(await mcp.call(credentials)).toBe(200);
    expect(world.urls()).not.toContain('https://evil.test/prm');
    const gets = world.asked.filter(({ method }) => method === 'GET');
    expect(gets.filter(({ headers }) => 'authorization' in headers)).toEqual([]);
  });

  it('is given up when it is larger than 256 KiB', async () => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { metadata: null });
    const document = { resource: mcp.url, authorization_servers: ['https://as.kiln.test'] };
    world.route(`https://mcp.kiln.test${prm}/mcp`, () => new Response(JSON.stringify(document) + ' '.repeat(300_000)));
    world.route(`https://mcp.kiln.test${prm}`, document);
    const { credentials } = credentialsFor(world, mcp.url);
    expect(await mcp.call(credentials)).toBe(200);
    expect(world.urls()).toContain(`https://mcp.kiln.test${prm}`);
  });
});

describe('the metadata of the authorization server', () => {
  it.each([503, 429, 'nothing'] as const)(
    'is not guessed while that of the MCP server is out of reach: %s',
    async (answer) => {
      const world = createWorld();
      const mcp = guard(world, wantsToken, { metadata: null });
      const server = scriptAuthorizationServer(world, { issuer: 'https://mcp.kiln.test' });
      world.route(`https://mcp.kiln.test${prm}/mcp`, () => {
        if (answer === 'nothing') throw new TypeError('fetch failed', { cause: new Error('refused') });
        return answer;
      });
      const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect: server.redirect, fetch: world.fetch });
      expect((await failure(mcp.call(credentials))).message).toContain('cannot be had now');
      expect(server.authorizations).toEqual([]);
    },
  );

  it.each([
    [
      'https://as.kiln.test/t/nine',
      [
        '/.well-known/oauth-authorization-server/t/nine',
        '/.well-known/openid-configuration/t/nine',
        '/t/nine/.well-known/openid-configuration',
      ],
    ],
    ['https://as.kiln.test', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
  ])(
    '[AUTHDI-02] [AUTHDI-03] [auth-05] of %s is looked for in the order of the specification',
    async (issuer, order) => {
      for (const last of order) {
        const world = createWorld();
        const mcp = guard(world, wantsToken, { metadata: { authorization_servers: [issuer] } });
        const server = scriptAuthorizationServer(world, { issuer });
        const metadata = (await (
          (await world.fetch(`https://as.kiln.test${order[0]}`, {
            method: 'GET',
            headers: {},
            signal: new AbortController().signal,
            redirect: 'manual',
          })) as Response
        ).json()) as Record<string, unknown>;
        for (const place of order) world.route(`https://as.kiln.test${place}`, place === last ? metadata : 404);
        world.asked.length = 0;
        const credentials = createOAuthCredentials({
          serverUrl: mcp.url,
          redirect: server.redirect,
          fetch: world.fetch,
        });
        expect(await mcp.call(credentials)).toBe(200);
        const tried = world.urls().filter((url) => url.includes('as.kiln.test') && url.includes('.well-known'));
        expect(tried).toEqual(order.slice(0, order.indexOf(last) + 1).map((place) => `https://as.kiln.test${place}`));
      }
    },
  );

  it.each([
    ['https://as.kiln.test', 'https://as.kiln.test/', 'slash'],
    ['https://as.kiln.test/', 'https://as.kiln.test', 'slash'],
    ['https://as.kiln.test', 'https://AS.kiln.test', 'identical'],
    ['https://evil.test', 'https://as.kiln.test', 'identical'],
    ['https://as.kiln.test', null, 'identical'],
  ])('[AUTHDI-04] [auth-12] of %s is not used when it says it is %s', async (advertised, issuer, hint) => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { metadata: { authorization_servers: [advertised] } });
    const server = scriptAuthorizationServer(world, { issuer: advertised, metadata: { issuer } });
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect: server.redirect, fetch: world.fetch });
    const error = await failure(mcp.call(credentials));
    expect(error.message).toContain(`"${advertised}"`);
    expect(error.message).toContain(issuer === null ? 'none' : `"${issuer}"`);
    expect(error.message).toContain(hint);
    expect([server.authorizations, server.tokenRequests, server.registrations]).toEqual([[], [], []]);
  });

  it.each(['http://as.kiln.test/token', 'https://127.0.0.1/token', 'javascript:alert(1)'])(
    'is refused with the endpoint %s',
    async (endpoint) => {
      for (const name of ['token_endpoint', 'authorization_endpoint', 'registration_endpoint']) {
        const world = createWorld();
        const mcp = guard(world, wantsToken);
        const server = scriptAuthorizationServer(world, { metadata: { [name]: endpoint } });
        const credentials = createOAuthCredentials({
          serverUrl: mcp.url,
          redirect: server.redirect,
          fetch: world.fetch,
        });
        expect((await failure(mcp.call(credentials))).message).toContain(name);
        expect(server.authorizations).toEqual([]);
      }
    },
  );

  it('comes from the next of several authorization servers where the first has none', async () => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, {
      metadata: { authorization_servers: ['https://gone.test', 'https://as.kiln.test'] },
    });
    const { credentials, server } = credentialsFor(world, mcp.url);
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(1);
  });

  it('comes from the authorization server that the configured client belongs to', async () => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, {
      metadata: { authorization_servers: ['https://first.test', 'https://as.kiln.test'] },
    });
    scriptAuthorizationServer(world, { issuer: 'https://first.test' });
    const { credentials, server } = credentialsFor(world, mcp.url, {
      client: { clientId: 'pre-1', issuer: 'https://as.kiln.test' },
    });
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations[0]?.get('client_id')).toBe('pre-1');
  });
});

describe('a server of revision 2025-03-26, which publishes nothing', () => {
  it('[LEGC-16] is its own authorization server, by the metadata at its origin', async () => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { metadata: null });
    const metadata = { authorization_endpoint: 'https://mcp.kiln.test/oauth/authorize' };
    const server = scriptAuthorizationServer(world, { issuer: 'https://mcp.kiln.test', metadata });
    const opened: string[] = [];
    const redirect = {
      uri: server.redirect.uri,
      authorize(url: URL, options: { readonly signal: AbortSignal; readonly state: string }) {
        opened.push(url.origin + url.pathname);
        return server.redirect.authorize(url, options);
      },
    };
    expect(await mcp.call(createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch }))).toBe(200);
    expect(opened).toEqual(['https://mcp.kiln.test/oauth/authorize']);
  });

  it('[LEGC-16] has the default endpoints where it has no metadata', async () => {
    const world = createWorld();
    const mcp = guard(world, wantsToken, { metadata: null });
    const server = scriptAuthorizationServer(world, { issuer: 'https://mcp.kiln.test' });
    world.route('https://mcp.kiln.test/.well-known/oauth-authorization-server', 404);
    const { redirect } = server;
    expect(await mcp.call(createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch }))).toBe(200);
    expect(server.authorizations[0]?.get('code_challenge_method')).toBe('S256');
    expect(server.registrations).toHaveLength(1);
    expect(server.tokenRequests[0]?.get('resource')).toBe('https://mcp.kiln.test/mcp');
  });
});
