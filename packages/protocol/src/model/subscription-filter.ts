import { array, boolean, object, type Shaped, string } from '../shape.ts';

/**
 * What a subscription asks for, and what a server agrees to; `taskIds` belongs to the extension
 * `io.modelcontextprotocol/tasks`. Spec: basic/patterns/subscriptions#notification-filter (2026-07-28), SEP-2663.
 */
export const subscriptionFilter = object(
  {},
  {
    toolsListChanged: boolean,
    promptsListChanged: boolean,
    resourcesListChanged: boolean,
    resourceSubscriptions: array(string),
    taskIds: array(string),
  },
);
/** See {@link subscriptionFilter}. */
export type SubscriptionFilter = Shaped<typeof subscriptionFilter>;
