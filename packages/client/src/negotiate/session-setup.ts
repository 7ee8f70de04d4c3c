import { type MessageId, present, type Request } from '@switchyard/protocol';
import { withLostOutcomes } from '../session/lost-outcomes.ts';
import { ClientError } from '../peer/client-error.ts';
import type { Connection, OpenOptions, PeerHandlers, Transport } from '../message/connection.ts';
import { excerpt } from '../peer/excerpt.ts';
import { textOf } from '../peer/text-of.ts';
import { type LegacySetup, openLegacySession } from '../legacy/legacy-session.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { ServerAsking } from '../input/server-asking.ts';
import type { ServedRequests } from '../legacy/serve-legacy-requests.ts';
import type { ClientFacts, Session } from '../session/session.ts';
import { gateOfConnection } from '../trust/gates.ts';
import type { EraVerdict, VerdictCache } from './era-verdict.ts';
import type { ProbeSetup } from './probe.ts';
import type { SharedRestarts } from './restart-policy.ts';
import { whileBusy } from '../session/while-busy.ts';
import type { Hold } from '../timing/hold.ts';

/** What it takes to open a session with a server of any era. */
export interface SessionSetup {
  readonly context: PeerContext;
  readonly transport: Transport;
  readonly client: ClientFacts;
  readonly nextId: () => number;
  /** Bounds opening, all in all, in milliseconds. */
  readonly startTimeoutMs: number;
  /** How long a server on a duplex connection may be silent before it is taken for a legacy one, in milliseconds. */
  readonly probeTimeoutMs: number;
  readonly onNotification: PeerHandlers['onNotification'];
  /** Sees each notification as it arrives, before a flood of them is put together. It must be cheap. */
  readonly onArrival?: PeerHandlers['onNotification'];
  /** Told that notifications were dropped, since there were too many at once. */
  readonly onLoss?: () => void;
  /** When a server that ended is started again. */
  readonly restarts: SharedRestarts;
  /** Who answers the requests of a legacy server. */
  readonly asking: ServerAsking;
  /** Lets the limit of the start stand still while work lasts that a person may take his time for. */
  readonly hold?: Hold;
  /** How much is left of the start, in milliseconds. Absent: nothing is known, so a busy server is not waited for. */
  readonly timeLeftMs?: () => number;
  /** What other clients found out about the same server, and are told in turn. */
  readonly verdicts?: VerdictCache | undefined;
  /** What is known of the server from before. */
  readonly prior?: EraVerdict | undefined;
  /** Told of each connection that is opened. */
  readonly onConnection?: (connection: Connection) => void;
  /** Told that the server said that it is busy, before it is asked again. */
  readonly onBusy?: () => void;
  /** Told that what was opened is given up because what was known proved wrong. */
  readonly onNewStart?: () => void;
}

/** An open connection of unknown era. */
export interface Opened {
  readonly connection: Connection;
  readonly modern: ProbeSetup;
  /** Opens a legacy session, as {@link openLegacySession} does. */
  readonly greet: (signal: AbortSignal) => Promise<Session>;
  /** Goes back to refusing the peer's requests, after a legacy session was tried and given up. */
  readonly refuseRequests: () => void;
}

/** Opens a connection whose peer's requests are refused until a legacy session says otherwise. */
export async function openConnection(setup: SessionSetup, signal: AbortSignal): Promise<Opened> {
  const { context, client, nextId, startTimeoutMs, hold, timeLeftMs, onBusy } = setup;
  let acceptsBatches = false;
  const refusing: ServedRequests = {
    onRequest: ({ method }: Request) =>
      context.warn(
        'unexpected-request',
        `sent the request ${excerpt(method)}, which servers of this revision must not; it gets no answer.`,
      ),
    observe: () => undefined,
  };
  let served = refusing;
  const gate = gateOfConnection(context, setup.onNotification, setup.onLoss);
  const options: OpenOptions = {
    signal,
    context,
    hold,
    handlers: {
      onNotification(notification) {
        served.observe(notification);
        setup.onArrival?.(notification);
        gate.take(notification);
      },
      onRequest: (request: Request, during?: MessageId) => served.onRequest(request, during),
      acceptsBatches: () => acceptsBatches,
    },
  };
  const opened = await whileBusy(setup, signal, () => openThrough(setup.transport, options));
  const connection = withLostOutcomes(context, opened);
  void connection.closed.then(() => gate.end('forget'));
  setup.onConnection?.(connection);
  const modern = { context, connection, client, nextId, ...present({ hold, timeLeftMs }) };
  const legacy: LegacySetup = {
    ...modern,
    ...present({ onBusy }),
    startTimeoutMs,
    asking: setup.asking,
    serve(requests, batches) {
      served = requests;
      acceptsBatches = batches;
    },
  };
  const refuseRequests = (): void => {
    served = refusing;
    acceptsBatches = false;
  };
  const greet = (until: AbortSignal): Promise<Session> => openLegacySession(legacy, until);
  return { connection, modern, greet, refuseRequests };
}

/** A transport of the caller may reject with anything; what it rejects with names the server from here on. */
async function openThrough(transport: Transport, options: OpenOptions): Promise<Connection> {
  try {
    return await transport.open(options);
  } catch (error) {
    if (error instanceof ClientError) throw error;
    options.signal.throwIfAborted();
    throw options.context.fail('connect-failed', `its connection could not be opened: ${excerpt(textOf(error))}.`, {
      cause: error,
    });
  }
}
