import {
  type AskingMethod,
  type CallToolResult,
  type CreateTaskResult,
  type GetPromptResult,
  type InputRequiredResult,
  type JsonObject,
  methodOf,
  type ParamsOf,
  type ReadResourceResult,
  type ResultOf,
} from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import { callToolRound } from './call-tool.ts';
import type { Call } from './call.ts';

/**
 * Sends one request as it is given, `inputResponses` and `requestState` included, and answers what comes: the complete
 * result, checked as any other, the one that asks for input, or the one that stands for a task.
 */
export async function requestRound<M extends AskingMethod>(
  context: PeerContext,
  call: Call,
  request: {
    readonly method: M;
    readonly params: ParamsOf<M>;
    readonly checks: ResultChecks;
    readonly takesTasks: boolean;
  },
): Promise<ResultOf<M> | InputRequiredResult | CreateTaskResult> {
  const { method, checks, takesTasks } = request;
  const params: JsonObject = { ...request.params };
  const answer = await send();
  // Each method has its own result, which the branch below has answered.
  return answer as ResultOf<M> | InputRequiredResult | CreateTaskResult;

  async function send(): Promise<
    CallToolResult | CreateTaskResult | ReadResourceResult | GetPromptResult | InputRequiredResult
  > {
    if (method === 'tools/call') {
      return callToolRound(context, call, { params: params as object as ParamsOf<'tools/call'>, checks, takesTasks });
    }
    if (method === 'resources/read') {
      const result = await call.round('resources/read', params);
      return asksForInput(result) ? result : checks.resource((params as { readonly uri: string }).uri, result);
    }
    if (method === 'prompts/get') {
      const result = await call.round('prompts/get', params);
      return asksForInput(result) ? result : checks.prompt(result);
    }
    const others = methodOf(method) === undefined ? '' : ' The client has a method of its own for that.';
    throw context.fail(
      'invalid-argument',
      `request sends tools/call, resources/read or prompts/get, and not ${quoted(String(method))}.${others}`,
    );
  }
}

/** Answers whether a result is one that asks for input. */
export function asksForInput(result: object): result is InputRequiredResult {
  return 'resultType' in result && result.resultType === 'input_required';
}
