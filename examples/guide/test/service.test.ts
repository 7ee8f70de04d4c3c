import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, silentLogger } from '@switchyard/server';
import { bearerJwt, protectedResource } from '@switchyard/server/authorization';
import { serveHttp } from '@switchyard/server/node';
import { decodeJwt, exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { expect, it, onTestFinished, vi } from 'vitest';
import { reachAsWorkload, reachWithKey } from '../src/service.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** An authorization server that knows the key of `nightly-report`, and an MCP server that takes its tokens. */
async function openReports() {
  let serve: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const http = createHttpServer((request, response) => void serve(request, response));
  const probe = createNetServer();
  for (const each of [http, probe]) await once(each.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void http.close());
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => void probe.close(resolve));
  const url = `http://127.0.0.1:${port}/mcp`;
  const own = await generateKeyPair('ES256', { extractable: true });
  const client = await generateKeyPair('ES256', { extractable: true });
  const info = {
    audience: url,
    scope: '',
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'ES256' as const } },
  };
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'nightly-report',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(client.publicKey)), use: 'sig', alg: 'ES256' }] },
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(own.privateKey)), use: 'sig', alg: 'ES256' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ttl: { ClientCredentials: 60 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, defaultResource: () => url, getResourceServerInfo: () => info },
    },
  });
  // It wants a client for each request; a workload has none, and its platform vouches for it.
  const workloads: string[] = [];
  provider.use(async (ctx, next) => {
    const body = new URLSearchParams(ctx.path === '/token' ? await textOf(ctx.req) : '');
    if (body.get('grant_type') !== JWT_BEARER) {
      Object.assign(ctx.req, { body: Object.fromEntries(body) });
      await next();
      return;
    }
    workloads.push(decodeJwt(body.get('assertion') ?? '').sub ?? '');
    const token = new provider.ClientCredentials({ client: await provider.Client.find('nightly-report') } as never);
    token.resourceServer = new provider.ResourceServer(url, info);
    ctx.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: 60 };
  });
  serve = provider.callback();
  const resource = protectedResource({ resource: url, authorizationServers: [issuer] });
  const server = createServer({ name: 'reports', version: '1.0.0' }, { logger: silentLogger });
  server.tool('who', {}, (_, { principal }) => principal?.clientId ?? 'nobody');
  const running = await serveHttp(server, { port, protectedResource: resource, authenticate: bearerJwt(resource) });
  onTestFinished(() => running.close({ graceMs: 0 }));
  warn.mockRestore();
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-service-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const keyFile = join(folder, 'key.pem');
  await writeFile(keyFile, await exportPKCS8(client.privateKey));
  return { url, issuer, folder, keyFile, workloads };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}

it('reaches a server as a service with a key of its own, and keeps the token in a folder', async () => {
  const { url, issuer, folder, keyFile } = await openReports();
  const client = await reachWithKey(url, issuer, keyFile, join(folder, 'tokens'));
  onTestFinished(() => client.close());
  expect((await client.callTool('who')).content).toEqual([{ type: 'text', text: 'nightly-report' }]);
  // The token, and of which login it is.
  expect((await readdir(join(folder, 'tokens'))).filter((name) => name.endsWith('.token')).length).toBe(2);
});

it('reaches a server as a workload with the token of its platform', async () => {
  const { url, issuer, folder, workloads } = await openReports();
  const tokenFile = join(folder, 'token');
  const claims = Buffer.from(JSON.stringify({ sub: 'system:serviceaccount:reports:nightly' })).toString('base64url');
  await writeFile(tokenFile, `eyJhbGciOiJub25lIn0.${claims}.c2ln\n`);
  const client = await reachAsWorkload(url, issuer, tokenFile);
  onTestFinished(() => client.close());
  expect((await client.callTool('who')).content).toEqual([{ type: 'text', text: 'nightly-report' }]);
  expect(workloads).toEqual(['system:serviceaccount:reports:nightly']);
});
