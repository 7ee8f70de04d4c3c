import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Calls `find_seats` of the server at a URL with the official client, as it comes. */
export async function findSeats(url: string): Promise<unknown> {
  const client = new Client({ name: 'my-host', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { structuredContent } = await client.callTool({ name: 'find_seats', arguments: { room: 'blue', seats: 3 } });
  await client.close();
  return structuredContent;
}
