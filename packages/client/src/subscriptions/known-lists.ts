import type { MethodName } from '@switchyard/protocol';
import { isSameJson } from '../peer/is-same-json.ts';
import { type ListName, methodsOfList } from './change-feed.ts';

/** Lists as this client read them last, so that what was missed can be found. */
export interface KnownLists {
  /** Remembers what a method listed. The list is held, not copied. */
  note(method: MethodName, list: object): void;
  /** Calls `listener` with each list that is remembered from now on; the answer ends that. It must not throw. */
  listen(listener: (method: MethodName, list: object) => void): () => void;
  /** The methods of a list that were called before. */
  readBefore(list: ListName): readonly MethodName[];
  /** Answers what a method listed last, or `undefined`. */
  last(method: MethodName): object | undefined;
}

/** Creates the memory of one client. */
export function createKnownLists(): KnownLists {
  const lists = new Map<MethodName, object>();
  const listeners = new Set<(method: MethodName, list: object) => void>();
  return {
    note(method, list) {
      lists.set(method, list);
      for (const listener of listeners) listener(method, list);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readBefore: (list) => methodsOfList(list).filter((method) => lists.has(method)),
    last: (method) => lists.get(method),
  };
}

/** Answers whether two lists have the same entries. How long they are fresh is no part of what they say. */
export function isSameList(one: object | undefined, other: object | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && isSameJson(stateOf(one), stateOf(other)));
}

function stateOf(list: object): object {
  const { ttlMs: _, cacheScope: __, isStale: ___, ...entries } = list as { readonly [name: string]: unknown };
  return entries;
}
