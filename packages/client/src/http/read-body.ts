import { dropBody } from './drop-body.ts';
import { within } from '../timing/within.ts';
import type { Clock } from '../peer/clock.ts';
import type { FetchBody, FetchBodyReader } from './fetch.ts';

/** The bytes of a body, or as many as were allowed. */
interface ReadBody {
  readonly bytes: Uint8Array;
  /** Whether there was more, which was not read. */
  readonly isCut: boolean;
}

/** Reads a body up to `maxBytes`; what lies beyond is given up, not read. Rejects as the body's reader does. */
export async function readBody(body: FetchBody | null, maxBytes: number): Promise<ReadBody> {
  return body === null ? { bytes: new Uint8Array(0), isCut: false } : readFrom(body.getReader(), maxBytes);
}

/** `onBytes` is told all that was read so far, after each part. */
async function readFrom(
  reader: FetchBodyReader,
  maxBytes: number,
  onBytes?: (bytes: Uint8Array) => void,
): Promise<ReadBody> {
  let held: Uint8Array = new Uint8Array(0);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: held.subarray(0, length), isCut: false };
    if (value === undefined || value.length === 0) continue;
    held = length === 0 ? value : appended(held.subarray(0, length), held, value, maxBytes);
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return { bytes: held.subarray(0, maxBytes), isCut: true };
    }
    onBytes?.(held.subarray(0, length));
  }
}

/** How long a body is waited for that is only told of. */
const BEGINNING_MS = 1000;
/** How often it is looked whether a body is there that has no end; each look reads all of it. */
const MAX_LOOKS = 20;
const END_OF_OBJECT = '}'.charCodeAt(0);

/** Where time comes from, and how much is read. */
interface BeginningOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly maxBytes: number;
  /** Answers, of what has come in a second, whether the rest is waited for until it is there. Default: it is not. */
  readonly isUnfinished?: (bytes: Uint8Array) => boolean;
}

/**
 * Reads the beginning of a body that is only told of, such as an error page: what came of it where it breaks off, or goes
 * on for a second and is not `isUnfinished`. It never rejects.
 */
export async function readBeginning(
  body: FetchBody | null,
  { clock, maxBytes, isUnfinished = () => false }: BeginningOptions,
): Promise<ReadBody> {
  let bytes: Uint8Array = new Uint8Array(0);
  if (body === null) return { bytes, isCut: false };
  const finished = Promise.withResolvers<undefined>();
  let looksLeft = 0;
  try {
    const reader = body.getReader();
    const reading = readFrom(reader, maxBytes, (soFar) => {
      bytes = soFar;
      if (looksLeft === 0 || bytes.at(-1) !== END_OF_OBJECT) return;
      looksLeft -= 1;
      if (!isUnfinished(bytes)) finished.resolve(undefined);
    });
    const early = await within(clock, BEGINNING_MS, reading);
    if (early !== undefined) return early;
    if (isUnfinished(bytes)) {
      looksLeft = MAX_LOOKS;
      const late = await Promise.race([reading, finished.promise]);
      if (late !== undefined) return late;
    }
    dropBody(reader);
  } catch {
    // The status, which has come, says more than how the body ended.
  }
  return { bytes, isCut: true };
}

const FIRST_CAPACITY_BYTES = 4096;

/**
 * Answers where the bytes so far and a chunk stand together: `room`, which begins with them, where the chunk fits into
 * it. They are copied together since a chunk of one byte, kept as it came, costs two hundred bytes of memory.
 */
function appended(bytes: Uint8Array, room: Uint8Array, chunk: Uint8Array, maxBytes: number): Uint8Array {
  const length = bytes.length + chunk.length;
  let target = room;
  if (length > room.length) {
    const doubled = Math.max(bytes.length * 2, FIRST_CAPACITY_BYTES);
    target = new Uint8Array(Math.max(length, Math.min(doubled, maxBytes)));
    target.set(bytes);
  }
  target.set(chunk, bytes.length);
  return target;
}
