import { notifications, type ServerCapabilities, type SubscriptionFilter } from '@switchyard/protocol';

import { type ChangingList, changingLists } from './change.ts';

/** The notification of each list, and the member of a filter that asks for it. */
export const listNotifications = {
  tools: { wanted: 'toolsListChanged', kind: notifications.toolsListChanged },
  prompts: { wanted: 'promptsListChanged', kind: notifications.promptsListChanged },
  resources: { wanted: 'resourcesListChanged', kind: notifications.resourcesListChanged },
} as const satisfies { readonly [L in ChangingList]: unknown };

/**
 * Answers the filter that asks for every list that a server with these capabilities tells of, or for those of them that
 * `asked` names.
 */
export function listFilterOf(capabilities: ServerCapabilities, asked?: SubscriptionFilter): SubscriptionFilter {
  const wanted = changingLists
    .filter((list) => capabilities[list]?.listChanged === true)
    .map((list) => listNotifications[list].wanted)
    .filter((member) => asked === undefined || asked[member] === true);
  return Object.fromEntries(wanted.map((member) => [member, true]));
}
