import {
  assertKnownOptions,
  type CallToolResult,
  type ContentBlock,
  decodeBase64,
  type KnownOptions,
  stringifyJson,
} from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { assertPositive } from '../timing/assert-limits.ts';
import type { LocalWork } from '../timing/local-work.ts';

/** One piece of a result that is put elsewhere, because the result is over its limit. */
export interface SpilledContent {
  readonly content: string | Uint8Array;
  /** Its media type, as the server says: a text from outside. */
  readonly mimeType: string | undefined;
}

/** Keeps what is too large for a result, such as files in a folder. */
export interface ResultSpill {
  /**
   * Keeps one piece and answers the URI under which whoever gets the result finds it. Where it rejects, the result is
   * refused. Calls may overlap.
   */
  keep(piece: SpilledContent): Promise<string>;
  /**
   * Forgets pieces by their URIs, because their result is refused all the same, or was given up. Without it they stay.
   * Where it rejects, there is a warning.
   */
  drop?(uris: readonly string[]): Promise<void>;
}

/** How large a result may be, and what happens with a larger one. */
export interface ResultSize {
  /** The largest result of a tool, resource or prompt, in bytes of JSON. */
  readonly maxBytes: number;
  /**
   * Keeps the contents of a tool's result that is larger elsewhere, such as `openBlobSpill` of `@switchyard/client/node`
   * in files, and links to them take their place; resources and prompts are refused all the same. Default: a larger one
   * is refused with code `result-rejected`.
   */
  readonly spill?: ResultSpill;
}

const resultSize: KnownOptions<ResultSize> = { maxBytes: true, spill: true };

/**
 * Throws a `ClientError` with code `invalid-argument` for a size that cannot be meant, and a `TypeError` for a member
 * that there is not.
 */
export function assertResultSize(context: PeerContext, size: ResultSize | undefined): void {
  if (size === undefined) return;
  assertKnownOptions('connect, resultSize', size, resultSize);
  assertPositive(context, 'resultSize.maxBytes', size.maxBytes);
  if (size.spill === undefined || typeof size.spill?.keep === 'function') return;
  throw context.fail('invalid-argument', 'resultSize.spill must have a function keep.');
}

/** Answers how many bytes a value takes as JSON in UTF-8. */
export function sizeOf(value: unknown): number {
  return new TextEncoder().encode(stringifyJson(value)).length;
}

/** Who waits for a result while it is kept elsewhere. */
export interface ResultWait {
  /** Aborts when nobody waits any more; never once the result was handed over. */
  readonly signal: AbortSignal;
  readonly local: LocalWork;
}

/**
 * Answers a tool result within the limit: as it came, or with its largest contents kept elsewhere and replaced by
 * `resource_link` blocks with URI, size and media type, the largest first and no more than it takes; the structured form
 * goes last, into a link of type `application/json` at the end of `content`. Links, blocks of unknown types and metadata
 * stay. Throws a `ClientError` with code `result-rejected` for a result that is refused or cannot be made small enough;
 * what was kept of it by then is dropped. So it is whenever nobody waits for the result any more, what is kept only later
 * included.
 */
export async function fitToolResult(
  context: PeerContext,
  { what, waiting }: { readonly what: string; readonly waiting?: ResultWait | undefined },
  result: CallToolResult,
  { maxBytes, spill }: ResultSize,
): Promise<CallToolResult> {
  const size = sizeOf(result);
  if (size <= maxBytes) return result;
  if (spill === undefined) throw tooLarge(context, what, size, maxBytes);
  const keeping = createKeeping(context, what, spill, waiting?.signal);
  const work = async (): Promise<CallToolResult> => {
    try {
      return await fit(context, what, { result, size, maxBytes, keep: keeping.keep });
    } catch (error) {
      await keeping.undo();
      throw error;
    }
  };
  return waiting === undefined ? work() : waiting.local('resultSize.spill', work);
}

interface Fitting {
  readonly result: CallToolResult;
  readonly size: number;
  readonly maxBytes: number;
  readonly keep: (piece: SpilledContent) => Promise<ContentBlock>;
}

