import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import spawn from 'cross-spawn';
import { killOnExit } from './kill-all-on-exit.ts';
import { minimalEnvironment } from './minimal-environment.ts';
import { hasProcessGroups, isGroupPresent, signalGroup, waitForGroupEnd } from './process-group.ts';
import { retryShortage } from './retry-shortage.ts';
import { SpawnError, toSpawnError } from './spawn-error.ts';
import { createStderrRing } from './stderr-ring.ts';
import type { StderrRing } from './stderr-ring.ts';

const DEFAULT_STDERR_BYTES = 64 * 1024;
const DEFAULT_TAIL_LINES = 20;
const DEFAULT_GRACE_MS = 2000;
const TERMINATE_MS = 1000;
const KILL_MS = 5000;
/**
 * How long the last output of a process that has exited is waited for; a grandchild may hold the pipe open for ever.
 */
const LAST_OUTPUT_MS = 500;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What to start, and how. */
export interface SpawnServerOptions {
  /** A program in the child's PATH, or a path; a relative one counts from `cwd`. Never read by a shell. */
  readonly command: string;
  /** Handed over exactly as they are. Default: none. */
  readonly args?: readonly string[];
  /** Variables on top of the minimal environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory. Default: that of this process. */
  readonly cwd?: string;
  /** The environment from which the minimal one is taken. Default `process.env`. */
  readonly baseEnv?: Readonly<Record<string, string | undefined>>;
  /** How many bytes of stderr are kept, the last ones. Default 65,536. */
  readonly stderrBytes?: number;
  /**
   * Gets each line of stderr, without its end. Of a line over 16 Ki characters it gets the first ones. The text is from
   * outside: show it through `cleanText` and `createLineRedactor`.
   */
  readonly onStderr?: (line: string) => void;
  /** Gives up starting: rejects with its reason. It does not end a server that has started. */
  readonly signal?: AbortSignal;
}

/** How a process ended: by itself with a code, or by a signal. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running child process that speaks over stdin and stdout, and the process group that it leads. */
export interface ServerProcess extends AsyncDisposable {
  /** The process id, on POSIX also the id of the group. */
  readonly pid: number;
  /**
   * The child's stdin. A write to a child that has gone fails through its callback and emits `error`; without a
   * listener that is no unhandled error.
   */
  readonly stdin: Writable;
  /** The child's stdout. Whoever starts a server reads it; nothing here does. */
  readonly stdout: Readable;
  /**
   * Resolves when the child has exited and its stderr has been read (grandchildren that hold stderr open are not waited
   * for); never rejects. Output on stdout may still be waiting then.
   */
  readonly exited: Promise<ServerExit>;
  /** The last lines (default 20) of what is kept of stderr, decoded as UTF-8. Text from outside, as with `onStderr`. */
  stderrTail(lines?: number): string;
  /**
   * Ends the child and its whole process group: ends stdin, waits `graceMs` (default 2,000) for the child to exit,
   * sends SIGTERM, waits 1,000 ms, sends SIGKILL. Processes of the group that outlive the child are ended too, those of
   * a child that had exited before included. Resolves when none is left and all descriptors are closed. A second call
   * is the same call, whatever its `graceMs`.
   *
   * Rejects with SpawnError `still-running` when SIGKILL ends them neither, as with processes of another user.
   *
   * A process that leaves the group (a daemon that calls setsid) is out of reach, and nobody waits for it.
   *
   * Windows has neither groups nor SIGTERM: after the grace the tree below the child is ended by force.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type StartedChild = Child & { readonly pid: number };

/**
 * Starts a server as a child process: without a shell (a Windows `.cmd` shim gets its arguments escaped by
 * cross-spawn), as the leader of its own process group, with the minimal environment, and with stderr always read, so
 * that a child that logs much is never blocked.
 *
 * The child does not outlive this process where that ends in an orderly way: on `exit` each live group gets SIGKILL.
 * Being in its own group, the child does not see Ctrl-C: a program that starts servers handles SIGINT and SIGTERM and
 * closes them. After kill -9 of this process nothing can be done here, and the child sees the end of its stdin.
 *
 * A system that is short of processes, memory or descriptors is asked again for up to 1.5 seconds. Rejects with
 * SpawnError when the child does not start, or with the reason of `signal`.
 *
 * Spec: basic/transports/stdio#shutdown (2026-07-28)
 */
export function spawnServer(options: SpawnServerOptions): Promise<ServerProcess> {
  return retryShortage(() => spawnOnce(options), { signal: options.signal });
}

async function spawnOnce(options: SpawnServerOptions): Promise<ServerProcess> {
  const { command, args = [], cwd, baseEnv = process.env, stderrBytes = DEFAULT_STDERR_BYTES, onStderr } = options;
  const env = minimalEnvironment({ base: baseEnv, env: options.env ?? {}, platform: process.platform });
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
  const attempt = { command, cwd, path };
  let child: Child;
  try {
    child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: hasProcessGroups(),
      windowsHide: true,
    }) as Child;
  } catch (error) {
    throw toSpawnError(error, attempt);
  }
  // A child has its id at once; one that could not be started has none and says why in an event.
  if (!hasStarted(child)) throw toSpawnError(await failure(child), attempt);
  // In the same turn, so that no end of this process comes before the child is known.
  return superviseServer(child, createStderrRing(stderrBytes, onStderr));
}

