import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Root } from '@switchyard/protocol';
import type { Clock } from '../peer/clock.ts';
import type { RootsSource } from '../input/input-handlers.ts';

/** One folder that may be exposed. */
export interface FileRoot {
  /** Absolute. Links are followed; the server sees where they lead. */
  readonly path: string;
  /** Default: the last part of the path. */
  readonly name?: string;
}

/** Options of {@link createFileRoots}. */
export interface FileRootsOptions {
  /** How often the folders are looked at while a client is connected, in milliseconds. Default 5,000. */
  readonly intervalMs?: number;
  readonly clock?: Clock;
}

const DEFAULT_INTERVAL_MS = 5000;

/** Looking at folders is no reason for a process to live on. */
const idleClock: Clock = {
  now: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Creates roots out of folders of this machine. Each time that a server asks, those are exposed that exist, are folders
 * and can be read by this process, in the order given and each once; the others are left out until they can. While a
 * client is connected they are looked at regularly, and a legacy server is told when something changed. Throws a
 * `TypeError` for a path that is not absolute.
 *
 * Spec: client/roots#security-considerations (2026-07-28).
 */
export function createFileRoots(
  folders: readonly (string | FileRoot)[],
  options: FileRootsOptions = {},
): RootsSource & {
  readonly list: () => Promise<readonly Root[]>;
  readonly watch: (onChange: () => void) => () => void;
} {
  const { intervalMs = DEFAULT_INTERVAL_MS, clock = idleClock } = options;
  const candidates = folders.map((folder) => (typeof folder === 'string' ? { path: folder } : folder));
  for (const { path } of candidates) {
    if (!isAbsolute(path)) throw new TypeError(`a root must be an absolute path, not ${JSON.stringify(path)}`);
  }
  return { list, watch };

  async function list(): Promise<readonly Root[]> {
    const roots = await Promise.all(candidates.map(readRoot));
    return [...new Map(roots.flatMap((root) => (root === undefined ? [] : [[root.uri, root] as const]))).values()];
  }

  function watch(onChange: () => void): () => void {
    let seen: string | undefined;
    let isOver = false;
    let disarm: () => void = () => undefined;
    void look();
    return () => {
      isOver = true;
      disarm();
    };

    async function look(): Promise<void> {
      const now = JSON.stringify(await list());
      if (isOver) return;
      if (seen !== undefined && seen !== now) onChange();
      seen = now;
      disarm = clock.after(intervalMs, () => void look());
    }
  }
}

/** Answers `undefined` for what cannot be exposed now. */
async function readRoot({ path, name }: FileRoot): Promise<Root | undefined> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory()) return undefined;
    await access(real, constants.R_OK | constants.X_OK);
    return { uri: pathToFileURL(real).href, name: name ?? basename(real) };
  } catch {
    // Gone, or not for this process: there is nothing to expose.
    return undefined;
  }
}
