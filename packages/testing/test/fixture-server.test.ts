import type { Client } from '@switchyard/client';
import { afterEach, expect, test } from 'vitest';

import { createFixtureServer } from '../src/fixture/create-fixture-server.ts';
import { schema202012 } from '../src/fixture/schema-2020-12.ts';
import { connectInMemory } from '../src/index.ts';

const opened: Client[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

async function connected(): Promise<Client> {
  const client = await connectInMemory(createFixtureServer());
  opened.push(client);
  return client;
}

test('declares what the suite looks for', async () => {
  const client = await connected();
  expect(client.capabilities).toMatchObject({
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  });
});

test('describes every tool, resource, template and prompt', async () => {
  const client = await connected();
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const entries = [...tools, ...resources, ...resourceTemplates, ...prompts];
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
});

test('serves the input schema of JSON Schema 2020-12 unchanged', async () => {
  const client = await connected();
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  expect(tool?.inputSchema).toEqual(schema202012);
});

test('checks arguments against the input schema of JSON Schema 2020-12', async () => {
  const client = await connected();
  const call = (args: { readonly [name: string]: unknown }) => client.callTool('json_schema_2020_12_tool', args);
  expect(await call({ contactMethod: 'phone', phone: '1' })).not.toHaveProperty('isError', true);
  expect(await call({ contactMethod: 'phone', email: 'a@b' })).toMatchObject({ isError: true });
  expect(await call({ email: 'a@b', surplus: 1 })).toMatchObject({ isError: true });
});

test('[PROG-03] reports progress three times', async () => {
  const client = await connected();
  const seen: unknown[] = [];
  await client.callTool('test_tool_with_progress', {}, { onProgress: (progress) => seen.push(progress) });
  expect(seen).toMatchObject([0, 50, 100].map((progress) => ({ progress, total: 100 })));
});

test('refuses the tool that needs sampling with -32021 to a client without it', async () => {
  const client = await connected();
  await expect(client.callTool('test_missing_capability')).rejects.toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { sampling: {} } },
  });
});

test('reads the template with the id of the URI', async () => {
  const client = await connected();
  const { contents } = await client.readResource('test://template/123/data');
  expect(contents).toEqual([
    {
      uri: 'test://template/123/data',
      mimeType: 'application/json',
      text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
    },
  ]);
});

test('completes the first argument of the prompt with arguments', async () => {
  const client = await connected();
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 'par' },
  });
  expect(completion).toEqual({ values: ['paris', 'park', 'party'], total: 3, hasMore: false });
});
