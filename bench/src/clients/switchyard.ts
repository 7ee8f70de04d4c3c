import { connect } from '@switchyard/client/node';

import { assertFive, serverCommand, serveRuns } from './client-run.ts';

// Everything as a user gets it: pool, deadlines, checks of every answer.
serveRuns(async (port) => {
  const client = await connect(port === undefined ? serverCommand('stdio-switchyard') : `http://127.0.0.1:${port}/mcp`);
  return {
    add: async () => assertFive(await client.callTool('add', { a: 2, b: 3 })),
    list: async () => (await client.listTools()).tools.length,
  };
});
