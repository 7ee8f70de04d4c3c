import {
  type CallToolResult,
  type ClientCapability,
  type Icon,
  type JsonObject,
  type ParamHeaders,
  planParamHeaders,
  type Tool,
  type ToolAnnotations,
} from '@switchyard/protocol';

import type { RequestContext } from '../request-context.ts';
import { assertName } from './name.ts';
import { assertMeta } from './meta.ts';
import { present } from './present.ts';
import {
  type Accepted,
  type CompiledValueSchema,
  compileValueSchema,
  type Given,
  noArguments,
  type ValueSchema,
} from './value-schema.ts';

/** How a tool is described. Spec: schema#tool (2026-07-28). */
export interface ToolDefinition<I extends ValueSchema | undefined, O extends ValueSchema | undefined> {
  readonly description?: string;
  readonly title?: string;
  /** The arguments; absent: the tool takes none, and refuses any. Its root must be an object. */
  readonly input?: I;
  /** The structured result; present: every result that is not an error must pass it. */
  readonly output?: O;
  /** Hints for hosts, which do not trust them. */
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** `_meta` of the listed entry, under keys like `com.example/owner`; those of the protocol are refused. */
  readonly meta?: JsonObject;
  /** Capabilities that the caller must declare on the request; otherwise it gets -32021 and the handler does not run. */
  readonly requires?: readonly ClientCapability[];
}

/** The arguments that a handler gets. */
export type ToolArguments<I> = I extends ValueSchema ? Accepted<I> : Record<never, never>;

/**
 * What a handler may return: a string (text), a full result (recognised by an own member `content`, `structuredContent` or
 * `resultType`), or any other JSON value, which becomes `structuredContent` and the same value as text. A full result that breaks
 * the protocol (an image that is no Base64, say) is a failure of the tool, and the cause in the log names the path and the rule.
 */
export type ToolReturn<O> =
  CallToolResult | (O extends ValueSchema ? Given<O> : string | object | number | boolean | null | undefined | void);

/**
 * Runs a tool. Calls run side by side and in no order, also those of one caller; what they share is the author's to
 * guard.
 *
 * A thrown `ToolError` is what the caller's model reads: a result with `isError`. A thrown `ProtocolError` becomes the
 * error response with its code. Whatever else is thrown, or returned against the protocol or the output schema, is a
 * result with `isError` that holds only a reference; the cause is logged under it.
 *
 * `context.signal` aborts when the caller cancels or goes away. Nothing stops a handler that ignores it: it runs on,
 * counts as a running request, and its result is dropped. There is no time limit.
 *
 * Spec: server/tools#error-handling, basic/patterns/cancellation (2026-07-28).
 */
export type ToolHandler<I, O> = (
  args: ToolArguments<I>,
  context: RequestContext,
) => ToolReturn<O> | Promise<ToolReturn<O>>;

/** A tool ready to be served. */
export interface CompiledTool {
  readonly listed: Tool;
  readonly input: CompiledValueSchema;
  readonly output: CompiledValueSchema | undefined;
  readonly headers: ParamHeaders | undefined;
  readonly requires: readonly ClientCapability[];
  readonly handler: (args: JsonObject, context: RequestContext) => unknown;
}

/**
 * Compiles a tool once, for every call that follows.
 *
 * @throws TypeError when the name, a schema, a key of `meta` or an `x-mcp-header` annotation breaks a rule of the
 *   protocol; the message names it.
 */
export function compileTool<I extends ValueSchema | undefined, O extends ValueSchema | undefined>(
  name: string,
  definition: ToolDefinition<I, O>,
  handler: ToolHandler<I, O>,
): CompiledTool {
  assertName('tool', name);
  assertMeta(`tool ${name}`, definition.meta);
  const input = definition.input === undefined ? noArguments : compileNamed(name, 'input', definition.input);
  const inputSchema = input.jsonSchema;
  if (inputSchema['type'] !== 'object')
    throw new TypeError(`tool ${name}: the input schema must have "type": "object" at its root`);
  const plan = planParamHeaders(inputSchema);
  if ('problem' in plan) throw new TypeError(`tool ${name}: ${plan.problem}`);
  const output = definition.output === undefined ? undefined : compileNamed(name, 'output', definition.output);
  const { title, description, annotations, icons, meta } = definition;
  return {
    listed: {
      name,
      ...present({ title, description }),
      inputSchema: { ...inputSchema, type: 'object' },
      ...present({ outputSchema: output?.jsonSchema, annotations, icons, _meta: meta }),
    },
    input,
    output,
    headers: plan.headers.length === 0 ? undefined : plan,
    requires: definition.requires ?? [],
    handler: handler as CompiledTool['handler'],
  };
}

/** Says of which tool a schema is: a library that renders it names neither the tool nor the place. */
function compileNamed(tool: string, role: 'input' | 'output', schema: ValueSchema): CompiledValueSchema {
  try {
    return compileValueSchema(schema, role === 'input' ? 'in' : 'out');
  } catch (error) {
    throw new TypeError(
      `tool ${tool}: the ${role} schema cannot be served: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
