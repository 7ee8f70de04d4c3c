import { decodeBase64Url, encodeBase64Url } from './base64.ts';

/** The longest cursor in characters, as it stands on the wire. */
const MAX_CURSOR_LENGTH = 4096;
const CURSOR_VERSION = 1;

/**
 * Where a page of a list ended: the key of its last entry and the name of the order that the list was in.
 *
 * It is no index, so entries that are added or removed before it neither repeat nor hide another one.
 */
export interface Cursor {
  /** The last entry's key in that order, such as a tool's name or a resource's URI. */
  readonly after: string;
  /** The name of the order, which a server chooses and checks, such as `name`. */
  readonly order: string;
}

/**
 * Writes a cursor as the opaque text of `nextCursor`: Base64url over compact JSON with a version.
 *
 * It is neither secret nor signed: a client can write one, which gives it a page of a list that it may see anyhow.
 * Throws `RangeError` where the text would pass 4,096 characters (about 3,000 bytes of `after` and `order`).
 *
 * Spec: server/utilities/pagination (2026-07-28)
 */
export function encodeCursor(cursor: Cursor): string {
  const text = writeCursor(cursor);
  if (text.length > MAX_CURSOR_LENGTH) {
    throw new RangeError(
      `The cursor would be ${text.length} characters long, and ${MAX_CURSOR_LENGTH} are the limit. Name the entry by a shorter key.`,
    );
  }
  return text;
}

/**
 * Reads the `cursor` of a request and answers `undefined` to everything that `encodeCursor` cannot have written:
 * another type, foreign characters, another version, further members, more than 4,096 characters. A server answers that
 * with -32602.
 *
 * Whether the order is one of the server's and whether the entry still exists is for the caller to decide.
 *
 * Spec: server/utilities/pagination#error-handling (2026-07-28)
 */
export function decodeCursor(text: unknown): Cursor | undefined {
  if (typeof text !== 'string' || text.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = decodeBase64Url(text);
  if (bytes === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // Invalid UTF-8 or JSON: no cursor of ours.
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const [, after, order]: unknown[] = value;
  if (typeof after !== 'string' || typeof order !== 'string') return undefined;
  const cursor = { after, order };
  // Only one text stands for a cursor: version, members, whitespace and escapes are all checked by writing it again.
  return writeCursor(cursor) === text ? cursor : undefined;
}

function writeCursor({ after, order }: Cursor): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify([CURSOR_VERSION, after, order])));
}
