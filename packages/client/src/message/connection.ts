import type { MessageId, Notification, Request, Response } from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Hold } from '../timing/hold.ts';

/**
 * Makes connections to one server. It holds no connection itself; opening again after one ended is what a restart is.
 */
export interface Transport {
  /** What the transport reaches, for messages and as the default name of the server: no credentials. */
  readonly name: string;
  /**
   * What is reached, for keys of caches and of what was learned: a URL without credentials, a command line. Two
   * transports with the same identity reach the same server. Absent where that cannot be said; then nothing is shared.
   */
  readonly identity?: string;
  /**
   * Credentials that the server is given and could say back: they are masked in every error and warning. Values under
   * eight characters are not looked for.
   */
  readonly secrets?: readonly string[];
  /** What reaches the same server where this one proves that it does not take the way of this transport. */
  readonly older?: Transport;
  /**
   * Opens a connection. Rejects with a {@link ClientError} (`start-failed`, `connect-failed`, `invalid-argument`), or
   * with the reason of `signal`; then nothing stays behind.
   */
  open(options: OpenOptions): Promise<Connection>;
}

/** What a transport opens a connection with. */
export interface OpenOptions {
  /** Gives up opening; it does not end an open connection. */
  readonly signal: AbortSignal;
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  /** Lets the limit of the start stand still while work lasts that a person may take his time for. */
  readonly hold?: Hold | undefined;
}

/**
 * Takes what a peer sends outside of an answer. No handler throws; a transport need not guard its read loop against
 * them.
 */
export interface PeerHandlers {
  /** A notification that belongs to no pending request. */
  onNotification(notification: Notification): void;
  /**
   * A request of the peer, which only legacy revisions have. `during` is the id of the request in whose stream it came,
   * where the transport can tell.
   */
  onRequest(request: Request, during?: MessageId): void;
  /** Whether the peer may put several messages into one array, which only revision 2025-03-26 has. */
  acceptsBatches(): boolean;
}

/** HTTP headers, by name. Names are compared without regard to case. */
export interface HeaderFields {
  readonly [name: string]: string;
}

/** What goes with one request. */
export interface RequestOptions {
  /**
   * Aborts when the answer is no longer wanted: the request rejects with the signal's reason, nothing of it stays
   * pending, and an answer that comes later is ignored. Telling the peer is the caller's business, except where ending
   * the request's own stream tells it.
   */
  readonly signal: AbortSignal;
  /**
   * Takes the notifications that come before the answer and belong to this request: progress whose token is the
   * request's id, and log messages. It does not throw.
   */
  readonly onNotification: (notification: Notification) => void;
  /** Headers of this request, for connections of kind `http`. */
  readonly headers?: HeaderFields | undefined;
  /** Whether sending it twice changes nothing, so that it may be sent again by itself. Default: it may not. */
  readonly isRepeatable?: boolean;
  /** Lets the time limits of the request stand still while work lasts that a person may take his time for. */
  readonly hold?: Hold | undefined;
  /**
   * Told in whose name the request that is being answered was sent, as {@link Connection.principal} says it, before the
   * answer comes. It may be told several; a connection that cannot tell calls it never. It does not throw.
   */
  readonly onSentAs?: ((principal: Principal) => void) | undefined;
  /**
   * Whether the rest of an answer that breaks off is asked for, on connections of kind `http`: only legacy revisions
   * have that. Default: it is not.
   */
  readonly isResumable?: boolean;
}

/**
 * In whose name requests are sent: an authorization context by a name that holds no credential, `undefined` for nobody in
 * particular, `null` while that is not known, since credentials are being asked for.
 */
export type Principal = string | undefined | null;

/** An answer and how it came. */
export interface Reply {
  readonly response: Response;
  /** Present on connections of kind `http`. */
  readonly http?: { readonly status: number; header(name: string): string | undefined };
}

/** What goes with the stream of what a legacy server sends by itself. */
export interface ListenOptions {
  readonly headers?: HeaderFields;
  readonly signal: AbortSignal;
  readonly onGap: (what: 'begins' | 'is over') => void;
}

/**
 * One live connection to one peer. It moves messages and knows nothing of revisions: correlation, framing and limits
 * are its business, methods and metadata are not. All methods may be called concurrently and reject only with a {@link
 * ClientError} or the reason of a signal.
 */
export interface Connection {
  /**
   * `duplex`: messages go in both directions at any time, and a request is cancelled by a message. `http`: each message
   * has its own exchange, with headers.
   */
  readonly kind: 'duplex' | 'http';
  /** The only era that this way can carry, where there is only one. */
  readonly era?: 'legacy';
  /** Sends a request and answers its response, error responses included. `request.id` must not be pending already. */
  request(request: Request, options: RequestOptions): Promise<Reply>;
  /** Sends a notification, or the response to a request of the peer; resolves when it is handed over. */
  send(
    message: Notification | Response,
    options?: { readonly headers?: HeaderFields; readonly signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Reads what a legacy server sends by itself, on connections of kind `http`, until `signal` aborts or the server has
   * no such stream. `onGap` is told when the stream broke and when there is another one: what the server said meanwhile
   * may be lost. It does not throw. The promise never rejects; `gone`: the server does not know the session any more.
   */
  listen?(options: ListenOptions): Promise<'gone' | undefined>;
  /** Resolves when the connection ended: with the reason, or with `undefined` after {@link close}. It never rejects. */
  readonly closed: Promise<ClientError | undefined>;
  /**
   * Ends the connection and rejects what is pending with code `closed`. Resolves when everything it owned is gone. Over
   * HTTP, `session` holds the headers of a legacy session, whose end the server is told first.
   */
  close(session?: HeaderFields): Promise<void>;
  /**
   * Names the authorization context of what is sent now: another token is another one, also one that was refreshed. It
   * holds no credential. Absent or `undefined`: nobody in particular; `null`: it is not known now, so that nothing that
   * was kept for anybody may be found.
   *
   * Spec: server/utilities/caching#security-considerations (2026-07-28).
   */
  principal?(): Principal;
  /** What the peer said outside of the protocol lately, such as stderr, cleaned for messages. */
  lastWords?(): string;
}