async function fit(context: PeerContext, what: string, fitting: Fitting): Promise<CallToolResult> {
  const { result, maxBytes, keep } = fitting;
  let { size } = fitting;
  const content = [...result.content];
  const bySize = content
    .map((block, index) => ({ index, piece: pieceOf(block), bytes: sizeOf(block) }))
    .toSorted((one, other) => other.bytes - one.bytes);
  for (const { index, piece, bytes } of bySize) {
    if (size <= maxBytes || bytes < MIN_PIECE_BYTES) break;
    if (piece === undefined) continue;
    const link = await keep(piece);
    content[index] = link;
    size += sizeOf(link) - bytes;
  }
  const fitted: CallToolResult = { ...result, content };
  if (size <= maxBytes) return fitted;
  const { structuredContent, ...rest } = fitted;
  if (structuredContent !== undefined) {
    const piece = { content: stringifyJson(structuredContent), mimeType: 'application/json' };
    const small: CallToolResult = { ...rest, content: [...content, await keep(piece)] };
    size = sizeOf(small);
    if (size <= maxBytes) return small;
  }
  throw tooLarge(context, what, size, maxBytes);
}

/** Answers the error for a result over the limit. */
export function tooLarge(context: PeerContext, what: string, size: number, maxBytes: number): ClientError {
  return context.fail(
    'result-rejected',
    `its result of ${what} has ${size} bytes of JSON, and the limit is ${maxBytes}. ` +
      'Ask for less, raise resultSize.maxBytes, or have resultSize.spill keep it elsewhere.',
  );
}

/** A link is hardly smaller. */
const MIN_PIECE_BYTES = 512;

function pieceOf(block: ContentBlock): SpilledContent | undefined {
  if (block.type === 'text') return { content: block.text, mimeType: 'text/plain' };
  if (block.type === 'image' || block.type === 'audio') return binaryPiece(block.data, block.mimeType);
  if (block.type !== 'resource') return undefined;
  const { resource } = block;
  if ('text' in resource) return { content: resource.text, mimeType: resource.mimeType };
  return binaryPiece(resource.blob, resource.mimeType);
}

/** What is not base64 has no bytes that could be kept. */
function binaryPiece(data: string, mimeType: string | undefined): SpilledContent | undefined {
  const content = decodeBase64(data);
  return content === undefined ? undefined : { content, mimeType };
}

/**
 * Creates what keeps the pieces of one result, and forgets them where the result is refused in the end, or where `signal`
 * says that nobody gets it: also one that is made small enough already, and is on its way.
 */
function createKeeping(context: PeerContext, what: string, spill: ResultSpill, signal: AbortSignal | undefined) {
  const uris: string[] = [];
  signal?.addEventListener('abort', () => void undo(), { once: true });
  return { keep, undo };

  async function keep(piece: SpilledContent): Promise<ContentBlock> {
    signal?.throwIfAborted();
    const uri = await keepElsewhere(piece);
    uris.push(uri);
    // It came too late to be undone with the others.
    signal?.throwIfAborted();
    const { content, mimeType } = piece;
    const size = typeof content === 'string' ? new TextEncoder().encode(content).length : content.length;
    const name = uri.slice(uri.lastIndexOf('/') + 1);
    return { type: 'resource_link', uri, name, size, ...(mimeType === undefined ? {} : { mimeType }) };
  }

  async function keepElsewhere(piece: SpilledContent): Promise<string> {
    try {
      const uri: unknown = await spill.keep(piece);
      if (typeof uri !== 'string') throw new TypeError('resultSize.spill.keep answered no URI');
      return uri;
    } catch (error) {
      throw context.fail(
        'result-rejected',
        `its result of ${what} is over resultSize.maxBytes, and it could not be kept elsewhere: ${String(error)}.`,
        { cause: error },
      );
    }
  }

  async function undo(): Promise<void> {
    const unwanted = uris.splice(0);
    if (unwanted.length === 0) return;
    try {
      await spill.drop?.(unwanted);
    } catch (error) {
      context.warn(
        'left-behind',
        `what was kept elsewhere of a refused result of ${what} could not be removed: ${String(error)}`,
      );
    }
  }
}
