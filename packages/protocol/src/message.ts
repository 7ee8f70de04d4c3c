import type { ErrorBody } from './protocol-error.ts';
import { isJsonObject, type JsonObject } from './shape.ts';

/** A request id: a string or an integer. Spec: basic/index#requests (2026-07-28). */
export type MessageId = string | number;

/** A request: it has an id and gets exactly one response. */
export interface Request<P = JsonObject> {
  readonly jsonrpc: '2.0';
  readonly id: MessageId;
  readonly method: string;
  readonly params?: P;
}

/** A notification: it has no id and never gets an answer. */
export interface Notification<P = JsonObject> {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: P;
}

/**
 * The answer to a request that succeeded, under the id of the request. Spec: basic/index#result-responses (2026-07-28).
 */
export interface ResultResponse<R = JsonObject> {
  readonly jsonrpc: '2.0';
  readonly id: MessageId;
  readonly result: R;
}

/**
 * The answer to a request that failed. `id` is absent or null when the peer could not read the id of the request. Spec:
 * basic/index#error-responses (2026-07-28).
 */
export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id?: MessageId | null;
  readonly error: ErrorBody;
}

/** The one answer that a request gets. */
export type Response = ResultResponse | ErrorResponse;
/** One JSON-RPC 2.0 message. Spec: basic/index#messages (2026-07-28). */
export type Message = Request | Notification | Response;

/**
 * What a parsed JSON value is. `invalid` carries the id where it could be read, so that an error can be addressed, and
 * says in one sentence what is wrong.
 */
export type ParsedMessage =
  | { readonly kind: 'request'; readonly message: Request }
  | { readonly kind: 'notification'; readonly message: Notification }
  | { readonly kind: 'response'; readonly message: Response }
  | { readonly kind: 'invalid'; readonly id: MessageId | undefined; readonly problem: string };

/** Answers whether a value may be the id of a request: a string or an integer, not `null`, not `1.5`. */
export function isMessageId(value: unknown): value is MessageId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Classifies one parsed JSON value as a JSON-RPC 2.0 message; it never throws. Members beyond those of JSON-RPC are
 * kept.
 *
 * Spec: basic/index#messages (2026-07-28). Batches do not exist at this revision.
 */
export function parseMessage(value: unknown): ParsedMessage {
  if (!isJsonObject(value)) {
    return invalid(
      undefined,
      Array.isArray(value) ? 'a batch is not allowed: send one message at a time' : 'a message must be a JSON object',
    );
  }
  const { id, method } = value;
  const readableId = isMessageId(id) ? id : undefined;
  if (value['jsonrpc'] !== '2.0') return invalid(readableId, 'jsonrpc must be "2.0"');
  if (method === undefined) return parseResponse(value, readableId);
  if (typeof method !== 'string') return invalid(readableId, 'method must be a string');
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')) {
    return invalid(readableId, 'a message has either a method or a result or an error');
  }
  if (value['params'] !== undefined && !isJsonObject(value['params']))
    return invalid(readableId, 'params must be an object');
  if (!Object.hasOwn(value, 'id')) return { kind: 'notification', message: value as object as Notification };
  if (readableId === undefined) return invalid(undefined, 'id must be a string or an integer');
  return { kind: 'request', message: value as object as Request };
}

function parseResponse(value: JsonObject, id: MessageId | undefined): ParsedMessage {
  const hasResult = Object.hasOwn(value, 'result');
  const hasError = Object.hasOwn(value, 'error');
  if (!hasResult && !hasError) return invalid(id, 'a message has a method, a result or an error');
  if (hasResult && hasError) return invalid(id, 'a response has either a result or an error, not both');
  if (hasResult) {
    if (id === undefined) return invalid(undefined, 'a result response has an id of type string or integer');
    if (!isJsonObject(value['result'])) return invalid(id, 'result must be an object');
    return { kind: 'response', message: value as object as ResultResponse };
  }
  const { error } = value;
  if (!isJsonObject(error)) return invalid(id, 'error must be an object');
  if (!Number.isInteger(error['code'])) return invalid(id, 'error.code must be an integer');
  if (typeof error['message'] !== 'string') return invalid(id, 'error.message must be a string');
  if (id === undefined && value['id'] !== undefined && value['id'] !== null)
    return invalid(undefined, 'id must be a string or an integer');
  return { kind: 'response', message: value as object as ErrorResponse };
}

function invalid(id: MessageId | undefined, problem: string): ParsedMessage {
  return { kind: 'invalid', id, problem };
}
