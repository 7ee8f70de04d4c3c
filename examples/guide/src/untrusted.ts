import { ClientError, type Transport } from '@switchyard/client';
import { connect, openBlobSpill } from '@switchyard/client/node';

/** Calls a tool of a server that nobody vouches for, and says in words what came of it. */
export async function callStranger(server: string | Transport, tool: string, folder: string): Promise<string[]> {
  const said: string[] = [];
  const spill = openBlobSpill({ folder, maxTotalBytes: 100_000_000 });
  const client = await connect(server, {
    name: 'stranger',
    checks: { agreement: 'reject', arguments: 'reject' },
    resultSize: { maxBytes: 100_000, spill },
    onWarning: ({ code }) => said.push(`warned: ${code}`),
  });
  try {
    // Only tools that were listed can be checked.
    const { leftOut } = await client.listTools();
    for (const { name, reason } of leftOut) said.push(`left out: ${name}. ${reason}`);
    const { content } = await client.callTool(tool);
    for (const block of content) said.push(block.type === 'resource_link' ? `file of ${block.size}` : block.type);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    said.push(`refused: ${error.code}`);
  } finally {
    await client.close();
    await spill[Symbol.asyncDispose]();
  }
  return said;
}
