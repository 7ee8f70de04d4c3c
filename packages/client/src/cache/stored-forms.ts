import { isJsonObject, type Method, methods, type MethodName } from '@switchyard/protocol';
import type { ListKind } from '../call/list-all.ts';

/** Answers whether a value from a store has the form of a result of a method, with how long it is fresh and for whom. */
export function isResultOf(name: MethodName, value: object): boolean {
  const method: Method = methods[name];
  return hasCacheHints(value) && method.result(value) === undefined;
}

/** Answers whether a value from a store has the form of a list under `member`: every entry, and what was left out. */
export function isListOf<T>({ read }: Pick<ListKind<T>, 'read'>, member: string, value: object): boolean {
  const { [member]: entries, leftOut } = value as { readonly [name: string]: unknown };
  return (
    hasCacheHints(value) &&
    Array.isArray(entries) &&
    entries.every((received) => {
      // What was read once is read as it is.
      const reading = read(received);
      return 'key' in reading && reading.entry === received;
    }) &&
    Array.isArray(leftOut) &&
    leftOut.every((one) => isJsonObject(one) && typeof one['name'] === 'string' && typeof one['reason'] === 'string')
  );
}

function hasCacheHints(value: object): boolean {
  const { ttlMs, cacheScope } = value as { readonly ttlMs?: unknown; readonly cacheScope?: unknown };
  return typeof ttlMs === 'number' && (cacheScope === 'public' || cacheScope === 'private');
}
