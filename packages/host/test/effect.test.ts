import { mkdtemp, rm, symlink, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verdictMetaKey } from '../src/call/verdict.ts';
import type { Host } from '../src/host.ts';
import { everything, openTestHost } from './open-test-host.ts';

const fixture = fileURLToPath(new URL('fixtures/server.js', import.meta.url));
const sent = /The call was sent, and its outcome is unknown: look whether it took effect/;
const notSent = /The call was not sent\./;

let folder: string;
const hosts: Host[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-effect-'));
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  await rm(folder, { recursive: true });
});

async function open(shop: object): Promise<Host> {
  const { env } = process;
  const host = await openTestHost({}, { mcpServers: { shop }, agents: { reader: everything } }, { env, cwd: folder });
  hosts.push(host);
  await host.as('reader').tools();
  return host;
}

/** What a model reads, what travels beside it, and what the audit has as the end of the last call. */
async function endOf(host: Host, result: Awaited<ReturnType<ReturnType<Host['as']>['call']>>) {
  const [block] = result.content;
  const record = (await host.audit.list()).at(-1);
  const { message, ...verdict } = (result._meta?.[verdictMetaKey] ?? { message: undefined }) as {
    readonly message: string;
  };
  expect(block).toEqual({ type: 'text', text: message });
  return { text: message, verdict, audit: { kind: record?.kind, reason: record?.reason, effect: record?.effect } };
}

/** A server over HTTP whose tool calls end as `onCall` says; everything else it answers. */
async function openHttpServer(onCall: (response: ServerResponse) => void) {
  const script = createScriptedServer({ tools: [toolDefinition('pay')] });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = await text(request);
    if (request.headers['mcp-method'] === 'tools/call') return onCall(response);
    const signal = new AbortController().signal;
    const said = await script.respond(message, { signal, send: () => undefined });
    response.setHeader('content-type', 'application/json').end(said);
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      if (http.listening) await new Promise((resolve) => http.close(resolve));
    },
  };
}

describe('a tool call that gets no usable answer says that it was sent and its outcome is unknown', () => {
  const unknown = (reason: string) => ({
    text: expect.stringMatching(sent) as string,
    verdict: { reason, effect: 'unknown', server: 'shop', tool: expect.any(String) as string },
    audit: { kind: 'outcome', reason, effect: 'unknown' },
  });

  it.each(['modern', 'legacy'])('when its %s server exits', async (era) => {
    const host = await open({ command: process.execPath, args: [fixture, era, 'crash'] });
    expect(await endOf(host, await host.as('reader').call('shop__echo'))).toEqual(unknown('unavailable'));
  });

  it('when its deadline passes', async () => {
    const host = await open({ command: process.execPath, args: [fixture, 'modern', 'hang'], timeoutMs: 100 });
    expect(await endOf(host, await host.as('reader').call('shop__echo'))).toEqual(unknown('timeout'));
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['the connection breaks before an answer', (response) => response.destroy()],
    [
      'the connection breaks in the middle of the answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"jsonrpc"');
        setImmediate(() => response.destroy());
      },
    ],
    ['a proxy gives up', (response) => response.writeHead(504).end()],
    ['a proxy says that the request took too long', (response) => response.writeHead(408).end()],
    ...[301, 302, 303].map((status): [string, (response: ServerResponse) => void] => [
      `the answer stands elsewhere (HTTP ${status})`,
      (response) => response.writeHead(status, { location: '/answer' }).end(),
    ]),
  ])('when %s', async (_what, onCall) => {
    await using server = await openHttpServer(onCall);
    const host = await open({ url: server.url });
    expect(await endOf(host, await host.as('reader').call('shop__pay'))).toEqual(unknown('unavailable'));
  });

  it('when its caller gives it up', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await openHttpServer(() => arrived.resolve());
    const host = await open({ url: server.url });
    const giving = new AbortController();
    const call = host.as('reader').call('shop__pay', {}, { signal: giving.signal });
    await arrived.promise;
    giving.abort();
    expect(await endOf(host, await call)).toEqual(unknown('cancelled'));
  });

  it('when its answer breaks the protocol', async () => {
    await using server = await openHttpServer((response) =>
      response.setHeader('content-type', 'application/json').end('{}'),
    );
    const host = await open({ url: server.url });
    expect(await endOf(host, await host.as('reader').call('shop__pay'))).toEqual(unknown('result-rejected'));
  });
});

