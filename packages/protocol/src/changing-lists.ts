import type { SubscriptionFilter } from './model/subscription-filter.ts';
import { type NotificationKind, notifications } from './notifications.ts';

/** How one hears of changes of a list. */
interface ListChange {
  /** The member of a {@link SubscriptionFilter} that asks for it. */
  readonly wanted: keyof SubscriptionFilter;
  readonly notification: NotificationKind;
}

/**
 * The lists of a server that may change while it is reached, by the capability whose `listChanged` announces that. There
 * is no second list of them.
 *
 * Spec: basic/patterns/subscriptions#notification-filter (2026-07-28).
 */
export const changingLists = {
  tools: { wanted: 'toolsListChanged', notification: notifications.toolsListChanged },
  prompts: { wanted: 'promptsListChanged', notification: notifications.promptsListChanged },
  resources: { wanted: 'resourcesListChanged', notification: notifications.resourcesListChanged },
} as const satisfies { readonly [name: string]: ListChange };

/** The name of a list in {@link changingLists}. */
export type ChangingList = keyof typeof changingLists;

/** The names of all lists in {@link changingLists}. */
export const changingListNames = Object.keys(changingLists) as readonly ChangingList[];
