import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { Exchange } from '../wire/conversation.ts';

const MAX_SHOWN_CHARS = 100;

/** The result of an exchange; `undefined` where there is none. */
export function resultOf({ response }: Exchange): JsonObject | undefined {
  const result = response?.['result'];
  return isJsonObject(result) ? result : undefined;
}

/** The error of an exchange; `undefined` where there is none. */
export function errorOf({ response }: Exchange): JsonObject | undefined {
  const error = response?.['error'];
  return isJsonObject(error) ? error : undefined;
}

/** The entries of a member that is a list of objects; what is no object is left out. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isJsonObject) : [];
}

/** A value in a report, at most 100 characters of JSON; a value that is nested too deep has no form. */
export function showValue(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? 'nothing').slice(0, MAX_SHOWN_CHARS);
  } catch {
    return 'something that is nested too deep';
  }
}

/** What came in a few words: `error -32602 (HTTP 400)`, `a complete result`. */
export function describeAnswer(exchange: Exchange): string {
  const { status } = exchange;
  const http = status === undefined ? '' : ` (HTTP ${status})`;
  const error = errorOf(exchange);
  if (error !== undefined) return `error ${showValue(error['code'])}${http}`;
  const result = resultOf(exchange);
  if (result === undefined) return status === undefined ? 'no response' : `no JSON-RPC response${http}`;
  const type = result['resultType'];
  return `${typeof type === 'string' ? `a result of type ${showValue(type)}` : 'a result'}${http}`;
}

/** Messages of an exchange that are requests of the server. */
export function serverRequestsOf({ received }: Exchange): readonly JsonObject[] {
  return received.filter((message) => typeof message['method'] === 'string' && Object.hasOwn(message, 'id'));
}

/** Whether a result asks for input. */
export function asksForInput(exchange: Exchange): boolean {
  return resultOf(exchange)?.['resultType'] === 'input_required';
}
