import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../store-error.ts';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Takes the rights of group and others away from a file of ours that has them. */
function tighten(path: string): void {
  const { mode, uid } = statSync(path);
  const isOurs = process.getuid === undefined || process.getuid() === uid;
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
}

/** Node's own `recursive` never ends where a folder exists in which nothing can be made, as in `/proc`. */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: OWNER_ONLY_FOLDER });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

/**
 * Makes sure that the file at the absolute `path` exists and that only its owner can read or write it (mode 0600),
 * whatever the umask; its folder, where missing, is made with mode 0700. SQLite gives its `-wal` and `-shm` files the
 * same mode. An existing folder stays as it is. On Windows modes have no effect: the folder's access list decides.
 *
 * With `create: false` a missing file is StoreError `unavailable`. Throws the file system's errors.
 */
export function preparePrivateFile(path: string, { create }: { readonly create: boolean }): void {
  if (!create && !existsSync(path)) throw new StoreError('unavailable', `there is no file ${path}`);
  const folder = dirname(path);
  if (!existsSync(folder)) {
    makeFolder(folder);
    chmodSync(folder, OWNER_ONLY_FOLDER);
  }
  try {
    // Exclusive: closing a second descriptor of a file that is already open here would drop SQLite's POSIX locks on it.
    closeSync(openSync(path, 'wx', OWNER_ONLY_FILE));
    chmodSync(path, OWNER_ONLY_FILE);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    for (const existing of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(existing)) tighten(existing);
  }
}
