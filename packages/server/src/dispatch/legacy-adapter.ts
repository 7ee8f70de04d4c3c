import type { Logger, Principal, ProtocolError } from '@switchyard/protocol';

import type { ClientCounts } from './client-counts.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpExchange, HttpHead, HttpHeaders } from '../exchange/http-exchange.ts';
import type { Incoming, Parsing } from './incoming.ts';

declare const brand: unique symbol;

/**
 * Lets clients of the revisions before 2026-07-28 in. Made by `legacyClients`; whatever serves an endpoint takes one.
 * What it holds is for the transports alone.
 */
export interface LegacyAdapter {
  /** Nothing but an adapter of this package has it. */
  readonly [brand]: true;
}

/** Whether a server that is served takes old clients. */
export interface LegacyChoice {
  /**
   * Lets clients of the revisions before 2026-07-28 in. Default: `legacyClients()`; `false` leaves them out: to
   * `initialize` they get an error that names the versions, and over HTTP 405 to GET and DELETE.
   */
  readonly legacy?: LegacyAdapter | false;
}

/** What a transport makes of an adapter. */
export interface LegacyParts {
  /** A further path that `serveHttp` serves, for clients of the HTTP+SSE transport. */
  readonly ssePath: string | undefined;
  /** Serves old clients over HTTP. */
  http(site: LegacyHttpSite): LegacyHttp;
  /** Serves the client at the other end of one stream of messages. */
  connection(site: LegacyConnectionSite): LegacyConnection;
}

const parts = new WeakMap<LegacyAdapter, LegacyParts>();

/** Answers an adapter of which nobody but {@link partsOf} sees more than that it is one. */
export function createLegacyAdapter(of: LegacyParts): LegacyAdapter {
  const adapter = Object.freeze({}) as LegacyAdapter;
  parts.set(adapter, of);
  return adapter;
}

/** @throws TypeError for what `legacyClients` did not make. */
export function partsOf(adapter: LegacyAdapter): LegacyParts {
  const found = parts.get(adapter);
  if (found === undefined) throw new TypeError('legacy must be what legacyClients() answers, of this very package');
  return found;
}

/** What every way of serving has. */
export interface LegacySite {
  readonly endpoint: Endpoint;
  /** It must not throw. */
  readonly logger: Logger;
  readonly counts: ClientCounts | undefined;
  readonly parsing: Parsing;
  /** Answers the error for a request that would be one too many, or `undefined`. */
  oneTooMany(): ProtocolError | undefined;
  /** Counts a further request of a message that holds several, as if it had come alone. */
  readonly enter: Enter;
  /**
   * Gives up the place of a request that waits, and answers the function that takes it again. Default: it keeps its
   * place.
   */
  readonly pause?: () => () => void;
}

/** Counts a request: answers the function to call when it is done, or the error for one too many. */
export type Enter = (principal: Principal | undefined) => Promise<(() => void) | ProtocolError>;

/** What serving over HTTP has. */
export interface LegacyHttpSite extends LegacySite {
  readonly keepAliveMs: number;
  /** The headers that go with an error, which is reported where it refuses the caller. */
  refuse(head: HttpHead, error: ProtocolError, principal: Principal | undefined): HttpHeaders;
}

/** One HTTP exchange whose caller is known. */
export interface LegacyExchange {
  readonly exchange: HttpExchange;
  readonly principal: Principal | undefined;
  readonly cors: HttpHeaders | undefined;
}

/** Old clients over HTTP. */
export interface LegacyHttp {
  /** Whether a request with another method than POST is for old clients. */
  takes(head: HttpHead): boolean;
  /** Serves a request that {@link takes}. */
  open(exchange: LegacyExchange): void;
  /**
   * Whether a POST may hold an answer that a running request waits for, so that it is read when as much runs as may.
   */
  awaitsAnswer(head: HttpHead): boolean;
  /**
   * Whether a POST is of an old client. Every request of this revision comes by here, so it looks at one header first.
   */
  claims(head: HttpHead, incoming: Incoming): boolean;
  /** Serves a POST that it {@link claims}. */
  post(exchange: LegacyExchange, incoming: Incoming, text: string): Promise<void>;
  /** Whether a request of a session runs, whoever is connected. */
  isBusy(): boolean;
  /** Ends every session and every stream: what runs is cancelled. */
  end(reason: string): void;
}

/** What serving one stream of messages has. */
export interface LegacyConnectionSite extends LegacySite {
  readonly principal: Principal | undefined;
  /** Sends one message. */
  send(text: string): void;
  /** How many bytes that were sent wait in memory for the client to read. */
  unreadBytes(): number;
  /** Called when the server ends what the client listens to, as it does when it closes. */
  onServerEnds?(): void;
}

/** How one message came. */
export interface LegacyDelivery {
  /** Who sends it. Default: who opened the stream. */
  readonly principal?: Principal | undefined;
  /** Takes what belongs to it. Default: the stream. */
  readonly send?: (text: string) => void;
  /** Is told of each error that a request in it is answered with. */
  readonly onError?: (error: ProtocolError) => void;
}

/** An old client on a stream of messages. */
export interface LegacyConnection {
  /**
   * Serves a message of an old client; `undefined` for every other one. What it answers settles when the message and
   * its answer are done with, and never rejects.
   */
  receive(incoming: Incoming, text: string, delivery?: LegacyDelivery): Promise<void> | undefined;
  /** Whether a request of the session runs. */
  isBusy(): boolean;
  /** Ends the session, if there is one. */
  end(reason: string): void;
}
