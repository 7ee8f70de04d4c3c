import {
  isJsonObject,
  type MessageId,
  type ParsedMessage,
  parseJson,
  parseMessage,
  toBound,
} from '@switchyard/protocol';

import { DEFAULT_MAX_DEPTH, isDeeperThan } from '../limits/json-depth.ts';

/** Largest message that is read, in bytes, unless an option says otherwise: 4 MiB. */
export const DEFAULT_MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/**
 * One incoming message, `unparsable` for text that is not JSON, or `invalid-response` for what has a result or an
 * error, no method, and is no response all the same: it gets none, either.
 */
export type Incoming =
  | ParsedMessage
  | { readonly kind: 'invalid-response'; readonly id: MessageId | undefined; readonly problem: string }
  | { readonly kind: 'unparsable' };

/** How messages are parsed. */
export interface Parsing {
  readonly exactIntegers: boolean;
  readonly maxDepth: number;
}

/** What a transport may be told of it. */
export interface ParsingOptions {
  /**
   * How deep arrays and objects of a message may be nested: default 512; `Infinity` for any. A deeper one is answered
   * with -32600 and not read further.
   */
  readonly maxDepth?: number;
}

/** @throws TypeError when `maxDepth` is no number of at least 1. */
export function toParsing(
  endpoint: { readonly exactIntegers?: boolean },
  { maxDepth = DEFAULT_MAX_DEPTH }: ParsingOptions = {},
): Parsing {
  return { exactIntegers: endpoint.exactIntegers === true, maxDepth: toBound('maxDepth', maxDepth) };
}

/** Parses one message; it never throws. */
export function parseIncoming(text: string, options: Parsing): Incoming {
  if (isDeeperThan(text, options.maxDepth))
    return { kind: 'invalid', id: undefined, problem: `it is nested deeper than ${options.maxDepth} levels` };
  let value: unknown;
  try {
    value = parseJson(text, options);
  } catch {
    return { kind: 'unparsable' };
  }
  return toIncoming(value);
}

/** Classifies one parsed JSON value; it never throws. */
export function toIncoming(value: unknown): Incoming {
  const parsed = parseMessage(value);
  return parsed.kind === 'invalid' && isJsonObject(value) && isAnswer(value)
    ? { ...parsed, kind: 'invalid-response' }
    : parsed;
}

function isAnswer(value: object): boolean {
  return !Object.hasOwn(value, 'method') && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));
}
