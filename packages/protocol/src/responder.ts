/** Who calls, as the serving side established it; never what a client says of itself. */
export interface Principal {
  /** Stable id of the caller within its tenant. */
  readonly subject: string;
  readonly tenant?: string;
  /** What the caller may do; absent: nothing that needs a scope. */
  readonly scopes?: readonly string[];
  /** The OAuth client that acts for the subject, or is it. */
  readonly clientId?: string;
  /** Who vouches for the caller: the issuer of its token. */
  readonly issuer?: string;
  /** When the caller must prove itself anew, in milliseconds since 1970. */
  readonly expiresAtMs?: number;
}

/** What the transport gives a responder with one message. */
export interface Exchange {
  /** Aborts when the caller cancels or goes away; after that, nothing more may be sent for the message. */
  readonly signal: AbortSignal;
  /** Who calls; absent: nobody was authenticated. */
  readonly principal?: Principal;
  /** Sends a notification that belongs to the message, as JSON text, before the response. */
  send(text: string): void;
}

/**
 * Something in this process that answers protocol messages, as JSON text in both directions: a server or a gateway. It
 * is the seam between a role and its transports, and what an in-memory connection talks to.
 */
export interface Responder {
  /** Answers a request with the text of its response and anything else with `undefined`; it never rejects. */
  respond(text: string, exchange: Exchange): Promise<string | undefined>;
}
