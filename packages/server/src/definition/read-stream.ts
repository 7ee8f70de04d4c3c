import { macrotask } from '../timing/macrotask.ts';
import type { Piece, Wanted } from './piece.ts';
import type { ResourceStream } from './resource-source.ts';

/**
 * After how many chunks others get their turn: a stream that never waits would keep the process, and its own deadline,
 * to itself.
 */
const CHUNKS_A_TURN = 1_024;

/** A stream as it is read. */
interface Reader {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Tells the stream that nobody reads on. */
  leave(): Promise<unknown>;
}

/**
 * Reads a part of a stream: what is before it is read in vain, and the stream is closed behind it. Answers `undefined`
 * where the part begins after the end, or further in than `maxSkipBytes`.
 *
 * @throws TypeError when a chunk is neither bytes nor text; the reason of `signal` when it aborts; whatever the stream
 *   throws.
 */
export async function readStream(
  stream: ResourceStream,
  { offset, length, maxSkipBytes }: Wanted,
  signal: AbortSignal,
): Promise<Piece | undefined> {
  const reader = readerOf(stream);
  const next = abortable(reader, signal);
  try {
    if (offset > maxSkipBytes) return undefined;
    const encode = createEncode();
    const held = new Uint8Array(length);
    let isText = true;
    let at = 0;
    for (let chunks = 1; ; chunks += 1) {
      if (chunks % CHUNKS_A_TURN === 0) await new Promise<void>(macrotask);
      const { done = false, value } = await next.wait();
      const bytes = done ? encode('', true) : encode(value, false);
      isText &&= done || typeof value === 'string';
      const filled = Math.max(at - offset, 0);
      const from = Math.max(offset - at, 0);
      held.set(bytes.subarray(from, from + Math.max(length - filled, 0)), Math.min(filled, length));
      at += bytes.length;
      if (at > offset + length) return pieceOf(held, offset, { more: true }, isText);
      if (!done) continue;
      if (offset > 0 && at <= offset) return undefined;
      return pieceOf(held.subarray(0, at - offset), offset, { more: false, size: at }, isText);
    }
  } finally {
    next.forget();
    // A stream that fails while it is closed, or never closes, has nothing to say about what was read of it.
    reader.leave().catch(ignore);
  }
}

function pieceOf(bytes: Uint8Array, offset: number, rest: Pick<Piece, 'more' | 'size'>, isText: boolean): Piece {
  return isText ? { bytes, offset, ...rest, isText } : { bytes, offset, ...rest };
}

function readerOf(stream: ResourceStream): Reader {
  if ('getReader' in stream) {
    const reader = stream.getReader();
    return { next: () => reader.read(), leave: () => reader.cancel() };
  }
  const iterator = stream[Symbol.asyncIterator]();
  return { next: () => iterator.next(), leave: async () => iterator.return?.() };
}

function ignore(): void {}

/** Waits for chunks as long as the signal does not abort, with one listener for all of them. */
function abortable(reader: Reader, signal: AbortSignal): { wait(): ReturnType<Reader['next']>; forget(): void } {
  let reject: ((reason: unknown) => void) | undefined;
  const abort = (): void => reject?.(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return {
    wait: () =>
      new Promise((resolve, fail) => {
        signal.throwIfAborted();
        reject = fail;
        reader.next().then(resolve, fail);
      }),
    forget: () => signal.removeEventListener('abort', abort),
  };
}

/**
 * Answers the bytes of a chunk. A pair of surrogates may come in two chunks of text, so the first waits for the second.
 */
function createEncode(): (chunk: unknown, isLast: boolean) => Uint8Array {
  const encoder = new TextEncoder();
  let waiting = '';
  return (chunk, isLast) => {
    if (chunk instanceof Uint8Array) {
      if (waiting === '') return chunk;
      const first = encoder.encode(waiting);
      waiting = '';
      return joined(first, chunk);
    }
    if (typeof chunk !== 'string')
      throw new TypeError(`a resource stream must give bytes or text, not ${typeof chunk}`);
    const text = waiting + chunk;
    waiting = !isLast && isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
    return encoder.encode(waiting === '' ? text : text.slice(0, -1));
  };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
