import { assertKnownOptions, isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { RawClient, RawExchange, RawRequestOptions } from '../raw/raw-client.ts';
import { everyCapability } from '../raw/modern-message.ts';
import { answerInput } from './answer-input.ts';
import { asksForInput, resultOf } from './seen.ts';

/** A request that may be answered with a request for input. */
export interface MultiRoundRequest {
  /** Of the protocol: `tools/call`, `prompts/get` or `resources/read`. */
  readonly method: string;
  readonly params: JsonObject;
  /** Of a tool. */
  readonly inputSchema?: unknown;
}

/** How a client answers: by key, before {@link answerInput}. */
export type InputAnswers = { readonly [key: string]: JsonObject };

/** How often a request is retried: what a server may ask for more has no end. */
export const MAX_ROUNDS = 10;

/** What a subject is called in labels. */
export function nameOfSubject({ method, params }: MultiRoundRequest): string {
  return `${method} ${String(params['name'] ?? params['uri'])}`;
}

/** Sends the first request of a subject, as a client that may be asked for anything. */
export function ask(
  client: RawClient,
  label: string,
  subject: MultiRoundRequest,
  request: RawRequestOptions = {},
): Promise<RawExchange> {
  const { inputSchema } = subject;
  return client.request(label, subject.method, subject.params, {
    capabilities: everyCapability,
    inputSchema,
    ...request,
  });
}

/** Answers what a request for input asks, each part by key. */
export function answersTo(exchange: RawExchange, answers: InputAnswers = {}): InputAnswers {
  const requests = resultOf(exchange)?.['inputRequests'];
  if (!isJsonObject(requests)) return {};
  const answered = Object.entries(requests).map(
    ([key, request]) => [key, Object.hasOwn(answers, key) ? answers[key] : answerInput(request)] as const,
  );
  return Object.fromEntries(answered.filter((entry): entry is [string, JsonObject] => entry[1] !== undefined));
}

/** What a retry changes of what a good client would send. */
export interface Retry extends RawRequestOptions {
  readonly answers?: InputAnswers;
  /** Instead of the state that came; `undefined` where it is as it came. */
  readonly state?: string;
}

/** Repeats the request of a subject with what the answer to it asked for. The id is a new one. */
export function retry(
  client: RawClient,
  label: string,
  subject: MultiRoundRequest,
  asked: RawExchange,
  { answers, state, ...request }: Retry = {},
): Promise<RawExchange> {
  const requestState = state ?? resultOf(asked)?.['requestState'];
  const inputResponses = answers ?? answersTo(asked);
  const params = {
    ...subject.params,
    ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
  return ask(client, label, { ...subject, params }, request);
}

/**
 * Retries until something else than a request for input comes, at most {@link MAX_ROUNDS} times; answers every retry.
 */
export async function finishRounds(
  client: RawClient,
  label: string,
  subject: MultiRoundRequest,
  asked: RawExchange,
  options: {
    readonly answers?: InputAnswers | undefined;
    readonly instanceOf?: (round: number) => number;
    readonly request?: RawRequestOptions;
  } = {},
): Promise<readonly RawExchange[]> {
  assertKnownOptions('finishRounds', options, { answers: true, instanceOf: true, request: true });
  const exchanges: RawExchange[] = [];
  let last = asked;
  for (let round = 1; round <= MAX_ROUNDS && asksForInput(last); round += 1) {
    const instance = options.instanceOf?.(round) ?? 1;
    last = await retry(client, `${label}: retry ${round}`, subject, last, {
      ...options.request,
      answers: answersTo(last, options.answers),
      instance,
    });
    exchanges.push(last);
  }
  return exchanges;
}
