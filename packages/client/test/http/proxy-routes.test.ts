import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A proxy that refuses everything, and notes what it was asked for. */
async function startProxy(status = 502): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status).end();
  });
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  endings.push(
    () =>
      new Promise<void>((resolve) => {
        proxy.closeAllConnections();
        proxy.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

/** Whether a server at `url` is asked for through the proxy; PROXY in the environment stands for its URL. */
async function goesThrough(url: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const proxy = await startProxy();
  const baseEnv = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace('PROXY', proxy.url)]),
  );
  const { code } = await failure(connect(url, { name: 'depot', baseEnv, startTimeoutMs: 1000 }));
  expect(['http-status', 'connect-failed', 'timeout']).toContain(code);
  return proxy.asked.length > 0;
}

describe('a proxy of the environment', () => {
  it.each([
    'http://127.0.0.2:1/mcp',
    'http://127.1:1/mcp',
    'http://0.0.0.0:1/mcp',
    'http://[::ffff:127.0.0.1]:1/mcp',
    'http://[::1]:1/mcp',
    'http://localhost.:1/mcp',
    'http://depot.localhost:1/mcp',
  ])('is not asked for %s, which is this machine', async (url) => {
    expect(await goesThrough(url, { HTTP_PROXY: 'PROXY', HTTPS_PROXY: 'PROXY' })).toBe(false);
  });

  it.each([
    ['http://depot.invalid/mcp', { HTTP_PROXY: 'PROXY' }, true],
    ['https://depot.invalid/mcp', { HTTP_PROXY: 'PROXY' }, false],
    ['https://depot.invalid/mcp', { HTTP_PROXY: 'PROXY', HTTPS_PROXY: '' }, false],
    ['https://depot.invalid/mcp', { HTTPS_PROXY: 'PROXY' }, true],
    ['http://depot.invalid/mcp', { HTTPS_PROXY: 'PROXY' }, false],
    ['http://depot.invalid/mcp', { ALL_PROXY: 'PROXY' }, false],
  ])('gets %s with %o: %s', async (url, env, expected) => {
    expect(await goesThrough(url, env)).toBe(expected);
  });

  it.each([
    ['http://depot.invalid/mcp', 'other.invalid, depot.invalid', false],
    ['http://a.depot.invalid/mcp', 'DEPOT.invalid', false],
    ['http://a.depot.invalid/mcp', '.depot.invalid', false],
    ['http://a.depot.invalid/mcp', '*.depot.invalid', false],
    ['http://adepot.invalid/mcp', 'depot.invalid', true],
    ['http://depot.invalid:81/mcp', 'depot.invalid:81', false],
    ['http://depot.invalid:82/mcp', 'depot.invalid:81', true],
    ['http://depot.invalid/mcp', 'depot.invalid:80', false],
    ['http://depot.invalid/mcp', '*', false],
    ['http://127.9.9.9:1/mcp', 'other.invalid', false],
    ['http://192.0.2.7:1/mcp', '192.0.2.0/25', false],
    ['http://192.0.2.200:1/mcp', '192.0.2.0/25', true],
    ['http://[::ffff:192.0.2.7]:1/mcp', '192.0.2.0/25', false],
    ['http://[2001:db8::7]:1/mcp', '2001:db8::/32', false],
    ['http://[2001:db8::7]:1/mcp', '[2001:db8::7]', false],
    ['http://[2001:db9::7]:1/mcp', '2001:db8::/32', true],
    ['http://192.0.2.7:1/mcp', '192.0.2.0/99', true],
  ])('gets %s with NO_PROXY=%s: %s', async (url, NO_PROXY, expected) => {
    expect(await goesThrough(url, { HTTP_PROXY: 'PROXY', NO_PROXY })).toBe(expected);
  });
});

it.each(['http:', 'https:'])('a proxy that wants to know who calls for %s is named, not the server', async (scheme) => {
  const proxy = await startProxy(407);
  const error = await failure(connect(`${scheme}//depot.invalid/mcp`, { name: 'depot', proxy: proxy.url }));
  expect(error.message).toContain('407');
  expect(error.message).toContain('URL of the proxy');
  expect(error.mayHaveRun).toBe(false);
});
