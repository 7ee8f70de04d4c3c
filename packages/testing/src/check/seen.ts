import { redactSecrets } from '@switchyard/guards';
import { errorCodes, isJsonObject, type JsonObject, metaKeys } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';

const MAX_SHOWN_CHARS = 100;

/** The result of an exchange; `undefined` where there is none. */
export function resultOf({ response }: RawExchange): JsonObject | undefined {
  const result = response?.['result'];
  return isJsonObject(result) ? result : undefined;
}

/** The error of an exchange; `undefined` where there is none. */
export function errorOf({ response }: RawExchange): JsonObject | undefined {
  const error = response?.['error'];
  return isJsonObject(error) ? error : undefined;
}

/** What a server says it is, in `_meta` of its answer; `undefined` where it does not. */
export function serverInfoOf(exchange: RawExchange): JsonObject | undefined {
  const meta = resultOf(exchange)?.['_meta'];
  const info = isJsonObject(meta) ? meta[metaKeys.serverInfo] : undefined;
  return isJsonObject(info) ? info : undefined;
}

/** The entries of a member that is a list of objects; what is no object is left out. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isJsonObject) : [];
}

/**
 * A value in a report, at most 100 characters of JSON without credentials, with an ellipsis where it was cut; a value
 * that is nested too deep has no form.
 */
export function showValue(value: unknown): string {
  try {
    // Masked before it is cut, so that no secret loses the end that tells it.
    const shown = redactSecrets((JSON.stringify(value) ?? 'nothing').slice(0, 8 * MAX_SHOWN_CHARS));
    return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS - 1)}…` : shown;
  } catch {
    return 'something that is nested too deep';
  }
}

/** What came in a few words: `error -32602 (HTTP 400)`, `a complete result`. */
export function describeAnswer(exchange: RawExchange): string {
  const { status } = exchange;
  const http = status === undefined ? '' : ` (HTTP ${status})`;
  const error = errorOf(exchange);
  if (error !== undefined) return `error ${showValue(error['code'])}${http}`;
  const result = resultOf(exchange);
  if (result === undefined) return `${nothingOf(exchange)}${http}`;
  const type = result['resultType'];
  return `${typeof type === 'string' ? `a result of type ${showValue(type)}` : 'a result'}${http}`;
}

function nothingOf({ status, headers, received, stray, flaws = [] }: RawExchange): string {
  if (status !== undefined && status >= 300 && status < 400)
    return `a redirect to ${showValue(headers?.['location'])}, which is not followed`;
  const other = received.find((message) => Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'));
  if (other !== undefined) return `no response but one under the id ${showValue(other['id'])}`;
  const [flaw] = flaws;
  return `${stray.length > 0 ? 'what is no JSON-RPC message' : 'no JSON-RPC response'}${flaw === undefined ? '' : `: ${flaw}`}`;
}

/** Messages of an exchange that are requests of the server. */
export function serverRequestsOf({ received }: RawExchange): readonly JsonObject[] {
  return received.filter((message) => typeof message['method'] === 'string' && Object.hasOwn(message, 'id'));
}

/** Whether a result asks for input. */
export function asksForInput(exchange: RawExchange): boolean {
  return resultOf(exchange)?.['resultType'] === 'input_required';
}

/** Whether a request was refused for what it was: not served, and not met by a server that broke down or waited. */
export function isRefused(exchange: RawExchange): boolean {
  const { status = 400 } = exchange;
  if (resultOf(exchange) !== undefined || status >= 500) return false;
  const error = errorOf(exchange);
  if (error !== undefined) return error['code'] !== errorCodes.internalError.code;
  return status >= 400 && status !== REQUEST_TIMEOUT;
}

const REQUEST_TIMEOUT = 408;
