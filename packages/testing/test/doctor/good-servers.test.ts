import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { legacyClients } from '@switchyard/server';
import { toNode } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Diagnosis } from '../../src/index.ts';
import { openBadProxy } from './bad-proxy.ts';
import { answering, openBadServer, program, saying } from './bad-server.ts';
import { examine } from './expect-cause.ts';
import { createClinic, openClinic, tokenNeeded } from './real-server.ts';

const weigh = { tool: { name: 'weigh', arguments: { who: 'mira', kilos: 61 } } };

/** What each step said, by its id. */
function verdicts({ steps }: Diagnosis): { readonly [id: string]: string } {
  return Object.fromEntries(steps.map(({ id, verdict }) => [id, verdict]));
}

function sawOf({ steps }: Diagnosis, id: string): string | undefined {
  return steps.find((step) => step.id === id)?.saw;
}

describe('a server that is well', () => {
  it('gets a yes to every question over HTTP, with the call and an idle stream', async () => {
    const diagnosis = await examine(await openClinic(), { ...weigh, idleMs: 50 });
    expect(diagnosis.cause).toBeUndefined();
    expect(diagnosis.server).toEqual({ name: 'clinic', version: '3.0.0' });
    expect(verdicts(diagnosis)).toMatchObject({ progress: 'skipped' });
    expect(new Set(Object.values({ ...verdicts(diagnosis), progress: 'ok' }))).toEqual(new Set(['ok']));
    expect(sawOf(diagnosis, 'idle')).toContain('It stayed open for 50 ms');
    expect(sawOf(diagnosis, 'revision')).toBe('2026-07-28, the current one.');
  });

  it('has its tools listed and none called where none is named', async () => {
    const methods: string[] = [];
    const rest = answering({});
    const url = await openBadServer((request, http) => {
      methods.push(request.method);
      return rest(request, http);
    });
    const diagnosis = await examine(url);
    expect(diagnosis.cause).toBeUndefined();
    expect(sawOf(diagnosis, 'tool')).toBe('It lists a tool; none was called, as --tool named none.');
    expect(verdicts(diagnosis)).toMatchObject({ arguments: 'skipped', refusal: 'skipped', result: 'skipped' });
    expect(methods).not.toContain('tools/call');
  });

  it('may be one that wants a token, and gets it', async () => {
    const target = {
      url: await openClinic(tokenNeeded),
      headers: { Authorization: 'Bearer good-token-of-the-clinic' },
    };
    const diagnosis = await examine(target, weigh);
    expect(diagnosis.cause).toBeUndefined();
    expect(sawOf(diagnosis, 'authentication')).toBe('It takes the credentials.');
  });

  it('may be behind a unix socket', async () => {
    const server = createServer(toNode(createClinic()));
    const path = join(tmpdir(), `doctor-${crypto.randomUUID()}.sock`);
    await new Promise<void>((resolve) => {
      server.listen(path, resolve);
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    expect((await examine(`unix://${path}#/mcp`, weigh)).cause).toBeUndefined();
  });

  it('may be behind a proxy that does nothing wrong', async () => {
    const diagnosis = await examine(await openBadProxy(await openClinic(), {}), { ...weigh, idleMs: 50 });
    expect(new Set(Object.values({ ...verdicts(diagnosis), progress: 'ok' }))).toEqual(new Set(['ok']));
  });

  it('may speak an older revision over HTTP', async () => {
    const url = await openBadProxy(await openClinic({ legacy: legacyClients() }), {
      answers: (request, response) => {
        if (request.headers['mcp-method'] !== 'server/discover') return false;
        response.writeHead(400).end('Bad Request');
        return true;
      },
    });
    const diagnosis = await examine(url, { ...weigh, idleMs: 50 });
    expect(diagnosis.cause).toBeUndefined();
    expect(sawOf(diagnosis, 'revision')).toBe('2025-11-25: an older revision, which is fine.');
    expect(verdicts(diagnosis)).toMatchObject({ session: 'ok', streaming: 'ok', result: 'ok', idle: 'ok' });
  });

  it('may be one of the HTTP+SSE transport of 2024-11-05', async () => {
    const served = await openClinic({ legacy: legacyClients({ httpSse: { path: '/sse' } }) });
    const url = new URL(
      await openBadProxy(served, {
        answers({ method, url: asked }, response) {
          if (method !== 'POST' || asked !== '/sse') return false;
          response.writeHead(405).end();
          return true;
        },
      }),
    );
    const diagnosis = await examine(`${url.origin}/sse`, { ...weigh, idleMs: 50 });
    expect(diagnosis.cause).toBeUndefined();
    expect(sawOf(diagnosis, 'endpoint')).toContain('HTTP+SSE transport');
    expect(verdicts(diagnosis)).toMatchObject({ revision: 'ok', result: 'ok', idle: 'ok' });
  });

  it('may run as a process, whatever its revision', async () => {
    const modern = await examine(program(`modern({})`));
    expect(new Set(Object.values(verdicts(modern)))).toEqual(new Set(['ok', 'skipped']));
    const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/package.json'));
    const command = { command: execPath, args: [join(everything, '../dist/index.js'), 'stdio'] };
    const old = await examine(command, { tool: { name: 'echo', arguments: { message: 'hello' } } });
    expect(old.cause).toBeUndefined();
    expect(sawOf(old, 'revision')).toMatch(/^20\d\d-\d\d-\d\d: an older revision/);
    expect(verdicts(old)).toMatchObject({ start: 'ok', stdout: 'ok', result: 'ok', 'stdout-later': 'ok' });
  });

  it('may complain of something else first, under no id', async () => {
    const complaint = `send({ id: null, error: { code: -32700, message: 'What was that?' } });`;
    const diagnosis = await examine(program(`${complaint} modern({})`));
    expect(diagnosis.cause).toBeUndefined();
    expect(verdicts(diagnosis)).toMatchObject({ handshake: 'ok', tool: 'ok' });
  });

  it('may end on what it does not know, where it takes initialize at once', async () => {
    const diagnosis = await examine(
      program(
        `serve(({ method }) => method === 'server/discover' ? process.exit(1) : { result: method === 'initialize' ? greeting : tools })`,
      ),
    );
    expect(diagnosis.cause).toBeUndefined();
    expect(verdicts(diagnosis)).toMatchObject({ start: 'ok', handshake: 'ok', revision: 'ok', tool: 'ok' });
  });

  it.each([
    ['modern', 'modern({})'],
    [
      'legacy',
      `serve(({ method }) => method === 'initialize' ? { result: greeting } : method === 'tools/list' ? { result: tools } : { error: { code: -32601, message: 'no' } })`,
    ],
    [
      'legacy and silent',
      `serve(({ method }) => method === 'initialize' ? { result: greeting } : method === 'tools/list' ? { result: tools } : undefined)`,
    ],
  ])('may take longer to start than the first answer is waited for: %s', async (_era, code) => {
    const asleep = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);';
    const diagnosis = await examine(program(asleep + code), { timeoutMs: 1000 });
    expect(diagnosis.cause).toBeUndefined();
    expect(verdicts(diagnosis)).toMatchObject({ start: 'ok', stdout: 'ok', handshake: 'ok', tool: 'ok' });
  });

  it('may answer what it does not know, and end then', async () => {
    const code = `serve(({ id, method }) => {
      if (method !== 'server/discover') return { result: method === 'initialize' ? greeting : tools };
      const error = { code: -32600, message: 'expected initialize' };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error }) + '\\n', () => process.exit(0));
    })`;
    const diagnosis = await examine(program(code));
    expect(diagnosis.cause).toBeUndefined();
    expect(verdicts(diagnosis)).toMatchObject({ start: 'ok', handshake: 'ok', revision: 'ok', tool: 'ok' });
  });

  it('may have no streams, and a tool that asks, which is no fault', async () => {
    expect(verdicts(await examine(await openBadServer(answering({}))))).toMatchObject({ streaming: 'skipped' });
    const asking = await examine(await openClinic(), { tool: { name: 'interview', arguments: {} } });
    expect(asking.cause).toBeUndefined();
    expect(asking.steps.find(({ id }) => id === 'refusal')).toMatchObject({
      verdict: 'unknown',
      saw: expect.stringContaining('asks for input') as string,
    });
  });
});

describe('a diagnosis', () => {
  it('is given up with the reason of the signal', async () => {
    const giving = new AbortController();
    const reason = new Error('enough');
    const url = await openBadServer(() => {
      giving.abort(reason);
      return undefined;
    });
    await expect(examine(url, { signal: giving.signal })).rejects.toBe(reason);
    const process = program('process.stdin.once("data", () => console.error("asked"));');
    const later = new AbortController();
    const examined = examine(process, { signal: later.signal, onStep: () => setImmediate(() => later.abort(reason)) });
    await expect(examined).rejects.toBe(reason);
  });

  it('refuses an option that it does not know', async () => {
    await expect(examine('http://127.0.0.1:9/', { idle: 3 } as never)).rejects.toThrow(/idleMs/);
  });

  it('bounds every excerpt, and says a server no terminal codes after it', async () => {
    const body = `\u001b[2J<b>${'x'.repeat(100_000)}`;
    const { steps } = await examine(await openBadServer(saying(500, {}, body)));
    const evidence = steps.flatMap((step) => step.evidence);
    expect(evidence.every((line) => line.length <= 320 && !line.includes('\u001b'))).toBe(true);
    expect(evidence.join('')).toContain('<b>xxx');
  });
});
