import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ConfigurationInput } from '@switchyard/config';
import { openHost } from '@switchyard/host';
import type { JsonObject } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { listeningAddress, serveGateway, serveGatewayStdio } from '../src/index.ts';
import { metadata, openTestGateway } from './open-test-gateway.ts';
import { untilTestEnds } from './until-test-ends.ts';

const agents = { reader: { allow: ['*'] }, writer: {} };

function openQuietHost(configuration: ConfigurationInput) {
  return openHost(configuration, { audit: 'memory', env: {}, cwd: '/nowhere' });
}

describe('serveGateway', () => {
  it.each<[string, ConfigurationInput, object, string, RegExp]>([
    [
      'nothing says who an anonymous caller is',
      { agents },
      {},
      'no-agent',
      /gateway\.anonymousAgent.*"anonymousAgent: reader"/,
    ],
    ['the agent does not exist', { agents }, { agent: 'nobody' }, 'unknown-agent', /agents are: reader, writer/],
    [
      'the address is no loopback one',
      { agents, gateway: { anonymousAgent: 'reader', host: '0.0.0.0' } },
      {},
      'not-loopback',
      /127\.0\.0\.1/,
    ],
    [
      'the given address is no loopback one',
      { agents, gateway: { anonymousAgent: 'reader' } },
      { host: '::' },
      'not-loopback',
      /::/,
    ],
    [
      'it is to answer to a name that is no loopback one',
      { agents, gateway: { anonymousAgent: 'reader', allowedHosts: ['localhost:7420', 'mcp.example.com'] } },
      {},
      'not-loopback',
      /mcp\.example\.com.*authenticates nobody yet.*gateway\.allowedHosts/,
    ],
  ])('refuses when %s', async (_what, configuration, options, code, message) => {
    const host = await untilTestEnds(openQuietHost(configuration));
    const served = serveGateway(host, { port: 0, ...options });
    await expect(served).rejects.toMatchObject({ name: 'GatewayError', code });
    await expect(served).rejects.toThrow(message);
  });

  it.each(['localhost', '127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1'])(
    '[HTTP-04] takes %s for an address of this machine alone, as the server below does',
    (given) => {
      const configured = { host: '127.0.0.1', port: 7420, path: '/mcp', allowedHosts: [], allowedOrigins: [] };
      expect(listeningAddress({ gateway: configured }, { host: given })).toEqual({ host: given, port: 7420 });
    },
  );

  it('says that a port is taken, and what to do', async () => {
    const taken = createTcpServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const host = await untilTestEnds(openQuietHost({ agents, gateway: { anonymousAgent: 'reader' } }));
    const served = serveGateway(host, { port });
    await expect(served).rejects.toMatchObject({ code: 'port-taken', path: ['gateway', 'port'] });
    await expect(served).rejects.toThrow(new RegExp(`port ${port} .* --port`));
    await new Promise((resolve) => taken.close(resolve));
  });

  it('answers to the hosts and origins of the configuration, and to no others', async () => {
    const gateway = {
      anonymousAgent: 'reader',
      port: 0,
      allowedHosts: ['localhost:7420', '127.0.0.1', '[::1]:7420'],
      allowedOrigins: ['https://app.test'],
    };
    const running = await untilTestEnds(openTestGateway({}, { gateway }));
    expect((await running.send('tools/list', {}, { headers: { origin: 'https://app.test' } })).status).toBe(200);
    expect((await running.send('tools/list', {}, { headers: { origin: 'https://other.test' } })).status).toBe(403);
  });
});

describe('serveGatewayStdio', () => {
  it('[http-17] serves the same over a pair of streams, tools with header annotations included', async () => {
    const invalid = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'List' } } },
    };
    const server = createScriptedServer({ tools: [toolDefinition('odd', { inputSchema: invalid })] });
    const host = await untilTestEnds(
      openHost(
        { agents, gateway: { anonymousAgent: 'reader' } },
        { audit: 'memory', env: {}, cwd: '/nowhere', mount: { s: server } },
      ),
    );
    const input = new PassThrough();
    const output = new PassThrough();
    const running = await untilTestEnds(serveGatewayStdio(host, { input, output }));
    const lines = output.setEncoding('utf8').iterator();
    const ask = async (id: number, method: string, params: JsonObject): Promise<unknown> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: metadata(), ...params } })}\n`);
      const { value } = (await lines.next()) as { readonly value: string };
      return JSON.parse(value);
    };
    expect(await ask(1, 'tools/list', {})).toMatchObject({ id: 1, result: { tools: [{ name: 's__odd' }] } });
    expect(await ask(2, 'tools/call', { name: 's__odd', arguments: {} })).toMatchObject({
      id: 2,
      result: { content: [{ text: 'called odd' }] },
    });
    input.end();
    await running.closed;
  });
});
