import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * Calls `find_seats` of the server at a URL with the official client, which speaks 2026-07-28 only where it is told to
 * try.
 */
export async function findSeats(url: string): Promise<unknown> {
  const client = new Client({ name: 'my-host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { structuredContent } = await client.callTool({ name: 'find_seats', arguments: { room: 'blue', seats: 3 } });
  await client.close();
  return structuredContent;
}
