import {
  type CallToolResult,
  clip,
  extensions,
  type JsonObject,
  type ParamsOf,
  ProtocolError,
} from '@switchyard/protocol';

import { assertScopes } from '../authorization/assert-scopes.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CompiledTool } from '../definition/tool.ts';
import { errorResult, toCallToolResult } from '../definition/tool-result.ts';
import { declaresExtension } from '../dispatch/declared-extension.ts';
import { missingCapabilities } from '../dispatch/missing-capabilities.ts';
import { InputRequired } from '../handler/input-required.ts';
import { isThenable } from '../timing/is-thenable.ts';
import { serving } from '../dispatch/served-request.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { ToolError } from '../handler/tool-error.ts';

/** Answers the result of a tool whose handler failed with something that its caller may not see. */
export type ToolFailed = (tool: string, cause: unknown) => CallToolResult;

/**
 * Calls a tool: unknown names are -32602, argument values that break the schema are a complete result with `isError`.
 *
 * Spec: server/tools#calling-tools, server/tools#error-handling (2026-07-28).
 */
export async function callTool(
  catalog: Catalog,
  params: JsonObject,
  context: RequestContext,
  failed: ToolFailed,
): Promise<CallToolResult | InputRequired> {
  const { name, arguments: args = {} } = params as ParamsOf<'tools/call'>;
  const tool = catalog.tools.get(name);
  if (tool === undefined) throw new ProtocolError('invalidParams', `Unknown tool: ${clip(name, 128)}`);
  assertScopes(context.principal, tool.scopes);
  assertCapabilities(tool, context);
  try {
    const checking = tool.input.check(args);
    const checked = isThenable(checking) ? await checking : checking;
    if ('problem' in checked) return errorResult(`Invalid arguments for ${name}: ${checked.problem}`);
    const running = tool.handler(checked.value as JsonObject, context);
    const returned = isThenable(running) ? await running : running;
    serving.returned(context);
    if (returned instanceof InputRequired) return returned;
    const result = toCallToolResult(returned, tool.output);
    return isThenable(result) ? await result : result;
  } catch (thrown) {
    return toFailure(name, thrown, context, failed);
  }
}

/**
 * Answers the result of a tool whose handler threw.
 *
 * @throws ProtocolError where that is what was thrown.
 */
export function toFailure(name: string, thrown: unknown, context: RequestContext, failed: ToolFailed): CallToolResult {
  if (thrown instanceof ToolError) return errorResult(thrown.message, thrown.data);
  if (thrown instanceof ProtocolError) throw thrown;
  // A handler that stops because it was told to has not failed.
  if (context.signal.aborted && thrown === context.signal.reason) return errorResult(`The call of ${name} was ended`);
  return failed(name, thrown);
}

function assertCapabilities({ requires, task }: CompiledTool, { capabilities }: RequestContext): void {
  if (requires.length === 0 && task !== 'required') return;
  const missing = requires.filter((capability) => capabilities[capability] === undefined);
  const lacksTasks = task === 'required' && !declaresExtension(capabilities, extensions.tasks);
  if (missing.length === 0 && !lacksTasks) return;
  throw missingCapabilities({
    ...Object.fromEntries(missing.map((capability) => [capability, {}])),
    ...(lacksTasks ? { extensions: { [extensions.tasks]: {} } } : {}),
  });
}
