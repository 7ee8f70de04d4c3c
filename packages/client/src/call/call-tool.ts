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
import type { Call, SendMinted } from './call.ts';
import { standsForTask } from './read-tool-answer.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import type { WholeList } from '../trust/whole-list.ts';
import { listAll } from './list-all.ts';
import { withUsableEntries } from '../icons/usable-icons.ts';
import type { Session } from '../session/session.ts';
import type { ToolHeaders } from '../session/tool-headers.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { toolList } from './list-kinds.ts';

/**
 * Learns a list of tools and answers those that this client can use, without icons that must not be used. Tools whose
 * schemas cannot be used are left out, and where arguments travel in headers, those with invalid annotations.
 */
export async function usableTools(
  context: PeerContext,
  session: Pick<Session, 'toolHeaders'>,
  checks: Pick<ResultChecks, 'learnTools'>,
  received: WholeList<Tool>,
  changesBefore?: number,
): Promise<WholeList<Tool>> {
  const entries = withUsableEntries(context, received.entries, ({ name }) => name);
  const list = await checks.learnTools({ ...received, entries }, changesBefore);
  const { toolHeaders } = session;
  if (toolHeaders === undefined) return list;
  const { tools, leftOut } = toolHeaders.learn(list.entries);
  return leftOut.length === 0 ? list : { ...list, entries: tools, leftOut: [...list.leftOut, ...leftOut] };
}

/** A tool and what it is called with. */
interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly checks: ResultChecks;
}

/**
 * Calls a tool. Where arguments travel in headers they are minted from the last list; when the server says that they do
 * not match, the list is fetched again, and where other headers come of it the request, which was not executed, is
 * repeated once as it was, answers and state of its round included. The result is checked by the last list, too.
 *
 * Spec: basic/transports/streamable-http#client-behavior (2026-07-28).
 */
export async function callTool(context: PeerContext, call: Call, tool: ToolCall): Promise<CallToolResult> {
  const { name, args, checks } = tool;
  const result = await call.request('tools/call', { name, arguments: args }, minting(context, call, tool));
  return checks.toolResult(name, result, call);
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
  const minted = minting(context, call, { name, args, checks });
  const result = takesTasks ? await call.roundOrTask(params, minted) : await call.round('tools/call', params, minted);
  if (result.resultType === 'input_required') return result;
  const answer = result as CallToolResult | CreateTaskResult;
  return standsForTask(answer) ? answer : checks.toolResult(name, answer, call);
}

/** As {@link callTool}, for a caller who takes tasks: a result that stands for one is answered as it came. */
export async function callToolOrTask(
  context: PeerContext,
  call: Call,
  tool: ToolCall,
): Promise<CallToolResult | CreateTaskResult> {
  const { name, args, checks } = tool;
  const result = await call.requestOrTask({ name, arguments: args }, minting(context, call, tool));
  return standsForTask(result) ? result : checks.toolResult(name, result, call);
}

/** Throws where the tool cannot be called at all, before anything is sent. */
function minting(context: PeerContext, call: Call, { name, args, checks }: ToolCall): SendMinted {
  checks.assertCallable(name, args);
  return (send) => {
    const { toolHeaders } = call.session;
    return toolHeaders === undefined ? send(undefined) : sendMinted(toolHeaders, send);
  };

  async function sendMinted(toolHeaders: ToolHeaders, send: Parameters<SendMinted>[0]): Promise<JsonObject> {
    const headers = toolHeaders.mint(name, args);
    try {
      return await send(headers);
    } catch (error) {
      if (!isHeaderMismatch(error)) throw error;
      // Another call may have learned better meanwhile.
      const isLearned = isOther(toolHeaders.mint(name, args), headers);
      if (!isLearned) await refreshTools(context, call, checks);
      checks.assertCallable(name, args);
      const minted = toolHeaders.mint(name, args);
      // The same would be refused again, if these headers were the reason.
      if (!isOther(minted, headers)) throw error;
      return send(minted);
    }
  }
}

function isOther(minted: HeaderFields, headers: HeaderFields): boolean {
  return JSON.stringify(minted) !== JSON.stringify(headers);
}

/** What is being listed anew, which all calls of the session that were refused meanwhile wait for. */
const refreshes = new WeakMap<Session, Promise<void>>();

async function refreshTools(context: PeerContext, call: Call, checks: ResultChecks): Promise<void> {
  const { session } = call;
  for (let other = refreshes.get(session); other !== undefined; other = refreshes.get(session)) {
    // The call that lists may be given up, or have less time.
    const hasListed = other.then(
      () => true,
      () => false,
    );
    if (await untilAborted(call.signal, hasListed)) return;
  }
  const own = learnTools(context, call, checks).finally(() => refreshes.delete(session));
  refreshes.set(session, own);
  await own;
}

async function learnTools(context: PeerContext, call: Call, checks: ResultChecks): Promise<void> {
  await usableTools(context, call.session, checks, await listAll(context, call, toolList));
}

/** The status says that the request was refused: the code alone could be that of a tool. */
function isHeaderMismatch(error: unknown): boolean {
  const { code, status } = errorCodes.headerMismatch;
  return error instanceof ProtocolError && error.code === code && error.status === status;
}
