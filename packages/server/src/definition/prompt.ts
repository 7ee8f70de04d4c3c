import {
  clip,
  type GetPromptResult,
  type Icon,
  isJsonObject,
  type JsonObject,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
} from '@switchyard/protocol';

import type { RequestContext } from '../request-context.ts';
import { assertResult } from './assert-result.ts';
import type { Completer } from './completer.ts';
import { assertName } from './name.ts';
import { assertMeta } from './meta.ts';
import { present } from './present.ts';
import { sendableText } from './sendable-text.ts';

/** One argument of a prompt: its value is a string. A bare string describes a required argument. */
export interface PromptArgumentDefinition {
  readonly title?: string;
  readonly description?: string;
  /** Default true. */
  readonly required?: boolean;
  readonly complete?: Completer;
}

export type PromptArguments = { readonly [name: string]: PromptArgumentDefinition | string };

/** How a prompt is described. Spec: schema#prompt (2026-07-28). */
export interface PromptDefinition<A extends PromptArguments> {
  readonly description?: string;
  readonly title?: string;
  readonly args?: A & PromptArguments;
  readonly icons?: readonly Icon[];
  /** `_meta` of the listed entry, under keys like `com.example/owner`; those of the protocol are refused. */
  readonly meta?: JsonObject;
}

/** The arguments that a prompt's handler gets. */
export type PromptValues<A extends PromptArguments> = {
  readonly [K in keyof A as A[K] extends { readonly required: false } ? never : K]: string;
} & { readonly [K in keyof A as A[K] extends { readonly required: false } ? K : never]?: string };

/**
 * What a prompt's handler may return: the text of one user message, messages, or a full result. What breaks the protocol (the role
 * `system`, a list as content) is -32603, and the cause in the log names the path and the rule.
 */
export type PromptReturn = string | readonly PromptMessage[] | GetPromptResult;

/**
 * Renders a prompt. Arguments are known names with strings, and required ones are present; values are the author's to
 * check. Calls run side by side and in no order.
 *
 * A thrown `ProtocolError` becomes the error response with its code (`invalidParams`, -32602, for a value that will not
 * do); whatever else is thrown is -32603 with a reference, under which the cause is logged. `context.signal` aborts
 * when the caller cancels or goes away; a handler that ignores it runs on, and its result is dropped. There is no time
 * limit.
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
  readonly completers: { readonly [argument: string]: Completer };
  readonly handler: (
    args: { readonly [name: string]: string },
    context: RequestContext,
  ) => PromptReturn | Promise<PromptReturn>;
}

/** @throws TypeError when the name or a key of `meta` breaks a rule of the protocol. */
export function compilePrompt<A extends PromptArguments>(
  name: string,
  definition: PromptDefinition<A>,
  handler: PromptHandler<A>,
): CompiledPrompt {
  assertName('prompt', name);
  assertMeta(`prompt ${name}`, definition.meta);
  const completers: Record<string, Completer> = {};
  const args: PromptArgument[] = [];
  for (const [argument, given] of Object.entries(definition.args ?? {})) {
    const {
      title,
      description,
      required = true,
      complete,
    } = typeof given === 'string' ? { description: given } : given;
    if (complete !== undefined) completers[argument] = complete;
    args.push({ name: argument, ...present({ title, description }), required });
  }
  const { title, description, icons, meta } = definition;
  return {
    listed: {
      name,
      ...present({ title, description, arguments: args.length === 0 ? undefined : args, icons, _meta: meta }),
    },
    completers,
    handler: handler as CompiledPrompt['handler'],
  };
}

/** Answers one sentence on what is wrong with the arguments of a prompt, or `undefined`. */
export function promptArgumentProblem(prompt: Prompt, args: { readonly [name: string]: string }): string | undefined {
  const known = prompt.arguments ?? [];
  for (const { name, required } of known) {
    if (required === true && !Object.hasOwn(args, name))
      return `the prompt ${prompt.name} needs the argument "${name}"`;
  }
  for (const name of Object.keys(args)) {
    if (known.some((argument) => argument.name === name)) continue;
    const names = known.map((argument) => argument.name).join(', ') || 'none';
    return `the prompt ${prompt.name} has no argument ${JSON.stringify(clip(name))}; it has: ${names}`;
  }
  return undefined;
}

/**
 * Turns what a handler returned into a result.
 *
 * @throws TypeError when the result breaks the protocol.
 */
export function toGetPromptResult(prompt: Prompt, returned: PromptReturn): GetPromptResult {
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
