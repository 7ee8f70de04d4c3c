import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it } from 'vitest';

import { oldClients, serveShop } from '../src/old-clients.ts';

it('serves an old client and says who it is', async () => {
  await using running = await serveShop(0);
  expect(oldClients(running)).toEqual([]);
  const client = new Client({ name: 'old-agent', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  expect(await client.callTool({ name: 'say_hello' })).toMatchObject({ content: [{ text: 'hello' }] });
  await client.close();
  expect(oldClients(running)).toEqual(['old-agent at 2025-11-25 (2 requests)']);
});
