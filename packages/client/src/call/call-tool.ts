import { type CallToolResult, errorCodes, type JsonObject, ProtocolError, type Tool } from '@switchyard/protocol';
import type { PeerContext } from '../peer-context.ts';
import type { Call } from './caller.ts';
import { listAll, type WholeList } from './list-all.ts';
import { toolList } from './list-kinds.ts';

/** Lists the tools of a server; where arguments travel in headers, tools with invalid annotations are left out. */
export async function listTools(context: PeerContext, call: Call): Promise<WholeList<Tool>> {
  const list = await listAll(context, call, toolList);
  const { toolHeaders } = call.session;
  if (toolHeaders === undefined) return list;
  const { tools, leftOut } = toolHeaders.learn(list.entries);
  return { ...list, entries: tools, leftOut: [...list.leftOut, ...leftOut] };
}

/**
 * Calls a tool. Where arguments travel in headers they are minted from the last list; when the server says that they do
 * not match, the list is fetched again and the call, which was not executed, is repeated once.
 *
 * Spec: basic/transports/streamable-http#client-behavior (2026-07-28).
 */
export async function callTool(
  context: PeerContext,
  call: Call,
  { name, args }: { readonly name: string; readonly args: JsonObject },
): Promise<CallToolResult> {
  const { toolHeaders } = call.session;
  const attempt = async (): Promise<CallToolResult> =>
    call.request('tools/call', { name, arguments: args }, toolHeaders?.mint(name, args));
  try {
    return await attempt();
  } catch (error) {
    if (toolHeaders === undefined || !isHeaderMismatch(error)) throw error;
  }
  await listTools(context, call);
  return attempt();
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === errorCodes.headerMismatch.code;
}
