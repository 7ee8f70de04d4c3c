import type { Client } from '@switchyard/client';
import { cleanText } from '@switchyard/guards';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  JsonObject,
  ParamsOf,
  ReadResourceResult,
} from '@switchyard/protocol';
import type { GivenVariables } from '../catalog/settle-template.ts';
import type { GovernedKind } from '../policy/governed.ts';

/** What a completed operation answers, by its protocol method. */
export interface OperationResults {
  readonly 'tools/call': CallToolResult;
  readonly 'resources/read': ReadResourceResult;
  readonly 'prompts/get': GetPromptResult;
  readonly 'completion/complete': CompleteResult;
}

/** A protocol method that takes the governed path. */
export type OperationMethod = keyof OperationResults;

/**
 * The params of an operation, with exposed names and URIs; what belongs to one round of a request is not among them.
 */
export type OperationParams<M extends OperationMethod> = Omit<ParamsOf<M>, 'inputResponses' | 'requestState'>;

/** What an agent wants done. */
export type Operation<M extends OperationMethod = OperationMethod> = {
  [K in M]: { readonly method: K; readonly params: OperationParams<K> };
}[M];

/** In what the methods differ on their way, beside the shapes of their params. */
export interface OperationTraits {
  /** Whether it may change something at the server; of any other, nobody has to know whether it was carried out. */
  readonly hasEffect: boolean;
  /** Whether its result can say that it failed, so that a verdict travels as a result instead of an error. */
  readonly hasErrorResult: boolean;
  /** Whether the arguments are those that a definition declares. */
  readonly hasDeclaredArguments: boolean;
}

/** What the governed path needs to know of one method. */
interface Form<M extends OperationMethod> extends OperationTraits {
  kind(params: OperationParams<M>): GovernedKind;
  /** The exposed name or URI. */
  subject(params: OperationParams<M>): string;
  /** What the caller gives beside the subject: the part that is checked, digested and frozen. */
  arguments(params: OperationParams<M>): JsonObject;
  /** The params as the server is asked: with its own name of the subject, and checked arguments. */
  ask(name: string, args: JsonObject, asked: OperationParams<M>): OperationParams<M>;
  send(client: Client, params: OperationParams<M>, options: SendOptions): Promise<OperationResults[M]>;
  /**
   * What the caller says of the variables of a URI template; absent where the URI that it is about is never a template.
   */
  variables?(params: OperationParams<M>): GivenVariables;
}

type SendOptions = NonNullable<Parameters<Client['complete']>[1]>;

/** Every method that takes the governed path. No other place tells the methods apart. */
const forms: { readonly [M in OperationMethod]: Form<M> } = {
  'tools/call': {
    hasEffect: true,
    hasErrorResult: true,
    hasDeclaredArguments: true,
    kind: () => 'tool',
    subject: ({ name }) => name,
    arguments: ({ arguments: args = {} }) => args,
    ask: (name, args) => ({ name, arguments: args }),
    send: (client, { name, arguments: args }, options) => client.callTool(name, args, options),
  },
  'prompts/get': {
    hasEffect: false,
    hasErrorResult: false,
    hasDeclaredArguments: true,
    kind: () => 'prompt',
    subject: ({ name }) => name,
    arguments: ({ arguments: args = {} }) => args,
    // Validation has seen that every value is a string.
    ask: (name, args) => ({ name, arguments: args as { readonly [name: string]: string } }),
    send: (client, { name, arguments: args }, options) => client.getPrompt(name, args, options),
  },
  'resources/read': {
    hasEffect: false,
    hasErrorResult: false,
    hasDeclaredArguments: false,
    kind: () => 'resource',
    subject: ({ uri }) => uri,
    arguments: () => ({}),
    ask: (uri) => ({ uri }),
    send: (client, { uri }, options) => client.readResource(uri, options),
  },
  'completion/complete': {
    hasEffect: false,
    hasErrorResult: false,
    hasDeclaredArguments: false,
    kind: ({ ref }) => (ref.type === 'ref/prompt' ? 'prompt' : 'resource'),
    subject: ({ ref }) => (ref.type === 'ref/prompt' ? ref.name : ref.uri),
    arguments: ({ argument, context }) => (context === undefined ? { argument } : { argument, context }),
    ask: (name, args, { ref }) => ({
      ref: ref.type === 'ref/prompt' ? { type: ref.type, name } : { type: ref.type, uri: name },
      ...(args as Pick<OperationParams<'completion/complete'>, 'argument' | 'context'>),
    }),
    send: (client, params, options) => client.complete(params, options),
    variables: ({ argument, context }) => ({ settled: context?.arguments ?? {}, begun: argument }),
  },
};

function formOf<M extends OperationMethod>({ method }: { readonly method: M }): Form<M> {
  return forms[method];
}

/**
 * Makes an operation of the params of a request: of what they hold, it takes what the method has of its own, and
 * missing arguments become `{}`. The params must have the shape of the method.
 */
export function toOperation<M extends OperationMethod>(method: M, params: OperationParams<M>): Operation<M> {
  const form: Form<M> = forms[method];
  return { method, params: form.ask(form.subject(params), form.arguments(params), params) };
}

/** Answers what the method of an operation has of its own. */
export function traitsOf({ method }: Operation): OperationTraits {
  return forms[method];
}

/** Answers what an operation is about. */
export function kindOf<M extends OperationMethod>(operation: Operation<M>): GovernedKind {
  return formOf(operation).kind(operation.params);
}

/** Answers the exposed name or URI that an operation is about. */
export function subjectOf<M extends OperationMethod>(operation: Operation<M>): string {
  return formOf(operation).subject(operation.params);
}

const MAX_SHOWN_CHARS = 512;

/** Answers what an operation is about in a form that is fit for a message: shortened, without control characters. */
export function shownSubject(operation: Operation): string {
  return cleanText(subjectOf(operation), { maxChars: MAX_SHOWN_CHARS });
}

/** Answers what the caller gives beside the name or URI. */
export function argumentsOf<M extends OperationMethod>(operation: Operation<M>): JsonObject {
  return formOf(operation).arguments(operation.params);
}

/**
 * Answers what the caller says of the variables of a URI template, or `undefined` where a URI is never taken for one.
 */
export function variablesOf<M extends OperationMethod>(operation: Operation<M>): GivenVariables | undefined {
  return formOf(operation).variables?.(operation.params);
}

/** Answers the operation as the server is asked: with its own name or URI and checked arguments. */
export function askedOf<M extends OperationMethod>(
  operation: Operation<M>,
  name: string,
  args: JsonObject,
): Operation<M> {
  const { method, params } = operation;
  return { method, params: formOf(operation).ask(name, args, params) };
}

/** Sends an operation to its server. */
export function sendTo<M extends OperationMethod>(
  client: Client,
  operation: Operation<M>,
  options: SendOptions,
): Promise<OperationResults[M]> {
  return formOf(operation).send(client, operation.params, options);
}
