import type { Request } from '@switchyard/protocol';
import { ClientError } from '../client-error.ts';
import type { Connection, OpenOptions, PeerHandlers, Transport } from '../connection.ts';
import { excerpt } from '../excerpt.ts';
import type { LegacySetup } from '../legacy/legacy-session.ts';
import type { ModernSetup } from '../modern/modern-session.ts';
import type { PeerContext } from '../peer-context.ts';
import type { ClientFacts } from '../session.ts';

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
  /** Told of each connection that is opened. */
  readonly onConnection?: (connection: Connection) => void;
}

/** An open connection of unknown era. */
export interface Opened {
  readonly connection: Connection;
  readonly modern: ModernSetup;
  readonly legacy: LegacySetup;
  /** Goes back to refusing the peer's requests, after a legacy session was tried and given up. */
  readonly refuseRequests: () => void;
}

/** Opens a connection whose peer's requests are refused until a legacy session says otherwise. */
export async function openConnection(setup: SessionSetup, signal: AbortSignal): Promise<Opened> {
  const { context, client, nextId, startTimeoutMs } = setup;
  let acceptsBatches = false;
  const refuse = ({ method }: Request): void => {
    context.warn(
      'unexpected-request',
      `sent the request ${excerpt(method)}, which servers of this revision must not; it gets no answer.`,
    );
  };
  let serveRequest = refuse;
  const connection = await openThrough(setup.transport, {
    signal,
    context,
    handlers: {
      onNotification: setup.onNotification,
      onRequest: (request) => serveRequest(request),
      acceptsBatches: () => acceptsBatches,
    },
  });
  setup.onConnection?.(connection);
  const modern = { context, connection, client, nextId };
  const legacy: LegacySetup = {
    ...modern,
    startTimeoutMs,
    serve(onRequest, batches) {
      serveRequest = onRequest;
      acceptsBatches = batches;
    },
  };
  const refuseRequests = (): void => {
    serveRequest = refuse;
    acceptsBatches = false;
  };
  return { connection, modern, legacy, refuseRequests };
}

/** A transport of the caller may reject with anything; what it rejects with names the server from here on. */
async function openThrough(transport: Transport, options: OpenOptions): Promise<Connection> {
  try {
    return await transport.open(options);
  } catch (error) {
    if (error instanceof ClientError) throw error;
    options.signal.throwIfAborted();
    throw options.context.fail('connect-failed', `its connection could not be opened: ${excerpt(String(error))}.`, {
      cause: error,
    });
  }
}
