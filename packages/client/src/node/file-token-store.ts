import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { Seal } from '../authorization/seal.ts';
import type { TokenStore } from '../authorization/token-store.ts';
import { TokenStoreError } from '../authorization/token-store-error.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { createFileLocks, LONGEST_RECOVERY_MS } from './file-lock.ts';
import {
  openPrivateFolder,
  readPrivateFile,
  removeFile,
  removeLeftovers,
  unavailable,
  writePrivateFile,
} from './private-files.ts';
import { openSeal, type StoreKey } from './store-key.ts';

/** Where tokens are kept, and what encrypts them. */
export interface FileTokenStoreOptions {
  /** A folder of its own, as an absolute path; made with mode 0700 where there is none. */
  readonly folder: string;
  /**
   * What encrypts the tokens. Default: a random key in the file `key` of the folder, mode 0600. It guards what is
   * copied without that file, and nothing against whoever can read the folder: for that, give a key or a passphrase.
   */
  readonly key?: StoreKey;
  /** Where time comes from. Default: the platform. */
  readonly clock?: Clock;
}

/** The longest value, in characters. */
const MAX_CHARS = 1024 * 1024;
/** Longer than it takes to find out that nobody holds the lock: who tries again begins to count anew. */
const OPEN_MS = LONGEST_RECOVERY_MS + 15_000;

/**
 * Creates a token store of files, which several processes may share: one file a key, named after a digest of it, with
 * mode 0600, encrypted with AES-256-GCM, and written by renaming. Nothing is read or made before the first call.
 *
 * Rejects with a {@link TokenStoreError}: `unsafe` where the folder or a file can be read by others or belongs to
 * somebody else (not checked on Windows, where the parent of the folder decides), `wrong-key` for another key than that
 * of the folder, `corrupt` for a damaged file, `too-large` over 1 Mi characters, `unavailable` where the disk fails or
 * is full. What cannot be decrypted is never written over; `delete` removes it, unread, and with it what a killed writer
 * left of it. Other such leftovers, which are encrypted as all else, go when the folder is opened a minute later.
 *
 * `exclusively` is a lock file: that of a process that was killed is taken away at once, on another machine that shares
 * the folder after 15 s. Whoever cannot write one, as on a full disk, leaves none.
 *
 * Spec: basic/authorization/security-considerations#token-theft (2026-07-28).
 */
export function createFileTokenStore(options: FileTokenStoreOptions): TokenStore {
  const { folder, key, clock = systemClock } = options;
  if (!isAbsolute(folder))
    throw new TokenStoreError('invalid-argument', 'The folder of a token store must be an absolute path.');
  const locks = createFileLocks({ clock });
  let opening: Promise<Seal> | undefined;

  return {
    async get(name) {
      const seal = await open();
      const sealed = await readPrivateFile(pathOf(name, 'token'));
      return sealed === undefined ? undefined : seal.open(name, sealed);
    },
    async set(name, value) {
      if (value.length > MAX_CHARS)
        throw new TokenStoreError('too-large', `A token store keeps at most ${MAX_CHARS} characters under one key.`);
      const seal = await open();
      const path = pathOf(name, 'token');
      const earlier = await readPrivateFile(path);
      if (earlier !== undefined) await seal.open(name, earlier);
      await writePrivateFile(path, `${await seal.close(name, value)}\n`);
    },
    async delete(name) {
      await openPrivateFolder(folder);
      await removeFile(pathOf(name, 'token'));
    },
    async exclusively(name, signal, work) {
      await openPrivateFolder(folder);
      return locked(pathOf(name, 'lock'), signal, work);
    },
  };

  function pathOf(name: string, kind: 'token' | 'lock'): string {
    return join(folder, `${createHash('sha256').update(name).digest('hex')}.${kind}`);
  }

  /** A failure is not kept: the user may mend it and try again. */
  function open(): Promise<Seal> {
    opening ??= openOnce().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function openOnce(): Promise<Seal> {
    await openPrivateFolder(folder);
    const waiting = new AbortController();
    const stop = clock.after(OPEN_MS, () =>
      waiting.abort(
        new TokenStoreError(
          'unavailable',
          `Another process holds ${join(folder, 'store.lock')}, and goes on. End that process, or try again later.`,
        ),
      ),
    );
    try {
      return await locked(join(folder, 'store.lock'), waiting.signal, async () => {
        await removeLeftovers(folder);
        return openSeal(folder, key);
      });
    } finally {
      stop();
    }
  }

  /** What the lock itself fails with is told apart from what the work does. */
  async function locked<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let worked: Promise<T> | undefined;
    try {
      return await locks.exclusively(path, signal, () => (worked = work()));
    } catch (cause) {
      if (worked !== undefined || signal.aborted) throw cause;
      throw unavailable(`The lock ${path} could not be taken`, cause);
    }
  }
}
