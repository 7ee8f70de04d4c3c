import {
  assertHandler,
  assertKnownOptions,
  assertObject,
  type GetPromptResult,
  type Icon,
  isJsonObject,
  type JsonObject,
  type KnownOptions,
  present,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
  toLimit,
} from '@switchyard/protocol';

import type { InputRequired } from '../handler/input-required.ts';
import { toScopes } from '../authorization/scopes.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { assertResult } from './assert-result.ts';
import type { Completer } from './completer.ts';
import { assertName } from './name.ts';
import { assertIcons } from './icons.ts';
import { assertMeta } from './meta.ts';
import type { ArgumentLimits } from './prompt-arguments.ts';
import { sendableText } from './sendable-text.ts';

const MAX_ARGUMENT_CHARS = 4_096;
const MOST_ARGUMENT_CHARS = 1_048_576;
const MAX_TOTAL_CHARS = 65_536;
const MOST_TOTAL_CHARS = 16_777_216;

/** One argument of a prompt: its value is a string. A bare string describes a required argument. */
export interface PromptArgumentDefinition {
  /** The name that people read. Default: the name of the argument. */
  readonly title?: string;
  /** What to give: people read it. */
  readonly description?: string;
  /** Default true. */
  readonly required?: boolean;
  /** The longest value, in UTF-16 units. Default 4,096; at most 1,048,576. A longer one is -32602. */
  readonly maxChars?: number;
  /** Suggests values; absent: none are suggested. */
  readonly complete?: Completer;
}

const argumentOptions: KnownOptions<PromptArgumentDefinition> = {
  title: true,
  description: true,
  required: true,
  maxChars: true,
  complete: true,
};

/** The arguments of a prompt by name; their order is that of the list. */
export type PromptArguments = { readonly [name: string]: PromptArgumentDefinition | string };

/** How a prompt is described. Spec: schema#prompt (2026-07-28). */
export interface PromptDefinition<A extends PromptArguments> {
  /** What the prompt is for: people read it to choose. */
  readonly description?: string;
  /** The name that people read. Default: the name of the prompt. */
  readonly title?: string;
  /** The arguments; absent: the prompt takes none. */
  readonly args?: A & PromptArguments;
  /**
   * The most that all values hold together, in UTF-16 units. Default 65,536, or the largest `maxChars` where that is
   * more. More is -32602.
   */
  readonly maxTotalChars?: number;
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
}

const promptOptions: KnownOptions<PromptDefinition<PromptArguments>> = {
  description: true,
  title: true,
  args: true,
  maxTotalChars: true,
  icons: true,
  meta: true,
  scopes: true,
  handlerVersion: true,
};

/** The arguments that a prompt's handler gets. */
export type PromptValues<A extends PromptArguments> = {
  readonly [K in keyof A as A[K] extends { readonly required: false } ? never : K]: string;
} & { readonly [K in keyof A as A[K] extends { readonly required: false } ? K : never]?: string };

/**
 * What a prompt's handler may return: the text of one user message, messages, a full result, or what `inputRequired`
 * made, which asks the client. What breaks the protocol (the role `system`, a list as content) is -32603, and the cause
 * in the log names the path and the rule. Insert arguments with `promptText`, which keeps them apart from the author's
 * words.
 */
export type PromptReturn = string | readonly PromptMessage[] | GetPromptResult | InputRequired;

/**
 * Renders a prompt. Arguments are known names with strings, and required ones are present; no value is longer than its
 * limit, or holds an unpaired surrogate or a control character other than tab and line breaks. What else a value must
 * be is the author's to check. Calls run side by side and in no order.
 *
 * A thrown `ProtocolError` becomes the error response with its code (`invalidParams`, -32602, for a value that will not
 * do); whatever else is thrown is -32603 with a reference, under which the cause is logged. `context.signal` aborts
 * when the caller cancels or goes away; a handler that ignores it runs on, and its result is dropped. So it is after
 * `timeoutMs` of the server: -32603.
 *
 * Spec: server/prompts#error-handling, basic/patterns/cancellation (2026-07-28).
 */
export type PromptHandler<A extends PromptArguments> = (
  args: PromptValues<A>,
  context: RequestContext,
) => PromptReturn | Promise<PromptReturn>;

/** A prompt ready to be served. */
export interface CompiledPrompt {
  readonly listed: Prompt;
  readonly limits: ArgumentLimits;
  readonly scopes: readonly string[];
  readonly handlerVersion: string | undefined;
  readonly completers: { readonly [argument: string]: Completer };
  readonly handler: (
    args: { readonly [name: string]: string },
    context: RequestContext,
  ) => PromptReturn | Promise<PromptReturn>;
}

/**
 * @throws TypeError when the name or a key of `meta` breaks a rule of the protocol, a limit is out of range, the
 *   definition has a member that it does not know, or the handler is no function.
 */
export function compilePrompt<A extends PromptArguments>(
  name: string,
  definition: PromptDefinition<A>,
  handler: PromptHandler<A>,
): CompiledPrompt {
  assertName('prompt', name);
  assertObject(`prompt ${name}`, definition);
  assertMeta(`prompt ${name}`, definition.meta);
  assertIcons(`prompt ${name}`, definition.icons);
  assertKnownOptions<PromptDefinition<PromptArguments>>(`prompt ${name}`, definition, promptOptions);
  assertHandler(`prompt ${name}`, handler);
  const completers = Object.create(null) as Record<string, Completer>;
  const args: PromptArgument[] = [];
  const maxChars = new Map<string, number>();
  for (const [argument, given] of Object.entries(definition.args ?? {})) {
    if (typeof given !== 'string') assertKnownOptions(`prompt ${name}, args.${argument}`, given, argumentOptions);
    const {
      title,
      description,
      required = true,
      complete,
      maxChars: most = MAX_ARGUMENT_CHARS,
    } = typeof given === 'string' ? { description: given } : given;
    if (complete !== undefined) completers[argument] = complete;
    maxChars.set(argument, toLimit(`prompt ${name}: args.${argument}.maxChars`, most, 1, MOST_ARGUMENT_CHARS));
    args.push({ name: argument, ...present({ title, description }), required });
  }
  const { title, description, icons, meta } = definition;
  return {
    listed: {
      name,
      ...present({ title, description, arguments: args.length === 0 ? undefined : args, icons, _meta: meta }),
    },
    limits: {
      maxChars,
      maxTotalChars: toLimit(
        `prompt ${name}: maxTotalChars`,
        definition.maxTotalChars ?? Math.max(MAX_TOTAL_CHARS, ...maxChars.values()),
        1,
        MOST_TOTAL_CHARS,
      ),
    },
    scopes: toScopes(`prompt ${name}: scopes`, definition.scopes ?? []),
    handlerVersion: definition.handlerVersion,
    completers,
    handler: handler as CompiledPrompt['handler'],
  };
}

/**
 * Turns what a handler returned into a result.
 *
 * @throws TypeError when the result breaks the protocol.
 */
export function toGetPromptResult(prompt: Prompt, returned: Exclude<PromptReturn, InputRequired>): GetPromptResult {
  const described = present({ description: prompt.description });
  if (typeof returned === 'string') {
    return { ...described, messages: [{ role: 'user', content: { type: 'text', text: sendableText(returned) } }] };
  }
  const result: GetPromptResult = isJsonObject(returned)
    ? { ...described, ...returned }
    : { ...described, messages: returned };
  assertResult('prompts/get', result);
  return result;
}
