import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createServer } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { openTestGateway } from './open-test-gateway.ts';
import { untilTestEnds } from './until-test-ends.ts';

const inspector = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url),
);

function createOrders() {
  const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  return createServer({ name: 'orders', version: '1' })
    .tool('get', { description: 'Gets', input, output: { type: 'object' } }, ({ id }) => ({ id, status: 'open' }))
    .resource('policy://refunds', { name: 'refunds' }, () => 'within 30 days')
    .prompt('review', { description: 'Reviews', args: {} }, () => 'Review it');
}

describe.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('the official client, in its mode %s', (mode, revision) => {
  it('lists, calls, reads and gets prompts through the gateway', async () => {
    const gateway = await untilTestEnds(openTestGateway({ orders: createOrders() }));
    const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['orders__get']);
      expect(await client.callTool({ name: 'orders__get', arguments: { id: 'A-104' } })).toMatchObject({
        structuredContent: { id: 'A-104', status: 'open' },
      });
      expect(await client.readResource({ uri: 'policy://refunds' })).toMatchObject({
        contents: [{ text: 'within 30 days' }],
      });
      expect(await client.getPrompt({ name: 'orders__review' })).toMatchObject({ messages: [{ role: 'user' }] });
      await expect(client.callTool({ name: 'orders__nobody', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    } finally {
      await client.close();
    }
  });
});

describe('the official Inspector, as a command with --protocol-era modern', () => {
  it('lists and calls through the gateway', async () => {
    const gateway = await untilTestEnds(openTestGateway({ orders: createOrders() }));
    // The Inspector keeps files in the home folder.
    const home = await mkdtemp(join(tmpdir(), 'switchyard-inspector-'));
    const inspect = async (...args: readonly string[]): Promise<unknown> => {
      const command = [
        inspector,
        '--cli',
        '--protocol-era',
        'modern',
        '--format',
        'json',
        gateway.url,
        '--transport',
        'http',
        ...args,
      ];
      const { stdout } = await promisify(execFile)(process.execPath, command, {
        env: { PATH: process.env['PATH'], HOME: home },
        timeout: 25_000,
      });
      return JSON.parse(stdout);
    };
    try {
      const [listed, called] = await Promise.all([
        inspect('--method', 'tools/list'),
        inspect('--method', 'tools/call', '--tool-name', 'orders__get', '--tool-arg', 'id=A-104'),
      ]);
      expect(JSON.stringify(listed)).toContain('"orders__get"');
      expect(JSON.stringify(called)).toContain('"status":"open"');
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
