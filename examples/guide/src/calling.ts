import { type CallOptions, ClientError, connect, ProtocolError } from '@switchyard/client';

/** Asks the shop at a URL how many of an item are in stock, and says in words what came of it. */
export async function askShop(url: string, item: string, options: CallOptions = {}): Promise<string> {
  try {
    const client = await connect(url, { name: 'shop', timeoutMs: 5_000 });
    try {
      const { isError = false, content, structuredContent } = await client.callTool('check_stock', { item }, options);
      // A failure of the tool itself is a result, for a model to read.
      return isError ? `failed: ${JSON.stringify(content)}` : `answered: ${JSON.stringify(structuredContent)}`;
    } finally {
      await client.close();
    }
  } catch (error) {
    // The server refused: error.code is that of JSON-RPC.
    if (error instanceof ProtocolError) return `refused with ${error.code}`;
    // This side of the wire: error.code is one of a closed set, see below.
    if (error instanceof ClientError) return `not answered: ${error.code}`;
    throw error;
  }
}
