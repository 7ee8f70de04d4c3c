import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { TokenStoreError } from '../authorization/token-store-error.ts';

/** The largest file that is read, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const OTHERS = 0o077;
/** How a file ends that is being written. */
const TEMPORARY = '.new';
const LEFT_BEHIND_MS = 60_000;

/**
 * Makes a folder that only its user can enter, with its parents, where there is none. Rejects with `unsafe` where there
 * is one that others can read, that belongs to somebody else, or that is a link. Windows has no such modes: there its
 * parent decides who may read it.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await attempt(`The folder ${path} could not be made`, async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // A slash at the end would lead through a link.
    const stats = await lstat(resolve(path));
    if (!stats.isDirectory()) throw new TokenStoreError('unsafe', `${path} is no folder of its own. Name another one.`);
    assertPrivate(path, stats, '700');
  });
}

/**
 * Reads a file as a text, or answers `undefined` where there is none. Rejects with `unsafe` where others can read it,
 * where it belongs to somebody else and where it is a link, with `corrupt` where it is far too large.
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  return attempt(`${path} could not be read`, async () => {
    let file: FileHandle;
    try {
      // What is no file, such as a pipe, is not waited for; Windows has neither flag.
      file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (codeOf(error) === 'ELOOP') throw new TokenStoreError('unsafe', `${path} is a link. Remove it.`);
      throw error;
    }
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > MAX_BYTES)
        throw new TokenStoreError('corrupt', `${path} is no file that a token store wrote. Remove it.`);
      assertPrivate(path, stats, '600');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  });
}

/** Writes a file that only its user can read, as a whole: whoever reads it meanwhile sees the earlier one. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await attempt(`${path} could not be written`, async () => {
    try {
      await viaTemporary(path, text);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Who removed the file at this moment took this for a leftover.
      await viaTemporary(path, text);
    }
  });
}

/** Removes a file, where there is one, and what writers of it left behind that were killed. */
export async function removeFile(path: string): Promise<void> {
  await attempt(`${path} could not be removed`, async () => {
    await unlinkIfThere(path);
    const [folder, prefix] = [dirname(path), `${basename(path)}.`];
    for (const name of await readdir(folder)) {
      if (name.startsWith(prefix) && name.endsWith(TEMPORARY)) await unlinkIfThere(join(folder, name));
    }
  });
}

/** Removes what writers left behind in a folder that were killed, a minute after: others may be writing now. */
export async function removeLeftovers(folder: string): Promise<void> {
  await attempt(`${folder} could not be cleared`, async () => {
    const left = (await readdir(folder)).filter((name) => name.endsWith(TEMPORARY));
    if (left.length === 0) return;
    // Two times of one file system, which no clock that is set can part.
    const probe = join(folder, `${randomBytes(9).toString('base64url')}${TEMPORARY}`);
    await (await open(probe, 'wx', 0o600)).close();
    const { mtimeMs: now } = await lstat(probe);
    await unlinkIfThere(probe);
    for (const name of left) {
      const path = join(folder, name);
      // Another process may have swept it meanwhile.
      const written = await lstat(path).catch(() => undefined);
      if (written !== undefined && now - written.mtimeMs > LEFT_BEHIND_MS) await unlinkIfThere(path);
    }
  });
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The error of what the file system refused. It says what to do where a disk has no room. */
export function unavailable(failure: string, cause: unknown): TokenStoreError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const code = codeOf(cause);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const todo = isFull ? ' The disk is full: make room on it, and try again. What was stored is as it was.' : '';
  return new TokenStoreError('unavailable', `${failure}: ${why}.${todo}`, { cause });
}

/** The code of a system error, such as `ENOENT`. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function viaTemporary(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(9).toString('base64url')}${TEMPORARY}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // Why it could not be written says more.
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A rotated refresh token whose successor is lost with the power is a login lost. Not every system can do this. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The file itself is on the disk.
  }
}

function assertPrivate(path: string, { mode, uid }: Stats, wanted: string): void {
  if (process.platform === 'win32' || process.getuid === undefined) return;
  if (uid !== process.getuid())
    throw new TokenStoreError('unsafe', `${path} belongs to another user. Use a folder of your own for tokens.`);
  if ((mode & OTHERS) === 0) return;
  const shown = (mode & 0o777).toString(8);
  throw new TokenStoreError(
    'unsafe',
    `${path} can be read by others (mode ${shown}), who may have seen tokens: log in again where that matters. ` +
      `Then: chmod ${wanted} ${path}`,
  );
}

async function attempt<T>(failure: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TokenStoreError) throw error;
    throw unavailable(failure, error);
  }
}