describe('a tool call that its server cannot have got says that it was not sent', () => {
  const none = (reason: string, tool: string) => ({
    text: expect.stringMatching(notSent) as string,
    verdict: { reason, effect: 'none', server: 'shop', tool },
    audit: { kind: 'outcome', reason, effect: 'none' },
  });

  it('when nobody listens there any more', async () => {
    const server = await openHttpServer(() => undefined);
    const host = await open({ url: server.url });
    await server[Symbol.asyncDispose]();
    // The list finds out that the sockets which were kept are gone.
    await host.as('reader').tools();
    expect(await endOf(host, await host.as('reader').call('shop__pay'))).toEqual(none('unavailable', 'shop__pay'));
  });

  it.skipIf(process.platform === 'win32')('when its server cannot be started again', async () => {
    const command = join(folder, 'node');
    await symlink(process.execPath, command);
    const host = await open({ command, args: [fixture, 'modern', 'crash'] });
    await host.as('reader').call('shop__echo');
    await unlink(command);
    const operation = { method: 'tools/call', params: { name: 'shop__echo' } } as const;
    expect(await host.as('reader').invoke(operation)).toMatchObject({
      kind: 'refused',
      verdict: { details: { cause: expect.stringContaining(command) } },
    });
    const end = await endOf(host, await host.as('reader').call('shop__echo'));
    expect(end).toEqual(none('unavailable', 'shop__echo'));
    expect(end.text).not.toContain(folder);
  });

  it('when its deadline passes, or its caller gives it up, while its server starts again', async () => {
    const args = [fixture, 'legacy', 'crash', join(folder, 'mark')];
    const host = await open({ command: process.execPath, args });
    const agent = host.as('reader');
    await agent.call('shop__echo');
    expect(await endOf(host, await agent.call('shop__echo', {}, { timeoutMs: 100 }))).toEqual(
      none('timeout', 'shop__echo'),
    );
    const giving = new AbortController();
    const call = agent.call('shop__echo', {}, { signal: giving.signal });
    await vi.waitFor(async () => expect(await host.audit.list({ kind: 'intent' })).toHaveLength(3));
    giving.abort();
    expect(await endOf(host, await call)).toEqual(none('cancelled', 'shop__echo'));
  });

  it('when its server was never there', async () => {
    const host = await open({ command: '/nowhere/at/all' });
    const end = await endOf(host, await host.as('reader').call('shop__echo'));
    const { tool: _tool, ...verdict } = none('unavailable', '').verdict;
    expect(end).toEqual({ ...none('unavailable', ''), verdict, audit: { ...end.audit, kind: 'refused' } });
  });
});

describe('a tool call that is refused before it runs', () => {
  it.each([307, 308, 400, 401, 403, 404, 429])('by HTTP %i says that it was not carried out', async (status) => {
    await using server = await openHttpServer((response) => response.writeHead(status).end());
    const host = await open({ url: server.url });
    expect(await endOf(host, await host.as('reader').call('shop__pay'))).toMatchObject({
      text: expect.stringContaining('refused there and not carried out'),
      verdict: { effect: 'none' },
      audit: { kind: 'outcome', effect: 'none' },
    });
  });
});

describe('a method that only reads', () => {
  it('says nothing of an effect when its server is lost', async () => {
    const server = createScriptedServer({
      resources: [{ uri: 'doc://1', name: 'one' }],
      answer(method) {
        if (method === 'resources/read') throw new Error('lost');
        return undefined;
      },
    });
    const failing = {
      respond: (...args: Parameters<typeof server.respond>) =>
        args[0].includes('resources/read') ? Promise.reject(new Error('lost')) : server.respond(...args),
    };
    const host = await openTestHost({ shop: failing });
    hosts.push(host);
    const operation = { method: 'resources/read', params: { uri: 'doc://1' } } as const;
    const outcome = await host.as('reader').invoke(operation);
    expect(outcome).toMatchObject({
      kind: 'failed',
      verdict: { reason: 'unavailable', message: /try again later\.$/ },
    });
    expect((await host.audit.list()).at(-1)).not.toHaveProperty('effect');
  });
});
