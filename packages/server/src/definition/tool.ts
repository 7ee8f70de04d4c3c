import {
  assertHandler,
  assertKnownOptions,
  assertObject,
  type CallToolResult,
  type ClientCapability,
  clip,
  type Icon,
  type JsonObject,
  type KnownOptions,
  type ParamHeaders,
  planParamHeaders,
  present,
  type Tool,
  type ToolAnnotations,
} from '@switchyard/protocol';

import type { InputRequired } from '../handler/input-required.ts';
import { toScopes } from '../authorization/scopes.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { assertName } from './name.ts';
import { assertIcons } from './icons.ts';
import { assertMeta } from './meta.ts';
import { type ToolUi, toUiMeta } from './tool-ui.ts';
import {
  type Accepted,
  type CompiledValueSchema,
  compileValueSchema,
  type Given,
  noArguments,
  type ValueSchema,
} from '../schema/value-schema.ts';

/** How a tool is described. Spec: schema#tool (2026-07-28). */
export interface ToolDefinition<I extends ValueSchema | undefined, O extends ValueSchema | undefined> {
  /** What the tool does: models read it to choose. */
  readonly description?: string;
  /** The name that people read. Default: the name of the tool. */
  readonly title?: string;
  /** The arguments; absent: the tool takes none, and refuses any. Its root must be an object. */
  readonly input?: I;
  /** The structured result; present: every result that is not an error must pass it. */
  readonly output?: O;
  /** Hints for hosts, which do not trust them. */
  readonly annotations?: ToolAnnotations;
  /** Icons that hosts may show; absent: none. */
  readonly icons?: readonly Icon[];
  /** `_meta` of the listed entry, under keys like `com.example/owner`; those of the protocol are refused. */
  readonly meta?: JsonObject;
  /**
   * Scopes that the caller must hold, all of them or broader ones: default none. Without them the handler does not run,
   * and over HTTP the caller gets 403 with a challenge that names them all; one whom nobody authenticated gets 401.
   * Over stdio the `principal` of `serveStdio` says what the local user may.
   *
   * Spec: basic/authorization#scope-challenge-handling (2026-07-28).
   */
  readonly scopes?: readonly string[];
  /**
   * Version of the handler, default none: change it when steps or questions come to mean something else under the same
   * keys. Request state of another version is refused.
   */
  readonly handlerVersion?: string;
  /**
   * Whether each request state of the tool is good for one retry only, default false. It takes the server's `records`.
   * The identical retry within 60 seconds, after a lost response, gets the recorded outcome; any other gets -32602, and
   * answers without a state count for nothing. A retry that is refused before one of its answers reached the handler
   * does not count.
   */
  readonly singleUse?: boolean;
  /**
   * Whether the handler may call `ctx.task()`; default: it may not. `optional`: for a caller who takes no tasks it runs
   * inside the call. `required`: such a caller gets -32021, and it does not run. A server with such a tool offers the
   * extension `io.modelcontextprotocol/tasks`.
   */
  readonly task?: 'optional' | 'required';
  /**
   * Links the tool to an app of the server, which a host shows beside its result (`server.ui`). The result still says
   * everything in text, for clients without apps.
   */
  readonly ui?: ToolUi;
  /**
   * Capabilities that the caller must declare on the request; otherwise it gets -32021 and the handler does not run.
   */
  readonly requires?: readonly ClientCapability[];
}

const toolOptions: KnownOptions<ToolDefinition<ValueSchema | undefined, ValueSchema | undefined>> = {
  description: true,
  title: true,
  input: true,
  output: true,
  annotations: true,
  icons: true,
  meta: true,
  scopes: true,
  handlerVersion: true,
  singleUse: true,
  task: true,
  ui: true,
  requires: true,
};

/** The arguments that a handler gets. */
export type ToolArguments<I> = I extends ValueSchema ? Accepted<I> : Record<never, never>;

/**
 * What a handler may return: a string (text), a full result (recognised by an own member `content`, `structuredContent`
 * or `resultType`), or any other JSON value, which becomes `structuredContent` and the same value as text. A full
 * result that breaks the protocol (an image that is no Base64, say) is a failure of the tool, and the cause in the log
 * names the path and the rule. Or what `inputRequired` made, which asks the client.
 */
