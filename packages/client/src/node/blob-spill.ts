import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ResultSpill, SpilledContent } from '../trust/result-size.ts';

/** Where large contents of results are kept. */
export interface BlobSpillOptions {
  /** The folder of the files; it is made where it is missing, readable by this user alone. */
  readonly folder: string;
  /** Bytes of all files together. Default 1 GiB. */
  readonly maxTotalBytes?: number;
}

/** A {@link ResultSpill} of files, which are there until it is closed. */
export interface BlobSpill extends ResultSpill, AsyncDisposable {
  /** Removes the files that it wrote, and keeps nothing any more. The folder stays. */
  close(): Promise<void>;
}

/** 1 GiB. */
const DEFAULT_MAX_TOTAL_BYTES = 1024 ** 3;

/** What the ending of a file is for media types that programs tell by it; every other file ends in `.bin`. */
const endings: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'txt'],
  ['application/json', 'json'],
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['application/pdf', 'pdf'],
]);

/**
 * Opens a spill for `onLargeResult`: one file for each piece, under a name of its own that no server has a say in, with
 * mode 0600, and a `file:` URI. A piece beyond `maxTotalBytes` is refused, and so is its result. Whoever opened it closes
 * it, after the clients that use it. Throws a `RangeError` for a `maxTotalBytes` that is no positive integer.
 */
export function openBlobSpill({ folder, maxTotalBytes = DEFAULT_MAX_TOTAL_BYTES }: BlobSpillOptions): BlobSpill {
  if (!Number.isSafeInteger(maxTotalBytes) || maxTotalBytes < 1) {
    throw new RangeError(`maxTotalBytes must be a positive integer, not ${maxTotalBytes}.`);
  }
  const root = resolve(folder);
  const writing = new Map<string, Promise<void>>();
  let totalBytes = 0;
  let isClosed = false;

  return { keep, close, [Symbol.asyncDispose]: close };

  async function keep({ content, mimeType }: SpilledContent): Promise<string> {
    if (isClosed) throw new Error('the folder for large results is closed');
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (totalBytes + bytes.length > maxTotalBytes) {
      throw new Error(`the folder for large results would hold more than maxTotalBytes, ${maxTotalBytes}`);
    }
    totalBytes += bytes.length;
    const path = join(root, `${randomUUID()}.${endings.get(mimeType ?? '') ?? 'bin'}`);
    const written = write(path, bytes);
    writing.set(path, written);
    try {
      await written;
    } catch (error) {
      totalBytes -= bytes.length;
      throw error;
    }
    return pathToFileURL(path).href;
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    // `wx` follows no link that somebody else put there.
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
  }

  async function close(): Promise<void> {
    isClosed = true;
    const paths = [...writing.keys()];
    await Promise.allSettled(writing.values());
    await Promise.all(paths.map((path) => rm(path, { force: true })));
    writing.clear();
  }
}
