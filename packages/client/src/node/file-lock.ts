import { randomBytes } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../peer/clock.ts';
import { pause } from '../timing/pause.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { lifeOf, ownMark, type ProcessMark } from './process-mark.ts';

/** How often a holder shows that it lives, and how long one may be silent of whom nothing else is known. */
const SIGN_MS = 3000;
const SILENT_MS = 15_000;
/** A file is written as soon as it is made, so one that is still not complete has lost its writer. */
const INCOMPLETE_MS = 2000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;
const TOKEN = /^[\w-]{16}$/;

/** The longest time until a lock is free that its holder, and then whoever took it away, left behind. */
export const LONGEST_RECOVERY_MS = 2 * SILENT_MS;

/** Locks that processes of one machine, or of several that share a folder, hold by files. */
export interface FileLocks {
  /**
   * Runs `work` while nobody else holds the lock of `path`, which is a file while it is held. Rejects as `work` does,
   * with the reason of `signal` while it waits, or with what the file system says.
   */
  exclusively<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Who holds a lock, as its file says. */
interface Holder {
  /** Empty where the file is not complete: it is being written, or its writer died. */
  readonly token: string;
  readonly mark: ProcessMark | undefined;
  /** Changes with every sign of life. */
  readonly signedAt: number;
}

/** Who wants a lock. */
interface Claimant {
  readonly token: string;
  /** What a file says that is his. */
  readonly text: string;
}

/**
 * Creates the locks. A file that is made where there was none (`O_EXCL`) is the lock; in it stands which process holds
 * it. That of a process that has ended is taken away at once; that of one that is known to live never; and where
 * neither can be known, such as on another machine, after it gave no sign for 15 s; a file that says of nobody is taken
 * away after 2 s. Only one of all who wait may take one away. Whoever cannot write such a file leaves none.
 */
export function createFileLocks({ clock }: { readonly clock: Clock }): FileLocks {
  const turns = new Map<string, Promise<void>>();

  return {
    async exclusively(path, signal, work) {
      // Within one process whoever came first is next; only that one looks at the file.
      const before = turns.get(path) ?? Promise.resolve();
      const { promise, resolve: leave } = Promise.withResolvers<void>();
      const turn = before.then(() => promise);
      turns.set(path, turn);
      try {
        await untilAborted(signal, before);
        const token = await acquire(path, signal);
        const stop = await giveSigns(path);
        try {
          return await work();
        } finally {
          await stop();
          release(path, token);
        }
      } finally {
        leave();
        if (turns.get(path) === turn) turns.delete(path);
      }
    },
  };

  async function acquire(path: string, signal: AbortSignal): Promise<string> {
    const token = randomBytes(12).toString('base64url');
    const claimant: Claimant = { token, text: JSON.stringify({ token, ...ownMark() }) };
    const silenceOfHolder = watchSilence();
    const silenceOfClaim = watchSilence();
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      signal.throwIfAborted();
      if (make(path, claimant)) return token;
      const holder = look(path);
      if (holder === undefined) {
        // It was given back between the two. Whatever else it may be, this does not keep the process busy with it.
        await pause(clock, pauseMs, signal);
        continue;
      }
      const isOver = isGone(holder, silenceOfHolder(holder));
      if (isOver && takeAway(path, holder, claimant, silenceOfClaim)) continue;
      await pause(clock, pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Answers a function that tells for how long nothing has changed in what it is shown. */
  function watchSilence(): (holder: Holder) => number {
    let seen = '';
    let seenAt = 0;
    return ({ token, signedAt }) => {
      const sign = `${token} ${signedAt}`;
      if (sign !== seen) [seen, seenAt] = [sign, clock.now()];
      return clock.now() - seenAt;
    };
  }

  /** A sign is one more space behind the text. The file that was opened, and no later one of that name, gets them. */
  async function giveSigns(path: string): Promise<() => Promise<void>> {
    let file: FileHandle | undefined;
    try {
      file = await open(path, constants.O_WRONLY | constants.O_APPEND);
    } catch {
      // Then this process is known by its number only.
    }
    let isOver = false;
    let stopTimer = (): void => undefined;
    let signing = Promise.resolve();
    const sign = (): void => {
      signing = (file?.write(' ') ?? Promise.resolve()).then(
        () => undefined,
        () => undefined,
      );
      if (!isOver) stopTimer = clock.after(SIGN_MS, sign);
    };
    stopTimer = clock.after(SIGN_MS, sign);
    return async () => {
      isOver = true;
      stopTimer();
      await signing;
      // The lock is over, whatever becomes of its descriptor.
      await file?.close().catch(() => undefined);
    };
  }
}

function isGone({ token, mark }: Holder, silentMs: number): boolean {
  if (token === '') return silentMs >= INCOMPLETE_MS;
  const life = mark === undefined ? 'unknown' : lifeOf(mark);
  return life === 'dead' || (life === 'unknown' && silentMs >= SILENT_MS);
}

/**
 * Takes the lock of a dead holder away, and answers whether something changed. Whoever makes the file that is named
 * after that one holding of the lock, and nobody else, may remove it: a lock that somebody took meanwhile has another
 * name. All is done without a pause, so that only a kill in the middle can leave the file behind.
 */
function takeAway(
  path: string,
  holder: Holder,
  claimant: Claimant,
  silenceOfClaim: (claim: Holder) => number,
): boolean {
  const claim = `${path}.${holder.token === '' ? 'incomplete' : holder.token}.end`;
  if (!make(claim, claimant)) {
    const other = look(claim);
    if (other === undefined) return true;
    if (!isGone(other, silenceOfClaim(other))) return false;
    remove(claim);
    return true;
  }
  try {
    if (look(path)?.token === holder.token) remove(path);
  } finally {
    release(claim, claimant.token);
  }
  return true;
}

function release(path: string, token: string): void {
  if (look(path)?.token === token) remove(path);
}

/** Answers whether the file is made, complete and still that of whoever made it. */
function make(path: string, { token, text }: Claimant): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  try {
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // A full disk takes the name of a file and not what is in it: left there, it would keep everybody waiting.
    discard(path);
    throw error;
  }
  // Who was stopped before he wrote may have been taken for dead.
  return look(path)?.token === token;
}

/** Why it is discarded says more than why it cannot be. */
function discard(path: string): void {
  try {
    remove(path);
  } catch {
    // It is taken for incomplete.
  }
}

function look(path: string): Holder | undefined {
  try {
    const { mtimeMs: signedAt, isFile } = describe(path);
    if (!isFile) throw new Error(`${path} is no file that a lock made; remove it`);
    const read = parse(readFileSync(path, 'utf8'));
    return { token: read?.token ?? '', mark: read?.mark, signedAt };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function describe(path: string): { readonly mtimeMs: number; readonly isFile: boolean } {
  const stats = lstatSync(path);
  return { mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
}

function parse(text: string): { readonly token: string; readonly mark: ProcessMark } | undefined {
  try {
    const read = JSON.parse(text.trim()) as { readonly [name: string]: unknown } | null;
    const { token, pid, startedAt, machine } = read ?? {};
    if (typeof token !== 'string' || !TOKEN.test(token) || !Number.isSafeInteger(pid)) return undefined;
    if (typeof startedAt !== 'string' || typeof machine !== 'string') return undefined;
    return { token, mark: { pid: pid as number, startedAt, machine } };
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
