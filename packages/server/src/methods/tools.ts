import {
  type CallToolResult,
  type ClientCapabilities,
  type ClientCapability,
  clip,
  type JsonObject,
  type ParamsOf,
  ProtocolError,
} from '@switchyard/protocol';

import type { Catalog } from '../catalog.ts';
import { errorResult, toCallToolResult, ToolError } from '../definition/tool-result.ts';
import type { RequestContext } from '../request-context.ts';

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
): Promise<CallToolResult> {
  const { name, arguments: args = {} } = params as ParamsOf<'tools/call'>;
  const tool = catalog.tools.get(name);
  if (tool === undefined) throw new ProtocolError('invalidParams', `Unknown tool: ${clip(name, 128)}`);
  assertCapabilities(tool.requires, context);
  try {
    const checked = await tool.input.check(args);
    if ('problem' in checked) return errorResult(`Invalid arguments for ${name}: ${checked.problem}`);
    const returned = await tool.handler(checked.value as JsonObject, context);
    return await toCallToolResult(returned, tool.output);
  } catch (thrown) {
    if (thrown instanceof ToolError) return errorResult(thrown.message, thrown.data);
    if (thrown instanceof ProtocolError) throw thrown;
    return failed(name, thrown);
  }
}

function assertCapabilities(required: readonly ClientCapability[], context: RequestContext): void {
  const missing = required.filter((capability) => context.capabilities[capability] === undefined);
  if (missing.length === 0) return;
  const requiredCapabilities: ClientCapabilities = Object.fromEntries(missing.map((capability) => [capability, {}]));
  throw new ProtocolError(
    'missingRequiredClientCapability',
    `The request needs a client that declares: ${missing.join(', ')}`,
    { data: { requiredCapabilities } },
  );
}
