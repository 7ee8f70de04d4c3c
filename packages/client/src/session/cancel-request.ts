import { type MessageId, notifications } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import type { Connection, HeaderFields } from '../message/connection.ts';
import { withDeadline } from '../timing/deadline.ts';
import type { PeerContext } from '../peer/peer-context.ts';

const PARTING_MS = 2000;

/** What was given up, and why. */
interface Cancellation {
  readonly requestId: MessageId;
  /** The signal that gave it up. */
  readonly signal: AbortSignal;
  readonly headers?: HeaderFields;
}

/**
 * Tells a server by `notifications/cancelled` that a request is given up. Nobody waits for it: it takes two seconds at
 * most, and its failure changes nothing, since a server that is gone needs no cancellation.
 *
 * Spec: basic/patterns/cancellation (2026-07-28).
 */
export function cancelRequest(
  context: PeerContext,
  connection: Connection,
  { requestId, signal, headers = {} }: Cancellation,
): void {
  const reason = signal.reason instanceof ClientError ? signal.reason.code : 'aborted';
  withDeadline(context, { what: 'a cancellation', totalMs: PARTING_MS }, (deadline) =>
    connection.send(
      { jsonrpc: '2.0', method: notifications.cancelled.method, params: { requestId, reason } },
      { headers, signal: deadline.signal },
    ),
  ).catch(() => {
    // As said above: the request is settled already.
  });
}
