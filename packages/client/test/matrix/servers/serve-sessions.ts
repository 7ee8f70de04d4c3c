import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What both official SDKs have for one session. */
interface SessionTransport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * Serves Streamable HTTP with sessions as the documentation of the official SDKs does: a request without a session id
 * gets a transport of its own, and one with an unknown id 404.
 */
export function serveSessions(
  open: (onOpened: (id: string, transport: SessionTransport) => void) => Promise<SessionTransport>,
): void {
  const sessions = new Map<string, SessionTransport>();
  createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(String(id));
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = known ?? (await open((opened, session) => sessions.set(opened, session)));
    await transport.handleRequest(request, response);
  }
}
