import { present, toLimit } from '@switchyard/protocol';

import type { Piece, Wanted } from './piece.ts';
import type { ResourceSource } from './resource-source.ts';

const MAX_VERSION_CHARS = 256;

/**
 * Reads a part of a source, answers what `use` makes of it, and closes the source then: its bytes need not outlive it.
 * The part is `undefined` where it would begin after the end. A source that turns out to be shorter than it said gives
 * what it has, and its true size.
 *
 * @throws TypeError when the source breaks its contract; whatever its methods or `use` throw.
 */
export async function readSource<T>(
  source: ResourceSource,
  wanted: Wanted,
  signal: AbortSignal,
  use: (piece: Piece | undefined) => T,
): Promise<T> {
  try {
    assertSource(source);
    return use(await readPart(source, wanted, signal));
  } finally {
    await source.close?.();
  }
}

async function readPart(source: ResourceSource, wanted: Wanted, signal: AbortSignal): Promise<Piece | undefined> {
  const { size, mimeType, version, lastModified } = source;
  const { offset } = wanted;
  if (offset > 0 && size !== undefined && offset >= size) return undefined;
  // One byte more than wanted tells whether there is more where the size does not.
  const asked = size === undefined ? wanted.length + 1 : Math.min(wanted.length, size - offset);
  const read = await readFully(source, offset, asked, signal);
  if (read.length === 0 && offset > 0) return undefined;
  const bytes = read.subarray(0, wanted.length);
  const isShort = read.length < asked;
  const more = !isShort && (size === undefined ? read.length > wanted.length : offset + bytes.length < size);
  const known = isShort ? offset + bytes.length : size;
  return { bytes, offset, more, ...present({ size: known, mimeType, version, lastModified }) };
}

async function readFully(
  source: ResourceSource,
  offset: number,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let held: Uint8Array | undefined;
  let filled = 0;
  while (filled < length) {
    signal.throwIfAborted();
    const chunk = await source.read(offset + filled, length - filled, signal);
    if (!(chunk instanceof Uint8Array) || chunk.length > length - filled)
      throw new TypeError(
        'the read of a resource source must answer a Uint8Array of no more bytes than it was asked for',
      );
    if (chunk.length === 0) break;
    if (chunk.length === length) return chunk;
    held ??= new Uint8Array(length);
    held.set(chunk, filled);
    filled += chunk.length;
  }
  return held === undefined ? new Uint8Array(0) : held.subarray(0, filled);
}

function assertSource({ size, version }: ResourceSource): void {
  if (size !== undefined) toLimit('the size of a resource source', size, 0);
  if (version !== undefined && (typeof version !== 'string' || version.length > MAX_VERSION_CHARS))
    throw new TypeError(`the version of a resource source must be text of at most ${MAX_VERSION_CHARS} characters`);
}
