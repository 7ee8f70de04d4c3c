import { isNamed, type Kind } from '../catalog/kinds.ts';

/** Answers the key under which an entry of a mounted server appears: a name gets the prefix before it, a URI stays. */
export function exposedKey(prefix: string, kind: Kind, key: string): string {
  return isNamed(kind) ? `${prefix}_${key}` : key;
}

/** Answers the key that an entry has in the mounted server, or `undefined` when it cannot come from there. */
export function innerKey(prefix: string, kind: Kind, key: string): string | undefined {
  if (!isNamed(kind)) return key;
  return key.startsWith(`${prefix}_`) ? key.slice(prefix.length + 1) : undefined;
}
