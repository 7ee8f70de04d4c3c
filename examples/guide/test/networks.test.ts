import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { afterEach, expect, it } from 'vitest';
import { pay, reachDepot, reachWithToken } from '../src/networks.ts';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A modern server for whoever has the token; it takes the money of order 1, and hangs up on the others. */
const serve: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.headers.authorization !== 'Bearer t') return response.writeHead(401).end();
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      readonly id: number;
      readonly params: { readonly arguments?: { readonly order: string } };
    };
    if (params.arguments !== undefined && params.arguments.order !== '1') return response.destroy();
    const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
    const result = { resultType: 'complete', ...about, content: [{ type: 'text', text: 'thanks' }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
};

async function start(): Promise<string> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  endings.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

it('reaches a server with the token that a program prints, and does not take a lost answer for a refusal', async () => {
  const code = 'console.log(JSON.stringify({ authorization: "Bearer t" }))';
  const client = await reachWithToken(await start(), process.execPath, ['-e', code]);
  endings.push(() => client.close());
  expect(await pay(client, '1')).toBe('paid');
  expect(await pay(client, '2')).toBe('look whether it was paid');
  await client.close();
  expect(await pay(client, '3')).toBe('not paid: closed');
});

it('reads the certificates before it reaches out', async () => {
  await expect(reachDepot('https://127.0.0.1:1/mcp', '/nowhere')).rejects.toMatchObject({ code: 'ENOENT' });
});
