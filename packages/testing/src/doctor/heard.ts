import { errorCodes, isJsonObject, type JsonObject } from '@switchyard/protocol';

const MAX_ID_CHARS = 100;

/** Why no answer came. */
export interface NoAnswer {
  /**
   * - `timeout`: nothing in time.
   * - `closed`: the peer ended, or broke the connection off.
   * - `unreachable`: no connection was made.
   * - `credentials`: the credentials to send with it could not be had.
   */
  readonly kind: 'timeout' | 'closed' | 'unreachable' | 'credentials';
  /** The system's or the library's own code, such as `ECONNREFUSED`; empty where there is none. */
  readonly code: string;
  readonly message: string;
}

/** What came for one request. */
export interface Heard {
  /** The JSON-RPC response to it. */
  readonly response?: JsonObject;
  /** The beginning of a body, or of what stands in place of one. */
  readonly text: string;
  /** Over HTTP. */
  readonly status?: number;
  header(name: string): string | undefined;
  /** Milliseconds from the request to the end of the answer. */
  readonly elapsedMs: number;
  readonly failure?: NoAnswer;
  /** The id of a response that came under another one than the request has, as JSON. */
  readonly otherId?: string;
}

/** The result in an answer; `undefined` where there is none. */
export function resultIn(heard: Heard | undefined): JsonObject | undefined {
  const result = heard?.response?.['result'];
  return isJsonObject(result) ? result : undefined;
}

/** The error in an answer; `undefined` where there is none. */
export function errorIn(heard: Heard | undefined): JsonObject | undefined {
  const error = heard?.response?.['error'];
  return isJsonObject(error) ? error : undefined;
}

/** Whether an answer says that nothing is at a path: 404 is also the status of a method that is not there. */
export function isNothingThere(heard: Heard): boolean {
  if (heard.status === 405) return heard.response === undefined;
  return heard.status === 404 && errorIn(heard)?.['code'] !== errorCodes.methodNotFound.code;
}

/** The message of an error, as text. */
export function messageOf(error: JsonObject | undefined): string {
  const message = error?.['message'];
  return typeof message === 'string' ? message : '';
}

/** What a text is to a request. */
interface Reading extends Pick<Heard, 'response' | 'otherId'> {
  /** The id of a response to another request. */
  readonly answered?: unknown;
  /** Whether the response has no id, so that it is that to the request only where no other can be meant. */
  readonly isUnaddressed?: boolean;
}

/** Reads a text as the response to a request, or as one under another id; neither for anything else. */
export function readResponse(text: string, id: unknown): Reading {
  const value = parse(text);
  if (!isJsonObject(value) || (!Object.hasOwn(value, 'result') && !Object.hasOwn(value, 'error'))) return {};
  // Any service says {"error": …}, and what makes it a message of the protocol is one of these.
  if (!Object.hasOwn(value, 'jsonrpc') && !Object.hasOwn(value, 'id')) return {};
  const { id: answered } = value;
  if (answered === id) return { response: value };
  if (answered === undefined || answered === null) return { response: value, isUnaddressed: true };
  return { otherId: JSON.stringify(answered).slice(0, MAX_ID_CHARS), answered };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is no message, which is what the caller learns.
    return undefined;
  }
}
