import { assertObject } from './assert-argument.ts';
import { clip } from './clip.ts';
import { nearestName } from './nearest-name.ts';

/**
 * Every member of an interface of options, each once: a table that lacks one, or has one too many, does not compile.
 */
export type KnownOptions<T> = { readonly [K in keyof T]-?: true };

/**
 * Refuses what has no meaning among options, which would pass in silence otherwise. A member that is `undefined` is as
 * good as none. `elsewhere` has the options of functions that are easily taken for this one, by the name of the
 * function.
 *
 * @throws TypeError when it is no object, or names no option; the message says whose it is, or which is the nearest
 *   one, or all of them.
 */
export function assertKnownOptions<T extends object>(
  what: string,
  options: T,
  known: KnownOptions<T>,
  elsewhere: { readonly [owner: string]: object } = {},
): void {
  assertObject(what, options);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `${what}: there is no option ${JSON.stringify(clip(name))}; ${hintFor(name, Object.keys(known), elsewhere)}`,
    );
  }
}

function hintFor(name: string, names: readonly string[], elsewhere: { readonly [owner: string]: object }): string {
  const owner = Object.entries(elsewhere).find(([, options]) => Object.hasOwn(options, name))?.[0];
  if (owner !== undefined) return `that is an option of ${owner}`;
  const near = nearestName(name, names);
  return near === undefined ? `known are ${names.join(', ')}` : `did you mean ${JSON.stringify(near)}?`;
}
