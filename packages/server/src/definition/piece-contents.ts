import { encodeBase64, present, type ResourceContents } from '@switchyard/protocol';

import type { Piece } from './piece.ts';

/** A part of a resource in the form of the wire, and how many of its bytes that is. */
export interface PieceContents {
  readonly contents: ResourceContents;
  readonly bytes: number;
}

const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|sql|graphql|x-ndjson|jsonl)\s*(?:;|$)|[a-z0-9.+-]+\/[a-z0-9.-]+\+(?:json|xml|yaml)\s*(?:;|$))/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/**
 * Answers a part as text where its MIME type is one of text in UTF-8, or it has none and was given as text; else, and
 * where its bytes are no UTF-8, as a blob. Text ends before a character that the next part completes.
 */
export function toPieceContents(uri: string, mimeType: string | undefined, piece: Piece): PieceContents {
  const about = { uri, ...present({ mimeType }) };
  if (mimeType === undefined ? piece.isText === true : isUtf8Text(mimeType)) {
    const whole = piece.more ? piece.bytes.subarray(0, lastBoundary(piece.bytes)) : piece.bytes;
    const text = decodeUtf8(whole);
    if (text !== undefined) return { contents: { ...about, text }, bytes: whole.length };
  }
  return { contents: { ...about, blob: encodeBase64(piece.bytes) }, bytes: piece.bytes.length };
}

function isUtf8Text(mimeType: string): boolean {
  if (!TEXTUAL.test(mimeType)) return false;
  const charset = CHARSET.exec(mimeType)?.[1] ?? 'utf-8';
  return /^(?:utf-?8|us-ascii)$/i.test(charset);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The end of the last character that is complete, as far as the last four bytes tell. */
function lastBoundary(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
