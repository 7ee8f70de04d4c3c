import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { ResultSpill, SpilledContent } from '../trust/result-size.ts';

/** Where large contents of results are kept. */
export interface BlobSpillOptions {
  /**
   * The folder of the files, which only this user may enter. It is made so where it is missing; one that others may
   * enter, that belongs to somebody else, or that is a link is refused.
   */
  readonly folder: string;
  /** Bytes of all files together, those that earlier spills had left behind when it first wrote included. Default 1 GiB. */
  readonly maxTotalBytes?: number;
}

/** A {@link ResultSpill} of files, which are there until it is closed. */
export interface BlobSpill extends Required<ResultSpill>, AsyncDisposable {
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

const FILE_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9]{3,4}$/;
const OTHERS = 0o077;

/**
 * Opens a `resultSize.spill`: one file for each piece, under a name of its own that no server has a say in, with
 * mode 0600, and a `file:` URI. A piece beyond `maxTotalBytes` is refused, and so is its result; what was written of a
 * result that is refused, or whose call was given up, is removed. Whoever opened it closes it, after the clients that use it.
 *
 * A process that is killed leaves its files. They count against `maxTotalBytes` of who opens the folder next, and no
 * spill removes them, since they may belong to a process that runs: whoever owns the folder empties it. Spills that are
 * open in one folder at a time do not count each other's later files, so that each needs a folder of its own.
 *
 * Throws a `RangeError` for a `maxTotalBytes` that is no positive integer, and an `Error` for a folder that is not this
 * user's alone. Windows has no such modes: there the folder's parent decides who may read it.
 */
export function openBlobSpill({ folder, maxTotalBytes = DEFAULT_MAX_TOTAL_BYTES }: BlobSpillOptions): BlobSpill {
  if (!Number.isSafeInteger(maxTotalBytes) || maxTotalBytes < 1) {
    throw new RangeError(`maxTotalBytes must be a positive integer, not ${maxTotalBytes}.`);
  }
  const root = resolve(folder);
  assertPrivate(root);
  /** By path, how large a file is and when it is written. */
  const files = new Map<string, { readonly bytes: number; readonly written: Promise<void> }>();
  let totalBytes = 0;
  let opening: Promise<void> | undefined;
  let isClosed = false;

  return { keep, drop, close, [Symbol.asyncDispose]: close };

  async function keep({ content, mimeType }: SpilledContent): Promise<string> {
    assertOpen();
    await (opening ??= open());
    assertOpen();
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (totalBytes + bytes.length > maxTotalBytes) {
      throw new Error(
        `the folder for large results would hold more than maxTotalBytes, ${maxTotalBytes}; it holds ${totalBytes}, ` +
          'what killed processes left behind included, which nothing but its owner removes',
      );
    }
    totalBytes += bytes.length;
    const path = join(root, `${randomUUID()}.${endings.get(mimeType ?? '') ?? 'bin'}`);
    // `wx` follows no link that somebody else put there.
    const written = writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
    files.set(path, { bytes: bytes.length, written });
    try {
      await written;
    } catch (error) {
      // A disk that is full has half of it.
      await remove(path);
      throw error;
    }
    return pathToFileURL(path).href;
  }

  async function open(): Promise<void> {
    try {
      await mkdir(root, { recursive: true, mode: 0o700 });
      assertPrivate(root);
      totalBytes += await bytesIn(root);
    } catch (error) {
      // Whoever mends the folder need not open another spill.
      opening = undefined;
      throw error;
    }
  }

  async function drop(uris: readonly string[]): Promise<void> {
    const wanted = new Set(uris);
    const paths = [...files.keys()].filter((path) => wanted.has(pathToFileURL(path).href));
    await Promise.all(paths.map(remove));
  }

  async function remove(path: string): Promise<void> {
    const file = files.get(path);
    await Promise.allSettled([file?.written]);
    await rm(path, { force: true });
    if (files.delete(path)) totalBytes -= file?.bytes ?? 0;
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...files.keys()].map(remove));
  }

  function assertOpen(): void {
    if (isClosed) throw new Error('the folder for large results is closed');
  }
}

/** Answers how large the files are that spills have written into a folder. */
async function bytesIn(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name));
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return sizes.reduce((total, size) => total + size, 0);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // Another spill has just removed it.
    return 0;
  }
}

/** Throws for a folder that is there and not this user's alone. */
function assertPrivate(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new Error(`${folder} is no folder of its own. Name another one for large results.`);
  if (process.platform === 'win32' || process.getuid === undefined) return;
  if (stats.uid !== process.getuid()) {
    throw new Error(`${folder} belongs to another user. Name a folder of your own for large results.`);
  }
  if ((stats.mode & OTHERS) === 0) return;
  const mode = (stats.mode & 0o777).toString(8);
  throw new Error(
    `${folder} can be entered by others (mode ${mode}), and large results are nobody else's. ` +
      `Name another folder, or: chmod 700 ${folder}`,
  );
}
