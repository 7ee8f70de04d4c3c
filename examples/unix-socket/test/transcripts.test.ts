import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@switchyard/client';
import { connect } from '@switchyard/client/node';
import { serveHttp } from '@switchyard/server/node';
import { afterEach, describe, expect, it } from 'vitest';
import { createDesk } from '../src/desk.ts';
import { serveUnixSocket } from '../src/serve-unix-socket.ts';
import { unixSocketTransport } from '../src/unix-socket-transport.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

function later<T extends AsyncDisposable>(one: T): T {
  open.push(one);
  return one;
}

async function socketPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'));
  later({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) });
  return join(folder, 'desk.sock');
}

const routes: Readonly<Record<string, () => Promise<Client>>> = {
  memory: () => connect(createDesk()),
  stdio: () => {
    const program = fileURLToPath(new URL('../src/stdio.ts', import.meta.url));
    return connect({ command: process.execPath, args: ['--conditions=@switchyard/source', program] });
  },
  HTTP: async () => connect(later(await serveHttp(createDesk(), { port: 0 })).url),
  'a unix socket': async () => {
    const path = await socketPath();
    later(await serveUnixSocket(createDesk(), path));
    return connect(unixSocketTransport(path));
  },
};

type Transcript = (client: Client, say: (line: unknown) => void) => Promise<void>;

/** What comes of a call, whether it is a result or not. */
async function outcome(call: Promise<object>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    const { name, code } = error as { readonly name?: string; readonly code?: unknown };
    return { name, code };
  }
}

const transcripts: Readonly<Record<string, Transcript>> = {
  'who is there': async ({ era, revision, serverInfo }, say) => say({ era, revision, serverInfo }),
  'a list': async (client, say) => say((await client.listTools()).tools.map(({ name }) => name)),
  'a call': async (client, say) => say(await client.callTool('add', { a: 1, b: 2 })),
  'wrong arguments': async (client, say) => say(await client.callTool('add', { a: 'one' })),
  'a tool that fails': async (client, say) => say(await client.callTool('fail')),
  'a tool that is not there': async (client, say) => say(await outcome(client.callTool('nowhere'))),
  'a method that is not there': async (client, say) => say(await outcome(client.getPrompt('nowhere'))),
  progress: async (client, say) => say(await client.callTool('count', { to: 3 }, { onProgress: say })),
  'a text in many scripts, with line ends': async (client, say) => {
    const text = 'one\r\ntwo\u2028three — 鯨 🛶'.repeat(1000);
    say((await client.callTool('add', { a: text })).isError);
  },
  'fifty calls at once': async (client, say) => {
    const calls = Array.from({ length: 50 }, (_, a) => client.callTool('add', { a, b: 1 }));
    say((await Promise.all(calls)).map(({ structuredContent }) => structuredContent));
  },
  'a call that is given up: the server stops its work, and nothing else': async (client, say) => {
    const controller = new AbortController();
    const kept = client.callTool('wait', {}, { timeoutMs: 20_000 }).catch(() => 'ended with the client');
    const given = outcome(client.callTool('wait', {}, { signal: controller.signal }));
    say(await client.callTool('cancelled'));
    controller.abort();
    say(await given);
    await expect.poll(async () => (await client.callTool('cancelled')).structuredContent).toBe(1);
    await client.close();
    say(await kept);
  },
  'a call that takes too long: the server stops its work': async (client, say) => {
    say(await outcome(client.callTool('wait', {}, { timeoutMs: 50 })));
    await expect.poll(async () => (await client.callTool('cancelled')).structuredContent).toBe(1);
  },
};

async function record(route: () => Promise<Client>, transcript: Transcript): Promise<unknown[]> {
  const client = later(await route());
  const lines: unknown[] = [];
  await transcript(client, (line) => lines.push(line));
  return lines;
}

describe.each(Object.entries(transcripts))('the transcript: %s', (_name, transcript) => {
  it.each(Object.entries(routes).slice(1))(
    '[STDIO-20] [STDIO-21] [STDIO-23] is the same over %s as in memory',
    async (_route, route) => {
      const inMemory = await record(routes['memory'] ?? route, transcript);
      expect(inMemory.length).toBeGreaterThan(0);
      expect(await record(route, transcript)).toEqual(inMemory);
    },
  );
});

describe('the transport over a unix socket', () => {
  it('has fewer than 60 lines', async () => {
    const text = await readFile(new URL('../src/unix-socket-transport.ts', import.meta.url), 'utf8');
    expect(text.split('\n').length).toBeLessThan(60);
  });

  it('says where nobody answers', async () => {
    const path = await socketPath();
    await expect(connect(unixSocketTransport(path), { name: 'desk' })).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining(path) as string,
    });
  });

  it('reaches the server again after it was gone', async () => {
    const path = await socketPath();
    const first = await serveUnixSocket(createDesk(), path);
    const client = later(await connect(unixSocketTransport(path)));
    const waiting = outcome(client.callTool('wait'));
    await client.callTool('add', { a: 1, b: 1 });
    await first[Symbol.asyncDispose]();
    expect(await waiting).toMatchObject({ code: 'outcome-unknown' });
    later(await serveUnixSocket(createDesk(), path));
    expect(await client.callTool('add', { a: 1, b: 1 })).toMatchObject({ structuredContent: 2 });
  });

  it('serves several clients at once, each its own answers', async () => {
    const path = await socketPath();
    later(await serveUnixSocket(createDesk(), path));
    const clients = await Promise.all([1, 2, 3].map(async () => later(await connect(unixSocketTransport(path)))));
    const sums = await Promise.all(clients.map((client, a) => client.callTool('add', { a, b: 10 })));
    expect(sums.map(({ structuredContent }) => structuredContent)).toEqual([10, 11, 12]);
  });

  it('has a message over the limit refused, and the next call works', async () => {
    const path = await socketPath();
    later(await serveUnixSocket(createDesk(), path));
    const client = later(await connect(unixSocketTransport(path), { maxMessageBytes: 500 }));
    expect(await outcome(client.listTools())).toMatchObject({ code: 'too-large' });
    expect(await client.callTool('add', { a: 1, b: 1 })).toMatchObject({ structuredContent: 2 });
  });
});
