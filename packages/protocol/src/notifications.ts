import { loggingLevel } from './model/logging.ts';
import { subscriptionFilter } from './model/subscription-filter.ts';
import { detailedTask } from './model/task.ts';
import { everyRevision, legacyRevisions, modernRevisions, type Revision } from './revision.ts';
import { jsonObject, number, object, type Shape, type Shaped, string, stringOrInteger, unknown } from './shape.ts';

/** What the protocol says about one notification. */
export interface NotificationKind {
  readonly method: string;
  /** The shape of `params`, `_meta` aside. `jsonObject` stands for params that may be left out. */
  readonly params: Shape<unknown>;
  /** Who sends it at the newest revision that has it. */
  readonly sentBy: 'client' | 'server' | 'both';
  /** Whether it says that a list of the server is no longer what was read. */
  readonly saysListChanged: boolean;
  /** Revisions that have the notification. */
  readonly revisions: readonly Revision[];
}

/**
 * The protocol's notifications, each declared once.
 *
 * - `cancelled`: the client gives up a request of its own, on transports other than HTTP; a server ends a subscription
 *   with it.
 * - `progress`: for the request whose `progressToken` it carries; `progress` grows from one to the next, in the unit of
 *   `total`.
 * - `message`: a log message.
 * - `…ListChanged`, `resourceUpdated`, `subscriptionAcknowledged`: on a subscription, in legacy sessions at any time.
 * - `task`: a task changed, on a subscription that named it (extension `io.modelcontextprotocol/tasks`).
 * - `initialized`: ends the handshake of a legacy session.
 * - `rootsListChanged`: the roots of a legacy client are others than it told.
 * - `elicitationCompleted`: what the user did at the page of an elicitation is done (revision 2025-11-25).
 *
 * Left out are the notifications of legacy revisions that neither side here sends or heeds.
 *
 * Spec: schema (2026-07-28) and the legacy revisions' schemas.
 */
export const notifications = {
  cancelled: {
    method: 'notifications/cancelled',
    params: object({ requestId: stringOrInteger }, { reason: string }),
    sentBy: 'both',
    saysListChanged: false,
    revisions: everyRevision,
  },
  progress: {
    method: 'notifications/progress',
    params: object({ progressToken: stringOrInteger, progress: number }, { total: number, message: string }),
    sentBy: 'server',
    saysListChanged: false,
    revisions: everyRevision,
  },
  message: {
    method: 'notifications/message',
    params: object({ level: loggingLevel, data: unknown }, { logger: string }),
    sentBy: 'server',
    saysListChanged: false,
    revisions: everyRevision,
  },
  toolsListChanged: {
    method: 'notifications/tools/list_changed',
    params: jsonObject,
    sentBy: 'server',
    saysListChanged: true,
    revisions: everyRevision,
  },
  promptsListChanged: {
    method: 'notifications/prompts/list_changed',
    params: jsonObject,
    sentBy: 'server',
    saysListChanged: true,
    revisions: everyRevision,
  },
  resourcesListChanged: {
    method: 'notifications/resources/list_changed',
    params: jsonObject,
    sentBy: 'server',
    saysListChanged: true,
    revisions: everyRevision,
  },
  resourceUpdated: {
    method: 'notifications/resources/updated',
    params: object({ uri: string }),
    sentBy: 'server',
    saysListChanged: false,
    revisions: everyRevision,
  },
  subscriptionAcknowledged: {
    method: 'notifications/subscriptions/acknowledged',
    params: object({ notifications: subscriptionFilter }),
    sentBy: 'server',
    saysListChanged: false,
    revisions: modernRevisions,
  },
  task: {
    method: 'notifications/tasks',
    params: detailedTask,
    sentBy: 'server',
    saysListChanged: false,
    revisions: modernRevisions,
  },
  initialized: {
    method: 'notifications/initialized',
    params: jsonObject,
    sentBy: 'client',
    saysListChanged: false,
    revisions: legacyRevisions,
  },
  rootsListChanged: {
    method: 'notifications/roots/list_changed',
    params: jsonObject,
    sentBy: 'client',
    saysListChanged: false,
    revisions: legacyRevisions,
  },
  elicitationCompleted: {
    method: 'notifications/elicitation/complete',
    params: object({ elicitationId: string }),
    sentBy: 'server',
    saysListChanged: false,
    revisions: ['2025-11-25'],
  },
} as const satisfies { readonly [name: string]: NotificationKind };

/** The name of a notification in {@link notifications}. */
export type NotificationName = keyof typeof notifications;

/** The params of a notification, `_meta` aside. */
export type NotificationParamsOf<N extends NotificationName> = Shaped<(typeof notifications)[N]['params']>;

const listChanges: ReadonlySet<string> = new Set(
  Object.values(notifications)
    .filter(({ saysListChanged }) => saysListChanged)
    .map(({ method }) => method),
);

/** Answers whether a notification of this method says that a list of the server is no longer what was read. */
export function saysListChanged(method: string): boolean {
  return listChanges.has(method);
}
