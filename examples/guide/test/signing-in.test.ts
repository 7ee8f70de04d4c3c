import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, silentLogger } from '@switchyard/server';
import { protectedResource } from '@switchyard/server/authorization';
import { serveHttp } from '@switchyard/server/node';
import { expect, it, onTestFinished } from 'vitest';
import { listTools } from '../src/signing-in.ts';

/** An authorization server whose user agrees at once. */
async function openAuthorizationServer() {
  const requests: string[] = [];
  let issuer = '';
  const http = createHttpServer((request, response) => {
    const url = new URL(request.url ?? '', issuer);
    requests.push(url.pathname);
    answer(url, request, response);
  });
  function answer(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const send = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    request.resume();
    if (url.pathname === '/register') send({ client_id: 'lister' }, 201);
    else if (url.pathname === '/token') send({ access_token: 'token-of-mira', token_type: 'Bearer', expires_in: 600 });
    else if (url.pathname === '/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '', iss: issuer }));
      response.writeHead(302, { location: back.href });
      response.end();
    } else if (url.pathname === '/.well-known/oauth-authorization-server') {
      const endpoints = ['authorization', 'token', 'registration'].map((name, index) => [
        `${name}_endpoint`,
        `${issuer}/${['authorize', 'token', 'register'][index] ?? ''}`,
      ]);
      send({ issuer, ...Object.fromEntries(endpoints), code_challenge_methods_supported: ['S256'] });
    } else send({}, 404);
  }
  await once(http.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { issuer, requests };
}

async function freePort(): Promise<number> {
  const probe = createNetServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => void probe.close(resolve));
  return port;
}

it('opens a browser once, and finds the token the next time', async () => {
  const { issuer, requests } = await openAuthorizationServer();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = createServer({ name: 'notes', version: '1.0.0' }, { logger: silentLogger });
  server.tool('read_note', {}, () => 'milk');
  const running = await serveHttp(server, {
    port,
    protectedResource: protectedResource({ resource: url, authorizationServers: [issuer] }),
    authenticate: (head) => (head.header('authorization') === 'Bearer token-of-mira' ? { subject: 'mira' } : undefined),
  });
  onTestFinished(() => running.close({ graceMs: 0 }));
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-signing-in-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));

  const openBrowser = async (opened: URL): Promise<void> => void (await fetch(opened));
  expect(await listTools(url, folder, { openBrowser })).toEqual(['read_note']);
  expect(await listTools(url, folder, { openBrowser })).toEqual(['read_note']);
  expect(requests.filter((path) => path === '/authorize')).toHaveLength(1);
});
