import { type CacheHints, type ChangingList, clip } from '@switchyard/protocol';

import type { Catalog, Definitions } from '../catalog/catalog.ts';
import { changingListOf, type Kind, kinds } from '../catalog/kinds.ts';
import type { Interceptor } from './interceptor.ts';
import { MAX_NAME_CHARS } from '../definition/name.ts';
import { exposedKey, innerKey } from './exposed-key.ts';

/**
 * A server as a part of a composition: its own definitions, what wraps them, what is mounted in it, and where it is
 * mounted.
 */
export interface Part {
  readonly name: string;
  readonly definitions: Definitions;
  readonly hints: CacheHints;
  readonly pageSize: number;
  readonly interceptors: Interceptor[];
  readonly mounts: Mount[];
  readonly places: Place[];
  /** Whether it is served: from then on its interceptors and mounts stay as they are. */
  isSettled: boolean;
  /** What it serves as a whole, mounted servers included, as it is now. */
  catalog(): Catalog;
  /** Tells whoever listens to it, and to what it is mounted in, that a list that it serves has changed. */
  changed(list: ChangingList): void;
  /** Tells the same that a resource holds something else. */
  updated(uri: string): void;
}

/** A server that is mounted in another. */
export interface Mount {
  readonly prefix: string;
  readonly part: Part;
  /** Its definitions under their exposed names, so that a definition has one identity from snapshot to snapshot. */
  readonly renamed: WeakMap<object, object>;
}

/** Where a server is mounted. */
interface Place {
  readonly host: Part;
  readonly prefix: string;
}

const parts = new WeakMap<object, Part>();

/** Remembers which part a server is. */
export function setPart(server: object, part: Part): void {
  parts.set(server, part);
}

/** Answers the part that a server is, or `undefined` for what `createServer` did not make. */
export function partOf(server: object): Part | undefined {
  return parts.get(server);
}

/**
 * Takes a definition in.
 *
 * @throws TypeError when its key is taken, here or where the server is mounted, or its name is too long there.
 */
export function define(part: Part, kind: Kind, key: string, entry: object): void {
  const own = part.definitions[kind] as Map<string, object>;
  if (own.has(key)) throw taken(part, kind, key);
  own.set(key, entry);
  try {
    assertExposable(part, kind, key);
  } catch (error) {
    own.delete(key);
    throw error;
  }
  part.changed(changingListOf(kind));
}

/** Removes a definition of the server's own and answers whether there was one. */
export function remove(part: Part, kind: Kind, key: string): boolean {
  const removed = part.definitions[kind].delete(key);
  if (removed) part.changed(changingListOf(kind));
  return removed;
}

/**
 * Refuses a key that a server has twice, or that has no place where the server is mounted.
 *
 * @throws TypeError that names the servers and the key.
 */
export function assertExposable(part: Part, kind: Kind, key: string): void {
  if (countOf(part, kind, key) > 1) throw taken(part, kind, key);
  for (const { host, prefix } of part.places) {
    const exposed = exposedKey(prefix, kind, key);
    if (exposed !== key && exposed.length > MAX_NAME_CHARS)
      throw new TypeError(
        `${kinds[kind].called} ${JSON.stringify(key)} of the server ${part.name} has no name in ${host.name}, where it is mounted as ` +
          `${JSON.stringify(prefix)}: ${JSON.stringify(exposed)} has ${exposed.length} characters, and at most ${MAX_NAME_CHARS} are allowed`,
      );
    assertExposable(host, kind, exposed);
  }
}

/** Answers the mount that a key comes from, or `undefined` for the server's own, and for one that nobody defined. */
export function mountOf(part: Part, kind: Kind, key: string): Mount | undefined {
  if (part.definitions[kind].has(key)) return undefined;
  return part.mounts.find((mount) => {
    const inner = innerKey(mount.prefix, kind, key);
    return inner !== undefined && countOf(mount.part, kind, inner) > 0;
  });
}

/** How often a server has a key, in how many ways it may be reached. */
function countOf(part: Part, kind: Kind, key: string): number {
  let count = part.definitions[kind].has(key) ? 1 : 0;
  for (const mount of part.mounts) {
    const inner = innerKey(mount.prefix, kind, key);
    if (inner !== undefined) count += countOf(mount.part, kind, inner);
  }
  return count;
}

function taken(part: Part, kind: Kind, key: string): TypeError {
  return new TypeError(
    `the server ${part.name} already has the ${kinds[kind].called} ${JSON.stringify(clip(key, 256))}`,
  );
}
