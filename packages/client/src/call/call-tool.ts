import {
  type CallToolResult,
  type CreateTaskResult,
  errorCodes,
  type InputRequiredResult,
  type JsonObject,
  type ParamsOf,
  ProtocolError,
  type Tool,
} from '@switchyard/protocol';
import type { HeaderFields } from '../message/connection.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Call } from './call.ts';
import { standsForTask } from './read-tool-answer.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import type { WholeList } from '../trust/whole-list.ts';
import { listAll } from './list-all.ts';
import { toolList } from './list-kinds.ts';

/**
 * Lists the tools of a server. Tools whose schemas cannot be used are left out, and where arguments travel in headers,
 * those with invalid annotations.
 */
export async function listTools(
  context: PeerContext,
  call: Call,
  checks: Pick<ResultChecks, 'learnTools'>,
  changeCount?: () => number,
): Promise<WholeList<Tool>> {
  const list = await checks.learnTools(await listAll(context, call, toolList, changeCount));
  const { toolHeaders } = call.session;
  if (toolHeaders === undefined) return list;
  const { tools, leftOut } = toolHeaders.learn(list.entries);
  return { ...list, entries: tools, leftOut: [...list.leftOut, ...leftOut] };
}

/**
 * Calls a tool. Where arguments travel in headers they are minted from the last list; when the server says that they do
 * not match, the list is fetched again and the call, which was not executed, is repeated once. The result is checked by
 * the last list, too.
 *
 * Spec: basic/transports/streamable-http#client-behavior (2026-07-28).
 */
export async function callTool(
  context: PeerContext,
  call: Call,
  { name, args, checks }: { readonly name: string; readonly args: JsonObject; readonly checks: ResultChecks },
): Promise<CallToolResult> {
  return sendMinted(context, call, { name, args, checks }, async (headers) =>
    checks.toolResult(name, await call.request('tools/call', { name, arguments: args }, headers)),
  );
}

/**
 * As {@link callTool}, for one round: `params` may hold answers, and a result may ask for input, or stand for a task
 * where the caller takes them.
 */
export async function callToolRound(
  context: PeerContext,
  call: Call,
  round: { readonly params: ParamsOf<'tools/call'>; readonly checks: ResultChecks; readonly takesTasks: boolean },
): Promise<CallToolResult | CreateTaskResult | InputRequiredResult> {
  const { checks, takesTasks } = round;
  const { name, arguments: args = {} } = round.params;
  const params = { ...round.params, arguments: args };
  return sendMinted(context, call, { name, args, checks }, async (headers) => {
    const result = takesTasks
      ? await call.roundOrTask(params, headers)
      : await call.round('tools/call', params, headers);
    if (result.resultType === 'input_required') return result;
    const answer = result as CallToolResult | CreateTaskResult;
    return standsForTask(answer) ? answer : checks.toolResult(name, answer);
  });
}

/** As {@link callTool}, for a caller who takes tasks: a result that stands for one is answered as it came. */
export async function callToolOrTask(
  context: PeerContext,
  call: Call,
  { name, args, checks }: { readonly name: string; readonly args: JsonObject; readonly checks: ResultChecks },
): Promise<CallToolResult | CreateTaskResult> {
  return sendMinted(context, call, { name, args, checks }, async (headers) => {
    const result = await call.requestOrTask({ name, arguments: args }, headers);
    return standsForTask(result) ? result : checks.toolResult(name, result);
  });
}

async function sendMinted<T>(
  context: PeerContext,
  call: Call,
  { name, args, checks }: { readonly name: string; readonly args: JsonObject; readonly checks: ResultChecks },
  attempt: (headers: HeaderFields | undefined) => Promise<T>,
): Promise<T> {
  checks.assertCallable(name, args);
  const { toolHeaders } = call.session;
  try {
    return await attempt(toolHeaders?.mint(name, args));
  } catch (error) {
    if (toolHeaders === undefined || !isHeaderMismatch(error)) throw error;
  }
  await listTools(context, call, checks);
  checks.assertCallable(name, args);
  return attempt(toolHeaders.mint(name, args));
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === errorCodes.headerMismatch.code;
}
