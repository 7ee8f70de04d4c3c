import {
  type ChangingList,
  changingListNames,
  changingLists,
  isJsonObject,
  methods,
  type MethodName,
  type Notification,
  notifications,
} from '@switchyard/protocol';

/** The lists of a server that may change while it is reached. */
export type ListName = ChangingList;

/**
 * What a server says is no longer as it was read: a list, what one resource holds, or what any of them may hold, since it
 * said more at once than could be taken in.
 */
export type Change = { readonly list: ListName } | { readonly uri: string } | { readonly resources: 'any' };

/** Tells the parts of one client what its server said has changed, whatever brought the news. */
export interface ChangeFeed {
  /** Takes a notification of the server; one that says nothing of a change is ignored. */
  take(notification: Notification): void;
  /** Tells of a change that was learned otherwise. */
  announce(change: Change): void;
  /** Takes it that the server said something of its resources, and nobody knows of which. */
  lose(): void;
  /**
   * Calls `listener` for each change from now on, in order; the answer ends that. `isSaid`: the server said so just
   * now. It must not throw.
   */
  listen(listener: (change: Change, isSaid: boolean) => void): () => void;
  /** How often a list has changed so far: two answers that differ have a change between them. */
  changesOf(list: ListName): number;
  /** How often the server itself has said so. */
  saidChangesOf(list: ListName): number;
}

/** Creates the feed of one client. */
export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<(change: Change, isSaid: boolean) => void>();
  const counts: { [L in ListName]: number } = { tools: 0, prompts: 0, resources: 0 };
  const saidCounts: { [L in ListName]: number } = { ...counts };

  return {
    announce: (change) => tell(change, false),
    lose: () => tell({ resources: 'any' }, true),
    take(notification) {
      const change = readChange(notification);
      if (change !== undefined) tell(change, true);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changesOf: (list) => counts[list],
    saidChangesOf: (list) => saidCounts[list],
  };

  function tell(change: Change, isSaid: boolean): void {
    if ('list' in change) {
      counts[change.list] += 1;
      if (isSaid) saidCounts[change.list] += 1;
    }
    for (const listener of listeners) listener(change, isSaid);
  }
}

const listOfNotification: ReadonlyMap<string, ListName> = new Map(
  changingListNames.map((list) => [listNotificationOf(list), list]),
);

/** Answers the method of the notification that tells of a list. */
export function listNotificationOf(list: ListName): string {
  return changingLists[list].notification.method;
}

/** Answers what a notification says has changed, or `undefined` for one that says nothing of that. */
export function readChange({ method, params }: Notification): Change | undefined {
  const list = listOfNotification.get(method);
  if (list !== undefined) return { list };
  if (method !== notifications.resourceUpdated.method || !isJsonObject(params)) return undefined;
  const { uri } = params;
  return typeof uri === 'string' ? { uri } : undefined;
}

/** Answers the methods whose results hold a list: a change of `resources` is one of their templates, too. */
export function methodsOfList(list: ListName): readonly MethodName[] {
  return methodsByList[list];
}

const listMethods = (list: ListName): readonly MethodName[] =>
  (Object.keys(methods) as MethodName[]).filter((name) => isListOf(name, list));
const methodsByList: { readonly [L in ListName]: readonly MethodName[] } = {
  tools: listMethods('tools'),
  prompts: listMethods('prompts'),
  resources: listMethods('resources'),
};

function isListOf(name: MethodName, list: ListName): boolean {
  const method = methods[name];
  return 'list' in method && 'capability' in method && method.capability === list;
}
