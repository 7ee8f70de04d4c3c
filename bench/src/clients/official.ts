import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { assertFive, serverCommand, serveRuns } from './client-run.ts';

serveRuns(async (port) => {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const transport =
    port === undefined
      ? new StdioClientTransport({ ...serverCommand('stdio-switchyard'), stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  await client.connect(transport);
  return {
    add: async () => assertFive(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })),
    list: async () => (await client.listTools()).tools.length,
  };
});
