import { afterEach, expect, it } from 'vitest';
import { type DuplexConnection, type Client, connect, createDuplexConnection, type Transport } from '../src/index.ts';
import { failure } from './expect-failure.ts';
import { createManualClock } from './manual-clock.ts';
import { discovery, type Written } from './scripted-peer.ts';

const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/**
 * A server that ends at each call, and at its first request where it does not come up. It answers discovery and lists.
 */
function createMortalServer(): {
  readonly transport: Transport;
  readonly connections: DuplexConnection[];
  readonly methods: string[];
  readonly script: { comesUp: boolean };
} {
  const script = { comesUp: true };
  const connections: DuplexConnection[] = [];
  const methods: string[] = [];
  const transport: Transport = {
    name: 'mortal',
    open({ context, handlers }) {
      const duplex = createDuplexConnection({
        context,
        handlers,
        close: () => Promise.resolve(),
        write(text) {
          const { id, method } = JSON.parse(text) as Written;
          methods.push(method ?? '');
          if (!script.comesUp) {
            duplex.end(context.fail('start-failed', 'it died.'));
            return Promise.resolve();
          }
          if (method === 'server/discover') duplex.receive(JSON.stringify({ jsonrpc: '2.0', id, result: discovery }));
          if (method === 'tools/list') duplex.receive(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }));
          if (method === 'tools/call') duplex.end(context.fail('closed', 'it died.'));
          return Promise.resolve();
        },
      });
      connections.push(duplex);
      return Promise.resolve(duplex.connection);
    },
  };
  return { transport, connections, methods, script };
}

it('[STDIO-16] [VER-12] opens a connection anew for the next call, with the era that is known', async () => {
  const { transport, connections, methods } = createMortalServer();
  const client = await connect(transport);
  clients.push(client);
  expect((await failure(client.callTool('x'))).code).toBe('outcome-unknown');
  expect((await client.listTools()).tools).toEqual([]);
  expect(connections).toHaveLength(2);
  expect(methods).toEqual(['server/discover', 'tools/call', 'server/discover', 'tools/list']);
});

it('writes no call to a restarted server before that has answered once', async () => {
  const { transport, methods, script } = createMortalServer();
  const client = await connect(transport);
  clients.push(client);
  await failure(client.callTool('x'));
  script.comesUp = false;
  methods.length = 0;
  expect((await failure(client.callTool('x'))).code).toBe('start-failed');
  expect(methods).not.toContain('tools/call');
  script.comesUp = true;
  expect((await client.listTools()).tools).toEqual([]);
});

it('opens one connection for all calls that wait for it', async () => {
  const { transport, connections } = createMortalServer();
  const client = await connect(transport);
  clients.push(client);
  await failure(client.callTool('x'));
  await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
  expect(connections).toHaveLength(2);
});

it('starts a server at once again after it has lived for a while', async () => {
  const clock = createManualClock();
  const { transport, connections } = createMortalServer();
  const client = await connect(transport, { clock });
  clients.push(client);
  for (let round = 0; round < 5; round += 1) {
    await client.listTools();
    await clock.advance(10_000);
    await failure(client.callTool('x'));
  }
  expect(connections).toHaveLength(5);
});

it('lets a caller give up waiting for a start', async () => {
  const clock = createManualClock();
  const { transport } = createMortalServer();
  const client = await connect(transport, { clock });
  clients.push(client);
  for (let round = 0; round < 3; round += 1) {
    const call = failure(client.callTool('x'));
    await clock.advance(200);
    await call;
  }
  const controller = new AbortController();
  const call = failure(client.callTool('x', {}, { signal: controller.signal }));
  controller.abort();
  expect((await call).code).toBe('aborted');
});
