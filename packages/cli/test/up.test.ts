import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ordersConfiguration, serveOrders } from './orders-upstream.ts';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';

let upstream: Awaited<ReturnType<typeof serveOrders>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  upstream = await serveOrders();
  const gone = "mcpServers:\n  gone:\n    url: 'http://127.0.0.1:9/'\n";
  const text = ordersConfiguration(upstream.url).replace('mcpServers:\n', gone).replace('orders__*,', "'*',");
  folder = await temporaryFolder({ 'switchyard.yaml': text });
});

afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe('up', () => {
  it('prints the endpoint, each server with its tools or why it has none, and a call to try', async () => {
    const end = new AbortController();
    const onStdout = (text: string): void => {
      if (text.includes('Ctrl-C')) end.abort();
    };
    const ended = await startRun(['up', '--port', '0'], { cwd: folder.path, signal: end.signal, onStdout });
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/Endpoint {2}http:\/\/127\.0\.0\.1:\d+\/mcp\nAgent {5}reader\n/);
    expect(ended.stdout).toMatch(/ {2}gone +unavailable {2}.*gone/);
    expect(ended.stdout).toMatch(/ {2}orders +6 tools +2026-07-28 {2}\(5 within reach\)/);
    expect(ended.stdout).toMatch(/\n {2}switchyard tools --url http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
    expect(ended.stderr).toMatch(/warning: gone: /);
  });

  it('serves every caller as its anonymous agent, for whom a denied tool is an unknown one, and records the refusal', async () => {
    const end = new AbortController();
    const urls: string[] = [];
    const started = Promise.withResolvers<void>();
    const onStdout = (text: string): void => {
      urls.push((JSON.parse(text) as { readonly url: string }).url);
      started.resolve();
    };
    const running = startRun(['up', '--port', '0', '--json'], { cwd: folder.path, signal: end.signal, onStdout });
    await started.promise;
    const called = await startRun(['call', '--url', urls[0] ?? '', 'orders__get', 'id=A-104', '--json']);
    expect(called.json()).toMatchObject({ structuredContent: { id: 'A-104' } });
    const denied = await startRun(['call', '--url', urls[0] ?? '', 'orders__cancel', 'id=A-104', '--json']);
    expect(denied.json()).toMatchObject({ error: { kind: 'unknown', code: -32602 } });
    end.abort();
    expect((await running).exitCode).toBe(0);
    const records = await startRun(['audit', 'list', '--kind', 'refused', '--json'], { cwd: folder.path });
    expect(records.json()).toMatchObject([{ agent: 'reader', server: 'orders', name: 'cancel', reason: 'denied' }]);
  });

  it('says that a port is taken', async () => {
    const taken = createTcpServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const ended = await startRun(['up', '--json', '--port', `${port}`], { cwd: folder.path });
    expect(ended.exitCode).toBe(2);
    expect(ended.json()).toEqual({ error: { kind: 'port-taken', message: expect.stringContaining(`port ${port}`) } });
    await new Promise((resolve) => taken.close(resolve));
  });
});
