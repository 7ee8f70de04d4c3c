import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import { failed, passed, type Probe } from './probe.ts';
import { showValue } from './seen.ts';

const MAX_PROBLEMS = 10;
const OK = 200;
/** What a request over HTTP may be answered with. */
const MEDIA_TYPE = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i;

/**
 * Judges every response of a conversation as a message and by its transport, since a client refuses what is wrong there
 * before it looks at anything else: one response under the id of its request, a result or an error, in JSON that has
 * one meaning; over HTTP with a media type of the protocol, and a result with status 200.
 *
 * Spec: basic/index#responses, basic/transports/streamable-http#receiving-messages (2026-07-28).
 */
export function envelopeProbes(exchanges: readonly RawExchange[]): readonly Probe[] {
  const what = 'responses';
  const wrong = new Map<string, RawExchange>();
  const answered = new Set<unknown>();
  for (const exchange of exchanges) {
    const problem = problemOf(exchange, answered);
    if (problem !== undefined && !wrong.has(problem)) wrong.set(problem, exchange);
    if (exchange.response !== undefined) answered.add(exchange.sent['id']);
  }
  if (wrong.size === 0)
    return [passed(what, `${answered.size} with the id of their request, and a result or an error`)];
  return [...wrong]
    .slice(0, MAX_PROBLEMS)
    .map(([problem, exchange]) => failed(what, `${String(exchange.sent['method'])}: ${problem}`, exchange));
}

function problemOf(exchange: RawExchange, answered: ReadonlySet<unknown>): string | undefined {
  const { response } = exchange;
  const second = secondProblem(exchange, answered);
  if (second !== undefined || response === undefined) return second;
  return messageProblem(exchange, response) ?? transportProblem(exchange);
}

function messageProblem({ sent, flaws = [] }: RawExchange, response: JsonObject): string | undefined {
  if (response['jsonrpc'] !== '2.0') return `the response has jsonrpc ${showValue(response['jsonrpc'])}`;
  if (response['id'] !== sent['id']) return `the response has the id ${showValue(response['id'])}`;
  const { result, error } = response;
  if (Object.hasOwn(response, 'result') && Object.hasOwn(response, 'error'))
    return 'the response has a result and an error';
  if (Object.hasOwn(response, 'result') && !isJsonObject(result)) return `the result is ${showValue(result)}`;
  if (Object.hasOwn(response, 'error') && !isError(error))
    return `the error is ${showValue(error)}, without an integer code and a message`;
  return flaws[0];
}

function isError(error: unknown): boolean {
  return isJsonObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
}

/** A response under an id that had its response. Over stdio one may come late for a message that was given up. */
function secondProblem(
  { received, response, status }: RawExchange,
  answered: ReadonlySet<unknown>,
): string | undefined {
  const other = received.find(
    (message) => message !== response && (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error')),
  );
  if (other === undefined) return undefined;
  const { id } = other;
  return status === undefined && !answered.has(id) ? undefined : `another response came, under the id ${showValue(id)}`;
}

function transportProblem({ status, headers, response }: RawExchange): string | undefined {
  if (status === undefined) return undefined;
  const type = headers?.['content-type'];
  if (type === undefined || !MEDIA_TYPE.test(type))
    return `the response has ${type === undefined || type === '' ? 'no media type' : `the media type ${showValue(type)}`}, and must be application/json or text/event-stream`;
  const isResult = Object.hasOwn(response ?? {}, 'result');
  return isResult && status !== OK ? `a result came with HTTP ${status}` : undefined;
}
