import { type Logger, ProtocolError } from '@switchyard/protocol';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { openTestHost } from './open-test-host.ts';

describe('a credential that a server is given', () => {
  it.each([
    ['a header', '', { 'X-Key': 'plumage orbit' }, 'x-key', 'plumage orbit'],
    ['a header with a scheme', '', { Authorization: 'Own plumage.orbit' }, 'authorization', 'plumage.orbit'],
    ['the query of its URL, escaped', '/?k=plumage%2Forbit%21', {}, ':path', 'plumage%2Forbit%21'],
    ['the query of its URL', '/?k=plumage-orbit', {}, ':path', 'plumage-orbit'],
  ])('by %s stands in no error and no line of the log, though the server says it back', async (...row) => {
    const [, path, headers, where, secret] = row;
    const script = createScriptedServer({ tools: [toolDefinition('pay')] });
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const message = await text(request);
      const said = where === ':path' ? request.url : String(request.headers[where]);
      if (request.headers['mcp-method'] === 'tools/call') {
        response.writeHead(400).end(`I do not know ${said}`);
        return;
      }
      const signal = new AbortController().signal;
      response.setHeader('content-type', 'application/json');
      response.end(await script.respond(message, { signal, send: () => undefined }));
    };
    const http = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`;
    const lines: string[] = [];
    const write: Logger['info'] = (fields, message) => void lines.push(`${inspect(fields, { depth: 9 })} ${message}`);
    const host = await openTestHost(
      {},
      { mcpServers: { shop: { url, headers } } },
      { logger: { info: write, warn: write, error: write } },
    );
    const outcome = await host
      .as('reader')
      .invoke({ method: 'tools/call', params: { name: 'shop__pay', arguments: {} } });
    expect(outcome).toMatchObject({
      verdict: { details: { cause: expect.stringMatching(/I do not know .*\[redacted\]/) as string } },
    });
    expect(JSON.stringify([outcome, host.servers()])).not.toContain(secret);
    expect(lines.join('\n')).not.toContain(secret);
    await host.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  it('stands in no error that the server answers with, neither in its message nor in its data', async () => {
    const secret = 'plumage "orbit"';
    const script = createScriptedServer({ tools: [toolDefinition('pay')] });
    const http = createServer((request, response) => {
      const said = String(request.headers['x-key']);
      script.script.answer = (method) => {
        if (method !== 'tools/call') return undefined;
        throw new ProtocolError(-32000, `no entry for ${said}`, { data: { asked: [{ key: said }, 'kept'] } });
      };
      const signal = new AbortController().signal;
      response.setHeader('content-type', 'application/json');
      void text(request)
        .then((message) => script.respond(message, { signal, send: () => undefined }))
        .then((answer) => response.end(answer));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
    const host = await openTestHost({}, { mcpServers: { shop: { url, headers: { 'X-Key': secret } } } });
    const outcome = await host.as('reader').invoke({ method: 'tools/call', params: { name: 'shop__pay' } });
    expect(outcome).toMatchObject({
      verdict: {
        message: expect.stringContaining('no entry for [redacted]') as string,
        upstream: { message: 'no entry for [redacted]', data: { asked: [{ key: '[redacted]' }, 'kept'] } },
      },
    });
    await host.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  it.each([
    [
      'in an answer that is not understood',
      'process.stdin.once("data", () => console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, result: process.env.SHOP_TOKEN })))',
      'MCP server',
    ],
    [
      'on stderr as it ends',
      'console.error("no entry for " + process.env.SHOP_TOKEN); process.exit(1)',
      'no entry for [redacted]',
    ],
    [
      'on stderr after more lines than are kept',
      'console.error(process.env.SHOP_TOKEN + "\\n".repeat(5) + "x\\n".repeat(19) + "end"); process.exit(1)',
      'end',
    ],
  ])(
    'by a variable whose name says so stands in no message and no line of the log, though it is said back %s',
    async (_, script, told) => {
      const env = { SHOP_TOKEN: 'plumage-orbit', SHOP_MODE: 'plumage-test' };
      const lines: string[] = [];
      const write: Logger['info'] = (fields, message) => void lines.push(`${inspect(fields, { depth: 9 })} ${message}`);
      const host = await openTestHost(
        {},
        {
          mcpServers: { shop: { command: process.execPath, args: ['-e', script], env } },
          limits: { startTimeoutMs: 5000 },
        },
        { env: process.env, cwd: process.cwd(), logger: { info: write, warn: write, error: write } },
      );
      const { unavailable } = await host.as('reader').tools();
      expect(unavailable).toHaveLength(1);
      const outcome = await host.as('reader').invoke({ method: 'tools/call', params: { name: 'shop__pay' } });
      const shown = JSON.stringify([unavailable, host.servers(), outcome, lines]);
      expect(shown).toContain(told);
      expect(shown).not.toContain('plumage-orbit');
      await host.close();
    },
  );

  it.each([
    ['whole', 'key'],
    ['line by line, each behind a time', 'key.split("\\n").map((line) => "12:00:01 " + line).join("\\n")'],
    ['on one line', 'key.replaceAll("\\n", " ")'],
    ['in JSON', 'JSON.stringify({ key })'],
    ['behind a long line', '"x".repeat(16360) + key.replaceAll("\\n", "") + "\\n" + key'],
    ['before and after many lines', 'key + "\\nx".repeat(15) + "\\n" + key'],
  ])('as a private key shows none of its lines, though the server writes it to stderr %s', async (_how, expression) => {
    const body = Array.from({ length: 24 }, (_, at) => `${String(at).padStart(4, 'L')}${'MIIEow'.repeat(10)}`);
    const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'].join('\n');
    const lines: string[] = [];
    const script = `const key = process.env.KEY_OF_SHOP; console.error(${expression}); process.exit(1)`;
    // One server is given the key, the other has it from elsewhere, so that only its form tells it.
    const start = (env: Record<string, string>, args: string[]) => ({ command: process.execPath, args, env });
    const host = await openTestHost(
      {},
      {
        mcpServers: {
          given: start({ KEY_OF_SHOP: key }, ['-e', script]),
          other: start({}, ['-e', script.replace('process.env.KEY_OF_SHOP', JSON.stringify(key))]),
        },
        limits: { startTimeoutMs: 5000 },
      },
      { env: process.env, cwd: process.cwd(), onServerStderr: (_server, line) => void lines.push(line) },
    );
    const { unavailable } = await host.as('reader').tools();
    expect(unavailable).toHaveLength(2);
    const shown = JSON.stringify([unavailable, host.servers(), lines]);
    expect(lines.join()).toContain('[redacted]');
    expect(body.filter((line) => shown.includes(line) || shown.includes(line.slice(30)))).toEqual([]);
    await host.close();
  });
});
