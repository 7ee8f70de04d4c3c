import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';

const endings: (() => void)[] = [];

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** A proxy that refuses everything with 418, by which it is known. */
async function startProxy(): Promise<string> {
  const proxy = createServer((_request, response) => void response.writeHead(418).end());
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  endings.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const BROKEN = 'socks5h://mira:hunter22@proxy.invalid:1080';

describe('a variable that names no proxy that can be used', () => {
  it.each([
    ['http://127.0.0.1:1/mcp', { HTTP_PROXY: BROKEN, HTTPS_PROXY: BROKEN }],
    ['http://depot.invalid/mcp', { HTTPS_PROXY: BROKEN }],
    ['http://depot.invalid/mcp', { HTTP_PROXY: BROKEN, NO_PROXY: '*' }],
    ['http://depot.invalid/mcp', { HTTP_PROXY: BROKEN, NO_PROXY: 'depot.invalid' }],
    ['http://depot.invalid/mcp', { HTTP_PROXY: BROKEN, REQUEST_METHOD: 'GET' }],
    ['http://depot.invalid/mcp', { HTTP_PROXY: BROKEN, http_proxy: ' ' }],
    ['https://depot.invalid/mcp', { HTTP_PROXY: BROKEN }],
  ])('says nothing of %s with %o, which does not go through it', async (url, baseEnv) => {
    expect((await failure(connect(url, { name: 'depot', baseEnv }))).code).toBe('connect-failed');
  });

  it.each(['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'])('is told of by its name: %s', async (name) => {
    const url = `${name.toLowerCase().split('_')[0]}://depot.invalid/mcp`;
    const error = await failure(connect(url, { name: 'depot', baseEnv: { [name]: BROKEN } }));
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot', mayHaveRun: false });
    expect(error.message).toContain(`${name} is no URL of a proxy that can be used (http:, https:, socks5:, socks:)`);
    expect(error.message).not.toContain('hunter22');
  });
});

it.each(['socks5://', 'ftp://proxy.invalid', '://', 'http://proxy.invalid:99999', ''])(
  'the option proxy that is %j is refused, which names what is taken',
  async (proxy) => {
    const error = await failure(connect('http://127.0.0.1:1/mcp', { name: 'depot', proxy }));
    expect(error.code).toBe('invalid-argument');
    expect(error.message).toContain(
      'the option proxy is no URL of a proxy that can be used (http:, https:, socks5:, socks:)',
    );
  },
);

it.each<[string, (host: string) => string]>([
  ['blanks around it', (host) => `  http://${host}\t\n`],
  ['a path, a query and a fragment', (host) => `http://${host}/some/path?a=b#c`],
  ['no scheme, and a path', (host) => `${host}/`],
])('a proxy is taken with %s', async (_what, form) => {
  const proxy = form(await startProxy());
  for (const options of [{ baseEnv: { HTTP_PROXY: proxy } }, { proxy }]) {
    const error = await failure(connect('http://depot.invalid/mcp', { name: 'depot', ...options }));
    expect(error).toMatchObject({ status: 418 });
  }
});
