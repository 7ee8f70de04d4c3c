import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connect } from '@switchyard/client';
import { describe, expect, it } from 'vitest';
import { isProcessRunning } from '../../guards/test/is-process-running.ts';
import { spawnBin } from './spawn-bin.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

const family = fileURLToPath(new URL('fixtures/family.js', import.meta.url));

const configurationOf = (behaviour: string): string => `
mcpServers:
  family:
    command: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(family)}, pids.json, ${behaviour}]
  broken:
    command: ${JSON.stringify(process.execPath)}
    args: ['-e', 'console.error("no licence"); process.exit(3)']
agents: { reader: { allow: ['*'] } }
gateway: { anonymousAgent: reader, port: 0 }
`;

async function pidsIn(folder: string): Promise<number[]> {
  return JSON.parse(await readFile(join(folder, 'pids.json'), 'utf8')) as number[];
}

describe('switchyard up as a process', () => {
  it('says as one JSON document what it serves, serves it, and ends with every process on SIGINT', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': configurationOf('ok') }));
    const bin = await untilTestEnds(spawnBin(['up', '--json'], folder.path));
    await bin.until('stdout', /\n$/);
    const document = JSON.parse(bin.output.stdout) as { readonly url: string };
    expect(document).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      agent: 'reader',
      servers: [
        { name: 'broken', state: 'unavailable', error: expect.stringContaining('broken') },
        { name: 'family', state: 'ready', tools: 1, reachable: 1, era: 'legacy' },
      ],
    });
    expect(bin.output.stderr).toMatch(/warning: broken: .*\n(?:.*\n)*.*no licence/);
    const pids = await pidsIn(folder.path);
    expect(pids.map(isProcessRunning)).toEqual([true, true]);
    const client = await connect(document.url);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['family__ping']);
    await client.close();

    // npm passes on what the terminal has sent already.
    bin.process.kill('SIGINT');
    bin.process.kill('SIGINT');
    expect(await bin.ended).toBe(0);
    expect(pids.map(isProcessRunning)).toEqual([false, false]);
    expect(bin.output.stdout.split('\n')).toHaveLength(2);
  });

  it('does not wait any longer on a second signal, and still leaves no process', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': configurationOf('deaf') }));
    const bin = await untilTestEnds(spawnBin(['up'], folder.path));
    await bin.until('stdout', /Endpoint {2}http.*\n(?:.*\n)*.*family +1 tool/);
    const pids = await pidsIn(folder.path);
    bin.process.kill('SIGTERM');
    await bin.until('stderr', /Ending/);
    const impatience = setInterval(() => bin.process.kill('SIGTERM'), 100);
    expect(await bin.ended).toBe(130);
    clearInterval(impatience);
    await expect.poll(() => pids.map(isProcessRunning)).toEqual([false, false]);
  });

  it('[--stdio] speaks the protocol alone on standard output, and ends when the input does', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': configurationOf('ok') }));
    const bin = await untilTestEnds(spawnBin(['up', '--stdio'], folder.path));
    const metadata = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    bin.process.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: metadata } })}\n`,
    );
    await bin.until('stdout', /\n/);
    bin.process.stdin.end();
    expect(await bin.ended).toBe(0);
    expect(JSON.parse(bin.output.stdout)).toMatchObject({ id: 1, result: { tools: [{ name: 'family__ping' }] } });
    expect((await pidsIn(folder.path)).map(isProcessRunning)).toEqual([false, false]);
  });
});

describe('the official client', () => {
  async function connectOfficial(folder: string, options: ClientOptions): Promise<Client> {
    const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
    const args = ['--conditions=@switchyard/source', bin, 'up', '--stdio', '--log-level', 'silent'];
    const client = new Client({ name: 'official', version: '1' }, options);
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
    return client;
  }

  it.each(['auto', 'legacy'] as const)('[--stdio] is served in its mode %s', async (mode) => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': configurationOf('ok') }));
    const client = await connectOfficial(folder.path, { versionNegotiation: { mode } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['family__ping']);
    await client.close();
  });
});

describe('the process of any verb', () => {
  it('ends quietly when nobody reads its output any more', async () => {
    const folder = await untilTestEnds(temporaryFolder());
    const bin = await untilTestEnds(spawnBin(['help'], folder.path));
    bin.process.stdout.destroy();
    expect(await bin.ended).toBe(0);
    expect(bin.output.stderr).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('fails when what it prints cannot be written, as on a full disk', () => {
    const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--conditions=@switchyard/source', bin, 'completion', 'bash'],
      {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      },
    );
    closeSync(full);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: The output is incomplete: .*ENOSPC/);
  });
});
