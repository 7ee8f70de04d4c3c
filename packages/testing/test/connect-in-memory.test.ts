import type { Client } from '@switchyard/client';
import { createServer } from '@switchyard/server';
import { afterEach, expect, test } from 'vitest';

import { connectInMemory } from '../src/index.ts';

const opened: Client[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

async function connected(...args: Parameters<typeof connectInMemory>): Promise<Client> {
  const client = await connectInMemory(...args);
  opened.push(client);
  return client;
}

function createGreeter() {
  return createServer({ name: 'greeter', version: '1.0.0' }).tool(
    'greet',
    {
      description: 'Greets somebody',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    async ({ name }, context) => {
      context.progress(1, 2);
      return `Hello, ${String(name)}!`;
    },
  );
}

test('connects a client to a server in this process', async () => {
  const client = await connected(createGreeter());
  expect(client).toMatchObject({ era: 'modern', revision: '2026-07-28', serverInfo: { name: 'greeter' } });
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(['greet']);
  const result = await client.callTool('greet', { name: 'Ada' });
  expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
});

test('shows what the server checks: bad arguments are a result with isError', async () => {
  const client = await connected(createGreeter());
  expect(await client.callTool('greet', { name: 7 })).toMatchObject({ isError: true });
});

test('relays progress', async () => {
  const client = await connected(createGreeter());
  const seen: unknown[] = [];
  await client.callTool('greet', { name: 'Ada' }, { onProgress: (progress) => seen.push(progress) });
  expect(seen).toMatchObject([{ progress: 1, total: 2 }]);
});

test('names the server by its own name, or by the one that is given', async () => {
  const plain = await connected(createGreeter());
  const renamed = await connected(createGreeter(), { name: 'under-test' });
  expect([plain.name, renamed.name]).toEqual(['greeter', 'under-test']);
});

test('passes the options of the client on', async () => {
  const server = createServer({ name: 'asker', version: '1.0.0' }).tool(
    'draft',
    { description: 'Needs a client that samples', requires: ['sampling'] },
    (_args, context) => context.client?.name ?? '',
  );
  const client = await connected(server, {
    clientInfo: { name: 'probe', version: '1.0.0' },
    capabilities: { sampling: {} },
  });
  expect(await client.callTool('draft')).toMatchObject({ content: [{ type: 'text', text: 'probe' }] });
});

test.for(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const)(
  'connects at revision %s, in a session, and the handler cannot tell',
  async (revision) => {
    const client = await connected(createGreeter(), { revision });
    expect(client).toMatchObject({ era: 'legacy', revision, serverInfo: { name: 'greeter' } });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['greet']);
    const seen: unknown[] = [];
    const result = await client.callTool('greet', { name: 'Ada' }, { onProgress: (progress) => seen.push(progress) });
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
    expect(seen).toMatchObject([{ progress: 1, total: 2 }]);
  },
);

test.for(['1999-01-01', '', 'DRAFT-2026'])('rejects for a revision that there is not: %j', async (revision) => {
  await expect(connectInMemory(createGreeter(), { revision: revision as '2026-07-28' })).rejects.toThrow(
    /revision must be one of 2026-07-28, 2025-11-25, .*, not "/,
  );
});

test.for(['2026-07-28', '2025-06-18'] as const)(
  'rejects at once for definitions that cannot be served, and says why: %s',
  async (revision) => {
    const server = createServer({ name: 'half', version: '1.0.0' }).tool(
      'show',
      { ui: { resourceUri: 'ui://half/page' } },
      () => 'shown',
    );
    const refused = connectInMemory(server, { revision });
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow('tool show: its app ui://half/page is no resource of the server');
  },
);

test('connects at the newest revision where it is named', async () => {
  expect(await connected(createGreeter(), { revision: '2026-07-28' })).toMatchObject({ era: 'modern' });
});
