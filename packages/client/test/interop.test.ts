import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../src/node/index.ts';

const require = createRequire(import.meta.url);
const serverOf = (name: string): string => require.resolve(`@modelcontextprotocol/${name}/dist/index.js`);

it('lists and calls the tools of the published server-everything', async () => {
  const seen: number[] = [];
  await using client = await connect({ command: process.execPath, args: [serverOf('server-everything')] });
  expect(client).toMatchObject({ era: 'legacy', revision: '2025-11-25' });
  const { tools, leftOut } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('echo');
  expect(leftOut).toEqual([]);
  expect(await client.callTool('echo', { message: 'hi' })).toMatchObject({
    content: [{ type: 'text', text: 'Echo: hi' }],
  });
  const options = { onProgress: ({ progress }: { progress: number }) => seen.push(progress) };
  await client.callTool('trigger-long-running-operation', { duration: 0.2, steps: 2 }, options);
  expect(seen).toEqual([1, 2]);
  const { resources } = await client.listResources();
  const [first] = resources;
  expect((await client.readResource(first?.uri ?? '')).contents).not.toEqual([]);
  const { prompts } = await client.listPrompts();
  expect((await client.getPrompt(prompts[0]?.name ?? '')).messages).not.toEqual([]);
  await expect(client.readResource('depot://nowhere')).rejects.toMatchObject({ name: 'ProtocolError' });
});

it('lists and calls the tools of the published server-filesystem', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-client-')));
  try {
    await writeFile(join(folder, 'note.txt'), 'grüße');
    await using client = await connect({ command: process.execPath, args: [serverOf('server-filesystem'), folder] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_text_file');
    const read = await client.callTool('read_text_file', { path: join(folder, 'note.txt') });
    expect(read).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'grüße' }] });
    expect(await client.callTool('read_text_file', { path: '/etc/hostname' })).toMatchObject({ isError: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('lists and calls the tools of a server on the official SDK over HTTP, without a handshake', async () => {
  const answer = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'official', version: '1' });
      const inputSchema = z.object({ a: z.number(), b: z.number() });
      server.registerTool('add', { inputSchema }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
      return server;
    }),
  );
  const listener = createServer((request, response) => void answer(request as Parameters<typeof answer>[0], response));
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = listener.address() as AddressInfo;
    await using client = await connect(`http://127.0.0.1:${port}/mcp`);
    expect(client).toMatchObject({ era: 'modern', revision: '2026-07-28', serverInfo: { name: 'official' } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add']);
    expect(await client.callTool('add', { a: 2, b: 3 })).toMatchObject({ content: [{ type: 'text', text: '5' }] });
    expect(await client.callTool('add', { a: 'two' })).toMatchObject({ isError: true });
    await expect(client.callTool('nope')).rejects.toMatchObject({ name: 'ProtocolError', code: -32602 });
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
});
