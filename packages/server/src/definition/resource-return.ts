import {
  type CacheHints,
  encodeBase64,
  isJsonObject,
  present,
  ProtocolError,
  type ReadResourceResult,
  type ResourceContents,
} from '@switchyard/protocol';

import type { InputRequired } from '../handler/input-required.ts';
import { assertResult } from './assert-result.ts';
import { toCacheHints } from './cache-hints.ts';
import type { Piece, Wanted } from './piece.ts';
import { toPieceContents } from './piece-contents.ts';
import { readSource } from './read-source.ts';
import { readStream } from './read-stream.ts';
import { isResourceSource, isResourceStream, type ResourceSource, type ResourceStream } from './resource-source.ts';
import { type Segment, segmentMetaKey, type Segments, type WantedSegment } from './segments.ts';
import { sendableText } from './sendable-text.ts';

/**
 * What a reader may return: text, bytes, a source or a stream of bytes, one or several contents, a full result, or what
 * `inputRequired` made, which asks the client. `undefined`: no such resource. What breaks the protocol (no contents at
 * all, contents with both text and blob) is -32603, and the cause in the log names the path and the rule.
 *
 * Of a source or a stream at most `maxReadBytes` of the definition are sent, or one segment where the template has
 * `segments`; the content's `_meta` says under `dev.switchyard/segment` which part it is, and how to read on. It is
 * text where the MIME type is one of UTF-8 text, else a blob.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceSource
  | ResourceStream
  | ResourceContents
  | readonly ResourceContents[]
  | (Omit<ReadResourceResult, keyof CacheHints> & Partial<CacheHints>)
  | InputRequired
  | undefined;

/** How what was returned becomes a result. */
export interface ReturnRules {
  readonly mimeType: string | undefined;
  readonly cache: CacheHints;
  /** The most that is sent of a source or stream outside of segments, in bytes. */
  readonly maxReadBytes: number;
}

/** The segment that the URI asks for, where the template has any. */
export interface AskedSegment {
  readonly segments: Segments;
  readonly wanted: WantedSegment;
}

/**
 * Turns what a reader returned into a result, or answers `undefined` when there is no such resource. `signal` is only
 * asked for where something is left to read.
 *
 * @throws ProtocolError -32602 when a segment begins after the end, or belongs to another version; TypeError when the
 *   result breaks the protocol; whatever a source or stream throws.
 */
export function toReadResult(
  uri: string,
  rules: ReturnRules,
  returned: Exclude<ResourceReturn, InputRequired>,
  signal: () => AbortSignal,
  asked?: AskedSegment,
): ReadResourceResult | undefined | Promise<ReadResourceResult | undefined> {
  const { cache, mimeType } = rules;
  if (returned === undefined) return undefined;
  if (asked !== undefined) return toSegment(uri, rules, toReadable(returned, mimeType), signal(), asked);
  const about = { uri, ...present({ mimeType }) };
  if (typeof returned === 'string') return { contents: [{ ...about, text: sendableText(returned) }], ...cache };
  if (returned instanceof Uint8Array) return { contents: [{ ...about, blob: encodeBase64(returned) }], ...cache };
  if (isReadable(returned)) return toBeginning(uri, rules, returned, signal());
  const result = toFullResult(returned, cache);
  assertResult('resources/read', result);
  return result;
}

function toBeginning(
  uri: string,
  rules: ReturnRules,
  readable: ResourceSource | ResourceStream,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const wanted = { offset: 0, length: rules.maxReadBytes, maxSkipBytes: 0 };
  return readPiece(readable, wanted, signal, (piece = { bytes: new Uint8Array(0), offset: 0, more: false }) =>
    toResult(uri, rules, piece, () => undefined),
  );
}

function toSegment(
  uri: string,
  rules: ReturnRules,
  readable: ResourceSource | ResourceStream,
  signal: AbortSignal,
  { segments, wanted }: AskedSegment,
): Promise<ReadResourceResult> {
  const { offset, version } = wanted;
  return readPiece(readable, wanted, signal, (piece) => {
    if (piece === undefined)
      throw new ProtocolError(
        'invalidParams',
        `The resource ends before the offset ${offset}, or cannot be read from so far in`,
        { data: { uri } },
      );
    if (version !== undefined && piece.version !== undefined && version !== piece.version)
      throw new ProtocolError(
        'invalidParams',
        'The resource has changed since it was begun: read it anew from offset 0',
        { data: { uri, version: piece.version } },
      );
    return toResult(uri, rules, piece, (next) => segments.uriOf(uri, next, wanted, piece.version));
  });
}

function toResult(
  uri: string,
  { mimeType, cache }: ReturnRules,
  piece: Piece,
  uriOf: (offset: number) => string | undefined,
): ReadResourceResult {
  const { contents, bytes } = toPieceContents(uri, piece.mimeType ?? mimeType, piece);
  const { offset, more, size, version, lastModified } = piece;
  const next = more ? uriOf(offset + bytes) : undefined;
  const segment: Segment = { offset, bytes, more, ...present({ next, size, version, lastModified }) };
  return { contents: [{ ...contents, _meta: { [segmentMetaKey]: segment } }], ...cache };
}

function readPiece<T>(
  readable: ResourceSource | ResourceStream,
  wanted: Wanted,
  signal: AbortSignal,
  use: (piece: Piece | undefined) => T,
): Promise<T> {
  return isResourceStream(readable)
    ? readStream(readable, wanted, signal).then(use)
    : readSource(readable, wanted, signal, use);
}

function isReadable(returned: object): returned is ResourceSource | ResourceStream {
  return (
    returned !== null && typeof returned === 'object' && (isResourceStream(returned) || isResourceSource(returned))
  );
}

/** Answers what segments are taken of. */
function toReadable(
  returned: Exclude<ResourceReturn, InputRequired | undefined>,
  mimeType = 'text/plain',
): ResourceSource | ResourceStream {
  if (typeof returned === 'string') return { ...sourceOf(new TextEncoder().encode(sendableText(returned))), mimeType };
  if (returned instanceof Uint8Array) return sourceOf(returned);
  if (isReadable(returned)) return returned;
  throw new TypeError(
    'the reader of a template with segments must return text, bytes, a source, a stream or undefined',
  );
}

function sourceOf(bytes: Uint8Array): ResourceSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

function toFullResult(
  returned: ResourceContents | readonly ResourceContents[] | object,
  cache: CacheHints,
): ReadResourceResult {
  if (Array.isArray(returned)) return { contents: returned as readonly ResourceContents[], ...cache };
  if (isJsonObject(returned) && 'contents' in returned)
    return { ...(returned as ReadResourceResult), ...toCacheHints(returned, cache, 'result') };
  return { contents: [returned as ResourceContents], ...cache };
}
