import { changingListNames, changingLists, isJsonObject, methods, type SubscriptionFilter } from '@switchyard/protocol';
import { readAs } from '../peer/read-as.ts';
import type { ListName } from './change-feed.ts';

/** Answers the lists that a filter asks for. */
export function listsOf(filter: SubscriptionFilter): readonly ListName[] {
  return changingListNames.filter((list) => filter[changingLists[list].wanted] === true);
}

/** Answers the URIs that a filter asks for, each once. */
export function urisOf({ resourceSubscriptions = [] }: SubscriptionFilter): readonly string[] {
  return [...new Set(resourceSubscriptions)];
}

/**
 * Answers those of the watched URIs that tell of a resource: whoever watches one hears of what lies below it. Spec:
 * schema#resourceupdatednotification (2026-07-28).
 */
export function covering(watched: readonly string[], uri: string): readonly string[] {
  return watched.filter((one) => uri === one || uri.startsWith(one.endsWith('/') ? one : `${one}/`));
}

/** Answers the filter for lists, resources and tasks; what is empty is left out. */
export function createFilter(
  lists: readonly ListName[],
  uris: readonly string[] = [],
  taskIds: readonly string[] = [],
): SubscriptionFilter {
  return {
    ...Object.fromEntries(lists.map((list) => [changingLists[list].wanted, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    ...(taskIds.length === 0 ? {} : { taskIds }),
  };
}

/** Answers what both filters ask for. */
export function bothOf(one: SubscriptionFilter, other: SubscriptionFilter): SubscriptionFilter {
  return select(one, (list) => listsOf(other).includes(list), new Set(urisOf(other)), new Set(other.taskIds), true);
}

/** Answers what the first filter asks for and the second does not. */
export function without(one: SubscriptionFilter, other: SubscriptionFilter): SubscriptionFilter {
  return select(one, (list) => !listsOf(other).includes(list), new Set(urisOf(other)), new Set(other.taskIds), false);
}

function select(
  filter: SubscriptionFilter,
  hasList: (list: ListName) => boolean,
  uris: ReadonlySet<string>,
  taskIds: ReadonlySet<string>,
  isIn: boolean,
): SubscriptionFilter {
  return createFilter(
    listsOf(filter).filter(hasList),
    urisOf(filter).filter((uri) => uris.has(uri) === isIn),
    (filter.taskIds ?? []).filter((id) => taskIds.has(id) === isIn),
  );
}

/** Answers the filter of an acknowledgement, empty where it is malformed: nothing can be relied on then. */
export function readAcknowledged(params: unknown): SubscriptionFilter {
  const notifications = isJsonObject(params) ? params['notifications'] : undefined;
  // An acknowledgement has the form of what it acknowledges.
  const reading = readAs(methods['subscriptions/listen'].params, { notifications });
  return 'value' in reading ? reading.value.notifications : {};
}

/** Answers in words what a filter asks for. */
export function describeFilter(filter: SubscriptionFilter): string {
  const uris = urisOf(filter).length;
  const tasks = filter.taskIds?.length ?? 0;
  return [
    ...listsOf(filter).map((list) => `the list of ${list}`),
    ...(uris === 0 ? [] : [`${uris} resource${uris === 1 ? '' : 's'}`]),
    ...(tasks === 0 ? [] : [`${tasks} task${tasks === 1 ? '' : 's'}`]),
  ].join(', ');
}