function hasStarted(child: Child): child is StartedChild {
  return child.pid !== undefined;
}

async function failure(child: Child): Promise<unknown> {
  const error = await new Promise((resolve) => {
    child.once('error', resolve);
  });
  // Where the system has no descriptor left, the child has not even streams, whatever its type says.
  const streams: readonly (Readable | Writable | undefined)[] = [child.stdin, child.stdout, child.stderr];
  for (const stream of streams) stream?.destroy();
  return error;
}

function superviseServer(child: StartedChild, ring: StderrRing): ServerProcess {
  const { pid, stdin, stdout, stderr } = child;
  const forget = killOnExit(pid);
  let isGroupGone = false;
  let closing: Promise<void> | undefined;

  // EPIPE and ECONNRESET are how a pipe says that the child is gone, which `exited` and the end of stdout say, too.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});

  const stderrRead = new Promise<void>((resolve) => {
    stderr.on('data', (chunk: Buffer) => ring.push(chunk));
    stderr.once('close', () => {
      ring.end();
      resolve();
    });
  });

  const left = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      // From now on the id may be given to others: it must not be signalled again.
      isGroupGone = !isGroupPresent(pid);
      if (isGroupGone) forget();
      resolve({ code, signal });
    });
    // A signal that could not be delivered needs no answer: who waits for the end finds out. On Windows cross-spawn
    // puts an
    // error in the place of the exit of a cmd.exe that has not found the command.
    child.on('error', () => {
      if (child.exitCode !== null) resolve({ code: child.exitCode, signal: null });
    });
  });
  const exited = left.then(async (exit) => {
    await within(stderrRead, LAST_OUTPUT_MS);
    return exit;
  });

  async function endProcesses(graceMs: number): Promise<void> {
    stdin.end();
    await within(left, graceMs);
    if (isGroupGone) return;
    signalGroup(pid, 'SIGTERM');
    if (await hasEnded(TERMINATE_MS)) return;
    signalGroup(pid, 'SIGKILL');
    if (await hasEnded(KILL_MS)) return;
    throw new SpawnError('still-running', `process group ${pid} is still running after SIGKILL: end it by hand`);
  }

  async function hasEnded(timeoutMs: number): Promise<boolean> {
    if (!hasProcessGroups()) return within(left, timeoutMs);
    return waitForGroupEnd(pid, timeoutMs);
  }

  async function closeOnce(graceMs: number): Promise<void> {
    try {
      await endProcesses(graceMs);
      forget();
      await left;
      // What the child wrote last goes to whoever reads it.
      if (stdout.readableFlowing !== null) await within(closed(stdout), LAST_OUTPUT_MS);
      await within(stderrRead, LAST_OUTPUT_MS);
    } finally {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    }
    await Promise.all([closed(stdin), closed(stdout), closed(stderr)]);
  }

  function close({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    closing ??= closeOnce(graceMs);
    return closing;
  }

  return {
    pid,
    stdin,
    stdout,
    exited,
    stderrTail: (lines = DEFAULT_TAIL_LINES) => ring.tail(lines),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function closed(stream: Readable | Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });
}

/** Waits for `event`, for `timeoutMs` at most; answers whether it came. */
async function within(event: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      event.then(() => true),
      // Aborting the timer rejects; nobody looks at the loser of the race.
      delay(Math.min(timeoutMs, MAX_TIMER_MS), false, { signal: timer.signal }).catch(() => false),
    ]);
  } finally {
    timer.abort();
  }
}
