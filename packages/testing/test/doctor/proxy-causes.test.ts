import { describe, it } from 'vitest';
import { legacyClients } from '@switchyard/server';
import { openBadProxy } from './bad-proxy.ts';
import { type Answer, answering, openBadServer } from './bad-server.ts';
import { expectCause } from './expect-cause.ts';
import { openClinic, tokenNeeded } from './real-server.ts';

const weigh = { tool: { name: 'weigh', arguments: { who: 'mira' } } };

describe('the cause that is a proxy before a real server', () => {
  it('is told where it holds event streams back', async () => {
    const url = await openBadProxy(await openClinic(), { buffers: true });
    await expectCause(
      url,
      {},
      {
        step: 'streaming',
        saw: /holds events back until the stream ends/,
        evidence: /^the stream gave not even headers within \d+ ms$/,
        fix: /proxy_buffering off/,
      },
    );
  });

  it('is told where it holds back the progress of a call, where the server has no other stream', async () => {
    const url = await openBadProxy(await openBadServer(reporting), { buffers: true });
    await expectCause(
      url,
      { tool: { name: 'look', arguments: {} } },
      {
        step: 'progress',
        saw: /all reports of progress came with the result/,
        evidence: /^2 reports, the first after \d+ ms$/,
        fix: /proxy_buffering off/,
      },
    );
  });

  it('is told where it drops Mcp-Method', async () => {
    const url = await openBadProxy(await openClinic(), { drops: /^mcp-method$/ });
    await expectCause(
      url,
      {},
      {
        step: 'headers',
        saw: /drops or changes a header/,
        evidence: /^HTTP 400, error -32020: .*Mcp-Method/i,
        fix: /pass Mcp-Method/,
      },
    );
  });

  it('is told where it drops the version header', async () => {
    const url = await openBadProxy(await openClinic(), { drops: /^mcp-protocol-version$/ });
    await expectCause(
      url,
      {},
      {
        step: 'headers',
        saw: /drops or changes a header/,
        evidence: /-32020: .*MCP-Protocol-Version/i,
        fix: /MCP-Protocol-Version/,
      },
    );
  });

  it('is told where it drops Mcp-Name, which only a call has', async () => {
    const url = await openBadProxy(await openClinic(), { drops: /^mcp-name$/ });
    await expectCause(url, weigh, {
      step: 'call-headers',
      saw: /Mcp-Name/,
      evidence: /-32020: .*Mcp-Name/i,
      fix: /Mcp-Name/,
    });
  });

  it('is told where it drops an argument that travels as a header', async () => {
    const url = await openBadProxy(await openClinic(), { drops: /^mcp-param-/ });
    const transfer = { tool: { name: 'transfer', arguments: { ward: 'north' } } };
    await expectCause(url, transfer, {
      step: 'call-headers',
      saw: /an Mcp-Param header/,
      evidence: /-32020: .*Mcp-Param-Ward/i,
      fix: /Mcp-Param-\*/,
    });
  });

  it('is told where it drops Authorization', async () => {
    const url = await openBadProxy(await openClinic(tokenNeeded), { drops: /^authorization$/ });
    const target = { url, headers: { authorization: 'Bearer good-token-of-the-clinic' } };
    await expectCause(
      target,
      {},
      {
        step: 'authentication',
        saw: /looks as if the Authorization header does not arrive/,
        evidence: /^www-authenticate: Bearer/,
        fix: /pass Authorization on/,
      },
    );
  });

  it.each([
    ['requests', { drops: /^mcp-session-id$/ }, /drops MCP-Session-Id from requests/, /^ping with it: HTTP 400/],
    [
      'answers',
      { dropsOfAnswers: /^mcp-session-id$/ },
      /drops MCP-Session-Id from answers/,
      /^ping without it: HTTP 400/,
    ],
  ])('is told where it drops the session from %s', async (_from, fault, saw, evidence) => {
    const url = await openBadProxy(await openOld(), fault);
    await expectCause(url, {}, { step: 'session', saw, evidence, fix: /both directions/ });
  });

  it('is told where it cuts idle streams, after how long', async () => {
    const url = await openBadProxy(await openClinic(), { cutsAfterMs: 300 });
    await expectCause(
      url,
      { idleMs: 5_000 },
      {
        step: 'idle',
        saw: /^The idle stream was cut after \d+ ms\.$/,
        evidence: /without a sign of life/,
        fix: /proxy_read_timeout/,
      },
    );
  });

  it('is told where it answers a page by itself, for a stream alone', async () => {
    const url = await openBadProxy(await openClinic(), {
      answers: (_request, response) => {
        response
          .writeHead(503, { 'content-type': 'text/html', server: 'HAProxy' })
          .end('<html><h1>503 Service Unavailable</h1></html>');
        return true;
      },
    });
    await expectCause(
      url,
      {},
      {
        step: 'endpoint',
        saw: /The error page of a proxy/,
        evidence: /^server: HAProxy$/,
        fix: /behind the proxy runs/,
      },
    );
  });
});

/** Reports twice while it works, for longer than any moment lasts. */
const reporting: Answer = (request, http) => {
  if (request.method !== 'tools/call') return answering({})(request, http);
  const meta = request.params['_meta'] as { readonly progressToken: unknown };
  const { response } = http;
  const send = (message: object): void =>
    void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const report = (progress: number): void =>
    send({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress } });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  report(1);
  setTimeout(() => {
    report(2);
    send({ id: request.id, result: { resultType: 'complete', content: [] } });
    response.end();
  }, 600);
  return undefined;
};

/** A server that answers as one of the older revisions does: whoever asks for discovery gets an error. */
async function openOld(): Promise<string> {
  return openBadProxy(await openClinic({ legacy: legacyClients() }), {
    answers: (request, response) => {
      if (request.headers['mcp-method'] !== 'server/discover') return false;
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}');
      return true;
    },
  });
}
