import { type ParsedMessage, parseJson, parseMessage } from '@switchyard/protocol';

/** Largest message that is read, in bytes, unless an option says otherwise: 4 MiB. */
export const DEFAULT_MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** One incoming message, or `unparsable` for text that is not JSON. */
export type Incoming = ParsedMessage | { readonly kind: 'unparsable' };

/** Parses one message; it never throws. */
export function parseIncoming(text: string, options: { readonly exactIntegers: boolean }): Incoming {
  let value: unknown;
  try {
    value = parseJson(text, options);
  } catch {
    return { kind: 'unparsable' };
  }
  return parseMessage(value);
}
