/**
 * `serve-official-v2 stdio|entry|sessions`: `entry` is its handler of both eras, without sessions, and `sessions` its
 * transport of the legacy revisions.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import process from 'node:process';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createOfficialV2 } from './official-v2.ts';
import { serveSessions } from './serve-sessions.ts';

const [transport] = process.argv.slice(2);
if (transport === 'stdio') serveStdio(() => createOfficialV2());
else if (transport === 'entry') {
  // A server of one request has no connection to tell others on.
  const handler = createMcpHandler(() => createOfficialV2((_server, uri) => handler.notify.resourceUpdated(uri)));
  createServer(toNodeHandler(handler) as RequestListener).listen(0, '127.0.0.1');
} else {
  serveSessions(async (onOpened) => {
    const opened: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => onOpened(id, opened),
    });
    await createOfficialV2().connect(opened);
    return opened;
  });
}
