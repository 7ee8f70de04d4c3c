import { clip, type Logger, ProtocolError, type Request, stringifyJson } from '@switchyard/protocol';

import type { Endpoint } from './endpoint.ts';
import { MAX_LOGGED_CHARS, nameOf } from './logged.ts';

/** The response to one request: its JSON text, and the HTTP status that carries it. */
export interface Reply {
  readonly text: string;
  readonly status: number;
  /** The error that is answered; of one that has no form on the wire, the internal error in its place. */
  readonly error?: ProtocolError;
}

/** An error response, with its code for the log. */
export interface ErrorReply extends Reply {
  readonly code: number;
  readonly error: ProtocolError;
}

/**
 * Answers the error response for whatever was thrown while a request was served, or before it was read (`undefined`).
 * It never throws.
 */
export type ToErrorReply = (request: Request | undefined, thrown: unknown, message: string) => ErrorReply;

/**
 * Makes the function that turns what was thrown into a response: a `ProtocolError` as it is, everything else, a
 * `ProtocolError` that has no form on the wire included, into an internal error whose cause is logged with `message`
 * under its reference. `logger` must not throw.
 */
export function createToErrorReply(endpoint: Pick<Endpoint, 'createReference'>, logger: Logger): ToErrorReply {
  return (request, thrown, message) => {
    let cause = thrown;
    try {
      if (thrown instanceof ProtocolError) return encode(request?.id, thrown);
    } catch (unsendable) {
      cause = unsendable;
    }
    const reference = safeReference(() => endpoint.createReference());
    const about =
      request === undefined ? {} : { method: clip(request.method, MAX_LOGGED_CHARS), name: nameOf(request) };
    logger.error({ reference, ...about, err: cause }, message);
    return encode(request?.id, ProtocolError.internal(reference, cause));
  };
}

/** Answers a reference whatever the author's function does: an answer without one is better than none. */
export function safeReference(create: () => string): string {
  try {
    return create();
  } catch {
    return 'none: createReference threw';
  }
}

/**
 * @throws when the error has no form on the wire: a code out of range, a status other than 200, 4xx and 5xx (others
 *   have no body, or another meaning), a message that is no text, headers that HTTP cannot carry, data that JSON cannot
 *   hold.
 */
function encode(id: Request['id'] | undefined, error: ProtocolError): ErrorReply {
  const { code, status, message, headers } = error;
  if (!Number.isSafeInteger(code) || !carriesError(status) || typeof message !== 'string')
    throw new TypeError(`an error cannot be sent with the code ${code} and the status ${status}`, { cause: error });
  if (headers !== undefined && !Object.entries(headers).every(isHeader))
    throw new TypeError('an error cannot be sent with headers that HTTP cannot carry', { cause: error });
  return { text: errorText(id, error), status, code, error };
}

function carriesError(status: number): boolean {
  return status === 200 || (Number.isInteger(status) && status >= 400 && status <= 599);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Spec: RFC 9110 sections 5.1 and 5.5. */
function isHeader([name, value]: readonly [string, unknown]): boolean {
  return HEADER_NAME.test(name) && typeof value === 'string' && HEADER_VALUE.test(value);
}

/** The JSON text of an error response; without an id where the request's could not be read. */
export function errorText(id: Request['id'] | undefined, error: ProtocolError): string {
  const body = stringifyJson(error.body());
  return id === undefined
    ? `{"jsonrpc":"2.0","error":${body}}`
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${body}}`;
}
