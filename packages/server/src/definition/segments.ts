import { assertKnownOptions, clip, type KnownOptions, toLimit, type UriTemplate } from '@switchyard/protocol';

import { MAX_URI_CHARS } from './max-uri-chars.ts';
import type { Wanted } from './piece.ts';

/** The key of a content's `_meta` under which a {@link Segment} stands. */
export const segmentMetaKey = 'dev.switchyard/segment';

/** Which part of a resource a content holds. */
export interface Segment {
  /** Where it begins, in bytes of the whole. */
  readonly offset: number;
  /** How many bytes it holds, before Base64 and as UTF-8. */
  readonly bytes: number;
  /** Whether there is something after it. */
  readonly more: boolean;
  /**
   * The URI to read what follows; absent at the end, where the resource is not offered in segments, and where none can
   * be made that would be read: it would have more than 8,192 characters, or a value that swallows it.
   */
  readonly next?: string;
  /** Bytes in all, where that is known. Smaller than before: the resource has shrunk. */
  readonly size?: number;
  /** Changes when the bytes do: parts with different versions do not belong together. */
  readonly version?: string;
  /** When the resource last changed, as its source says, in ISO 8601; absent where that is not known. */
  readonly lastModified?: string;
}

/** How a template offers its resources in segments. Limits are in bytes. */
export interface SegmentOptions {
  /** Bytes of a segment whose URI has no `limit`. Default 65,536: larger ones take more memory, not less time. */
  readonly bytes?: number;
  /** The most bytes of a segment; a larger `limit` gets as many. Default 1,048,576; at most 16,777,216. */
  readonly maxBytes?: number;
  /**
   * How far into a stream a segment may begin: to get there, all before it is read again. Default 1,073,741,824. A
   * resource source has no such limit.
   */
  readonly maxSkipBytes?: number;
}

const segmentOptions: KnownOptions<SegmentOptions> = { bytes: true, maxBytes: true, maxSkipBytes: true };

/** One segment as a URI asks for it. */
export interface WantedSegment extends Wanted {
  /** The version that the resource must still have. */
  readonly version: string | undefined;
}

/** The compiled form of {@link SegmentOptions}. */
export interface Segments {
  /**
   * Takes what asks for a segment out of the variables; answers the end of a sentence where it asks for none that can
   * be.
   */
  take(variables: Record<string, unknown>): WantedSegment | string;
  /** The variables that are taken. */
  readonly names: ReadonlySet<string>;
  /** Answers the URI of another segment of the same resource, or `undefined` where there is none that would be read. */
  uriOf(uri: string, offset: number, wanted: WantedSegment, version: string | undefined): string | undefined;
}

const LEAST_BYTES = 4;
const MOST_BYTES = 16_777_216;
const LAST_QUERY = /\{[?&]([^{}]*)\}$/;
const INTEGER = /^(?:0|[1-9]\d{0,15})$/;

/**
 * Compiles how a template offers segments: it must end in `{?offset,limit}` or `{&offset,limit}`, beside which other
 * names may stand, and `version`, which lets a resource that changed between two segments be refused. Errors call the
 * template `about`.
 *
 * @throws TypeError when the template does not end so, an option is unknown, or a limit is out of range.
 */
export function compileSegments(about: string, template: UriTemplate, options: SegmentOptions): Segments {
  assertKnownOptions(`${about}, segments`, options, segmentOptions);
  const last = (LAST_QUERY.exec(template.source)?.[1] ?? '').split(',');
  if (!last.includes('offset') || !last.includes('limit'))
    throw new TypeError(`${about}: a template with segments must end in {?offset,limit} or {&offset,limit}`);
  const maxBytes = toLimit(`${about}: segments.maxBytes`, options.maxBytes ?? 1_048_576, LEAST_BYTES, MOST_BYTES);
  const bytes = toLimit(`${about}: segments.bytes`, options.bytes ?? Math.min(65_536, maxBytes), LEAST_BYTES, maxBytes);
  const maxSkipBytes = toLimit(
    `${about}: segments.maxSkipBytes`,
    options.maxSkipBytes ?? 1_073_741_824,
    0,
    Number.MAX_SAFE_INTEGER,
  );
  const versioned = last.includes('version');
  const names: ReadonlySet<string> = new Set(['offset', 'limit', ...(versioned ? ['version'] : [])]);
  return {
    names,
    take(variables) {
      const offset = integerOf(variables['offset'], 0);
      const limit = integerOf(variables['limit'], bytes);
      if (offset === undefined) return badInteger('offset', variables['offset'], 0);
      if (limit === undefined || limit < LEAST_BYTES) return badInteger('limit', variables['limit'], LEAST_BYTES);
      const version = versioned ? variables['version'] : undefined;
      for (const name of names) Reflect.deleteProperty(variables, name);
      return {
        offset,
        length: Math.min(limit, maxBytes),
        maxSkipBytes,
        version: typeof version === 'string' ? version : undefined,
      };
    },
    uriOf(uri, offset, { length }, version) {
      const query = `offset=${offset}&limit=${length}`;
      const next = withQuery(
        uri,
        names,
        versioned && version !== undefined ? `${query}&version=${encodeURIComponent(version)}` : query,
      );
      // A value with a question mark of its own can swallow the query; such a resource cannot be read on.
      return next.length <= MAX_URI_CHARS && template.match(next)?.['offset'] === String(offset) ? next : undefined;
    },
  };
}

/** Puts members into a query in place of those with these names, and leaves the others as they are spelled. */
function withQuery(uri: string, names: ReadonlySet<string>, members: string): string {
  const start = uri.indexOf('?');
  const kept = (start === -1 ? [] : uri.slice(start + 1).split('&')).filter(
    (pair) => pair !== '' && !names.has(nameOf(pair)),
  );
  return `${start === -1 ? uri : uri.slice(0, start)}?${[...kept, members].join('&')}`;
}

/** A name may be spelled with escapes. */
function nameOf(pair: string): string {
  try {
    return decodeURIComponent(pair.split('=', 1)[0] ?? '');
  } catch {
    return pair;
  }
}

function integerOf(value: unknown, otherwise: number): number | undefined {
  if (value === undefined) return otherwise;
  const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

function badInteger(name: string, value: unknown, least: number): string {
  return `the variable "${name}" must be an integer of at least ${least}, not ${JSON.stringify(clip(String(value), 40))}`;
}
