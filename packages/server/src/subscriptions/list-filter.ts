import {
  changingListNames,
  changingLists,
  type ServerCapabilities,
  type SubscriptionFilter,
} from '@switchyard/protocol';

/**
 * Answers the filter that asks for every list that a server with these capabilities tells of, or for those of them that
 * `asked` names.
 */
export function listFilterOf(capabilities: ServerCapabilities, asked?: SubscriptionFilter): SubscriptionFilter {
  const wanted = changingListNames
    .filter((list) => capabilities[list]?.listChanged === true)
    .map((list) => changingLists[list].wanted)
    .filter((member) => asked === undefined || asked[member] === true);
  return Object.fromEntries(wanted.map((member) => [member, true]));
}
