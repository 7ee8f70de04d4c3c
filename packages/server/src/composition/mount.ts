import { changingListNames } from '@switchyard/protocol';

import { definitionsOf } from './definitions-of.ts';
import { allKinds, type Kind } from '../catalog/kinds.ts';
import type { Interceptor } from './interceptor.ts';
import { assertExposable, type Mount, type Part, partOf } from './part.ts';

const PREFIX = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Wraps a server with an interceptor, inside those that it has.
 *
 * @throws TypeError when it is no function, or the server is served.
 */
export function addInterceptor(part: Part, interceptor: Interceptor): void {
  if (typeof interceptor !== 'function') throw new TypeError(`use takes a function, not ${typeof interceptor}`);
  assertUnsettled(part, 'use');
  part.interceptors.push(interceptor);
}

/**
 * Mounts a server in another.
 *
 * @throws TypeError when the prefix is none or taken, `other` is no server of `createServer` or holds the server that
 *   it would be mounted in, a name would be taken or too long, or the server is served.
 */
export function mount(part: Part, prefix: string, other: object): void {
  if (typeof prefix !== 'string' || !PREFIX.test(prefix))
    throw new TypeError(
      `the prefix ${JSON.stringify(prefix)} cannot stand before names: use 1 to 64 characters of A-Z a-z 0-9 _ -`,
    );
  const mounted = partOf(other);
  if (mounted === undefined) throw new TypeError('mount takes a server that createServer made');
  assertUnsettled(part, 'mount');
  if (holds(mounted, part))
    throw new TypeError(
      `the server ${mounted.name} cannot be mounted in ${part.name}, which it holds: that would be a cycle`,
    );
  if (part.mounts.some((known) => known.prefix === prefix))
    throw new TypeError(`the server ${part.name} already has a server mounted as ${JSON.stringify(prefix)}`);
  const added: Mount = { prefix, part: mounted, renamed: new WeakMap() };
  part.mounts.push(added);
  mounted.places.push({ host: part, prefix });
  try {
    for (const [kind, key] of keysOf(mounted)) assertExposable(mounted, kind, key);
  } catch (error) {
    part.mounts.pop();
    mounted.places.pop();
    throw error;
  }
  for (const list of changingListNames) part.changed(list);
}

/** Settles a server that is served, and all that is mounted in it: their handlers are compiled once. */
export function settle(part: Part): void {
  part.isSettled = true;
  for (const { part: mounted } of part.mounts) settle(mounted);
}

function assertUnsettled(part: Part, method: 'use' | 'mount'): void {
  if (part.isSettled)
    throw new TypeError(
      `the server ${part.name} is served already: call ${method} before it, or what it is mounted in, is served`,
    );
}

function holds(part: Part, other: Part): boolean {
  return part === other || part.mounts.some((mount) => holds(mount.part, other));
}

function* keysOf(part: Part): Iterable<readonly [Kind, string]> {
  const definitions = definitionsOf(part);
  for (const kind of allKinds) for (const key of definitions[kind].keys()) yield [kind, key];
}
