import { type MethodName, stringifyJson } from '@switchyard/protocol';
import { type ListName, methodsOfList } from './change-feed.ts';

/** Lists as this client read them last, so that what was missed can be found. */
export interface KnownLists {
  /** Remembers what a method listed. The list is held, not copied. */
  note(method: MethodName, list: object): void;
  /** The methods of a list that were called before. */
  readBefore(list: ListName): readonly MethodName[];
  /** Answers what tells whether the entries of a method's list have changed between two calls, or `undefined`. */
  stateOf(method: MethodName): string | undefined;
}

/** Creates the memory of one client. */
export function createKnownLists(): KnownLists {
  const lists = new Map<MethodName, object>();
  return {
    note: (method, list) => void lists.set(method, list),
    readBefore: (list) => methodsOfList(list).filter((method) => lists.has(method)),
    stateOf(method) {
      const list = lists.get(method);
      if (list === undefined) return undefined;
      // How long it is fresh is no part of what it says.
      const { ttlMs: _, cacheScope: __, isStale: ___, ...entries } = list as { readonly [name: string]: unknown };
      return stringifyJson(entries);
    },
  };
}