export type ToolReturn<O> =
  | CallToolResult
  | InputRequired
  | (O extends ValueSchema ? Given<O> : string | object | number | boolean | null | undefined | void);

/**
 * Runs a tool. Calls run side by side and in no order, also those of one caller; what they share is the author's to
 * guard.
 *
 * A thrown `ToolError` is what the caller's model reads: a result with `isError`. A thrown `ProtocolError` becomes the
 * error response with its code. Whatever else is thrown, or returned against the protocol or the output schema, is a
 * result with `isError` that holds only a reference; the cause is logged under it.
 *
 * `context.signal` aborts when the caller cancels or goes away. Nothing stops a handler that ignores it: it runs on,
 * and its result is dropped. So it is after `timeoutMs` of the server, when the signal aborts as well and its caller
 * gets an error.
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
  readonly scopes: readonly string[];
  readonly handlerVersion: string | undefined;
  readonly singleUse: boolean;
  readonly task: 'optional' | 'required' | undefined;
  readonly handler: (args: JsonObject, context: RequestContext) => unknown;
}

/**
 * Compiles a tool once, for every call that follows.
 *
 * @throws TypeError when the name, a schema, a key of `meta` or an `x-mcp-header` annotation breaks a rule of the
 *   protocol, `task` or `requires` is none of its choices, the definition has a member that it does not know, or the
 *   handler is no function; the message names it.
 */
export function compileTool<I extends ValueSchema | undefined, O extends ValueSchema | undefined>(
  name: string,
  definition: ToolDefinition<I, O>,
  handler: ToolHandler<I, O>,
): CompiledTool {
  assertName('tool', name);
  assertObject(`tool ${name}`, definition);
  assertMeta(`tool ${name}`, definition.meta);
  assertIcons(`tool ${name}`, definition.icons);
  assertKnownOptions(`tool ${name}`, definition, toolOptions);
  assertHandler(`tool ${name}`, handler);
  assertChoices(name, definition);
  const input = definition.input === undefined ? noArguments : compileNamed(name, 'input', definition.input);
  const inputSchema = input.jsonSchema;
  if (inputSchema['type'] !== 'object')
    throw new TypeError(`tool ${name}: the input schema must have "type": "object" at its root`);
  const plan = planParamHeaders(inputSchema);
  if ('problem' in plan) throw new TypeError(`tool ${name}: ${plan.problem}`);
  const output = definition.output === undefined ? undefined : compileNamed(name, 'output', definition.output);
  const { title, description, annotations, icons, ui } = definition;
  const meta = ui === undefined ? definition.meta : toUiMeta(name, ui, definition.meta);
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
    scopes: toScopes(`tool ${name}: scopes`, definition.scopes ?? []),
    handlerVersion: definition.handlerVersion,
    singleUse: definition.singleUse ?? false,
    task: definition.task,
    handler: handler as CompiledTool['handler'],
  };
}

const taskChoices: { readonly [C in NonNullable<CompiledTool['task']>]: true } = { optional: true, required: true };
const capabilityChoices: { readonly [C in ClientCapability]: true } = {
  roots: true,
  sampling: true,
  elicitation: true,
};

/** What is none of the choices would make a tool that nobody can call, or that makes no tasks. */
function assertChoices(
  name: string,
  { task, requires = [] }: Pick<ToolDefinition<undefined, undefined>, 'task' | 'requires'>,
): void {
  if (task !== undefined && !Object.hasOwn(taskChoices, task))
    throw new TypeError(
      `tool ${name}: task must be one of ${Object.keys(taskChoices).join(', ')}, not ${clip(JSON.stringify(task))}`,
    );
  const unknown = requires.find((capability) => !Object.hasOwn(capabilityChoices, capability));
  if (unknown !== undefined)
    throw new TypeError(
      `tool ${name}: requires may list ${Object.keys(capabilityChoices).join(', ')}, not ${clip(JSON.stringify(unknown))}`,
    );
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
