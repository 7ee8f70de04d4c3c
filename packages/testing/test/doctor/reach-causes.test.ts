import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { describe, it } from 'vitest';
import { canMakeCertificates, makeAuthority } from '../../../client/test/http/certificates.ts';
import { listening } from './bad-proxy.ts';
import { openBadServer } from './bad-server.ts';
import { expectCause } from './expect-cause.ts';
import { openClinic } from './real-server.ts';

describe('the cause where a server is not reached', () => {
  it('is told of a host that nobody knows', async () => {
    const url = 'http://no-such-host.invalid/mcp';
    await expectCause(
      url,
      {},
      { step: 'reach', saw: /name of the host is not known/, evidence: /ENOTFOUND|EAI_AGAIN/, fix: /Correct the host/ },
    );
  });

  it('is told of a port where nothing listens', async () => {
    const closing = createSocketServer();
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const { port } = closing.address() as AddressInfo;
    await new Promise((resolve) => closing.close(resolve));
    await expectCause(
      `http://127.0.0.1:${port}/mcp`,
      {},
      { step: 'reach', saw: /Nothing listens there/, evidence: /ECONNREFUSED/, fix: /Start the server/ },
    );
  });

  it('is told of a unix socket that is not there', async () => {
    await expectCause(
      'unix:///no/such/server.sock#/mcp',
      {},
      { step: 'reach', saw: /no socket at that path/, evidence: /ENOENT/, fix: /Correct the path/ },
    );
  });

  it('is told of a connection that breaks', async () => {
    const url = await openBadServer((_request, { response }) => void response.destroy());
    await expectCause(
      url,
      {},
      {
        step: 'reach',
        saw: /broke before an answer came/,
        evidence: /other side closed|ECONNRESET|socket hang up/,
        fix: /its own log/,
      },
    );
  });

  it('is told of a path that is another one, and which answers', async () => {
    const url = new URL(await openClinic());
    const expected = {
      step: 'endpoint',
      saw: /nothing at \/api\/tools/,
      evidence: /^HTTP 404$/,
      fix: new RegExp(`^Use the path that answers: ${url.href}$`),
    };
    await expectCause(`${url.origin}/api/tools`, {}, expected);
  });

  it('is told of a path that takes no POST, where none answers', async () => {
    const url = await listening(createServer((_request, response) => response.writeHead(405, { allow: 'GET' }).end()));
    await expectCause(
      `${url}/mcp`,
      {},
      { step: 'endpoint', saw: /\/mcp takes no POST/, evidence: /^allow: GET$/, fix: /Correct the path/ },
    );
  });

  it('is told of a server that speaks no TLS', async () => {
    const url = (await openClinic()).replace('http:', 'https:');
    await expectCause(
      url,
      {},
      {
        step: 'reach',
        saw: /does not speak TLS on this port/,
        evidence: /ERR_SSL_/,
        fix: /http:\/\/ in place of https:\/\//,
      },
    );
  });

  describe.runIf(canMakeCertificates)('with TLS', () => {
    async function openTls(): Promise<URL> {
      const { server } = makeAuthority();
      const tls = createTlsServer({ cert: server.cert, key: server.key }, (_request, response) => response.end('{}'));
      return new URL(await listening(tls, 'https'));
    }

    it('is told of a certificate that nobody trusts', async () => {
      const { href } = await openTls();
      await expectCause(
        `${href}mcp`,
        {},
        {
          step: 'reach',
          saw: /nobody whom this machine trusts/,
          evidence: /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/,
          fix: /NODE_EXTRA_CA_CERTS/,
        },
      );
    });

    it('is told of a port that speaks TLS and is asked without', async () => {
      const { host } = await openTls();
      await expectCause(
        `http://${host}/mcp`,
        {},
        {
          step: 'reach',
          saw: /speaks TLS, and it was asked without/,
          evidence: /./,
          fix: new RegExp(`https://${host}/mcp$`),
        },
      );
    });
  });

  it('is told of a proxy on the way out that makes no connection', async () => {
    const proxy = createServer();
    proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    const env = { HTTPS_PROXY: await listening(proxy) };
    await expectCause(
      'https://mcp.example.com/mcp',
      { env },
      { step: 'reach', saw: /proxy on the way out made no connection/, evidence: /407/, fix: /HTTPS_PROXY/ },
    );
  });
});
