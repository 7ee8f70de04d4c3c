import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { connect } from '@switchyard/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(['express/src/server.ts', 'fastify/src/server.ts', 'hono/src/server.ts', 'fetch/src/node.ts'])(
  'the example %s',
  (program) => {
    let child: ChildProcess;
    let url: string;

    beforeAll(async () => {
      child = spawn(
        process.execPath,
        ['--conditions=@switchyard/source', fileURLToPath(new URL(`../../${program}`, import.meta.url))],
        { env: { PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      if (child.stdout === null) throw new Error('the program has no standard output');
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      url = line;
    });

    afterAll(async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    });

    it('lists and calls its tool', async () => {
      await using client = await connect(url);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['add_numbers']);
      expect((await client.callTool('add_numbers', { a: 2, b: 0.5 })).structuredContent).toEqual({ sum: 2.5 });
      expect(await client.callTool('add_numbers', { a: '2', b: 0.5 })).toMatchObject({ isError: true });
    });

    it('answers what is no message as the protocol asks', async () => {
      const broken = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc"',
      });
      expect(broken.status).toBe(400);
      expect(await broken.json()).toMatchObject({ error: { code: -32700 } });
      expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
    });

    it('streams', async () => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'subscriptions/listen',
          params: {
            notifications: { toolsListChanged: true },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const reader = response.body?.getReader();
      const first = await reader?.read();
      expect(new TextDecoder().decode(first?.value)).toContain('notifications/subscriptions/acknowledged');
      await reader?.cancel();
    });

    it('has a route of its own, whose body is parsed', async () => {
      const echo = await fetch(new URL('/echo', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"said":"hello"}',
      });
      expect(await echo.json()).toEqual({ said: 'hello' });
    });
  },
);
