import type { IncomingMessage } from 'node:http';

import { stringifyJson } from '@switchyard/protocol';

/** What a body parser leaves: the JSON value, the text, or the bytes. */
interface Parsed {
  readonly body?: unknown;
}

/** The types of JSON values but text. Only `null` is not taken: it may as well say that nothing was left. */
const valueTypes: ReadonlySet<string> = new Set(['object', 'number', 'boolean']);

/**
 * Answers the body that a parser in front has read and left in `request.body`, as those of Express do, as text or
 * bytes; `undefined` where nobody left one. A value that was parsed is written as JSON again, which only what reads
 * numbers as doubles may take for the body that was sent: `takesValues` says so.
 */
export function bodyLeft(request: IncomingMessage & Parsed, takesValues: boolean): string | Uint8Array | undefined {
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  return takesValues && body !== null && valueTypes.has(typeof body) ? stringifyJson(body) : undefined;
}
