import type { HeaderFields, Principal } from '../message/connection.ts';
import type { Hold } from '../timing/hold.ts';

/** A request that is about to be sent to the server's origin. */
export interface CredentialedRequest {
  /** The HTTP method. */
  readonly httpMethod: string;
  /** The full URL that is requested. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** Absent where the request has no time limit, or none that can stand still. */
  readonly hold?: Hold | undefined;
}

/** An answer by which a server did not take the credentials of a request. */
export interface Refusal {
  /** 401 or 403. */
  readonly status: number;
  /** All `WWW-Authenticate` header fields as they came, joined by commas; empty where there is none. */
  readonly challenge: string;
  header(name: string): string | undefined;
  /** The fields that the refused request carried, as {@link HttpCredentials.fieldsFor} answered them. */
  readonly fields: HeaderFields;
  /** What was asked for, such as `tools/call add`: attempts to gain a scope are counted for each. */
  readonly operation: string;
  /**
   * How often the same request was refused before in the other forms that it was sent in. Where it is absent, all
   * refusals under one signal are taken for those of one request.
   */
  readonly refusals?: number | undefined;
  readonly signal: AbortSignal;
  /** Absent where the request has no time limit, or none that can stand still. */
  readonly hold?: Hold | undefined;
}

/**
 * Who calls an HTTP server. It is asked before each request, and told when a server refuses one; what it answers goes
 * to the configured origin and nowhere else. All functions may be called concurrently.
 */
export interface HttpCredentials {
  /**
   * Answers the header fields that say who calls, names in lower case; none while nobody is known. It rejects with a
   * `ClientError` where credentials are needed and cannot be had.
   */
  fieldsFor(request: CredentialedRequest): HeaderFields | Promise<HeaderFields>;
  /**
   * Takes a refusal, gets other credentials where it can, and answers whether the request, which was not executed, is
   * worth sending again. It bounds by itself how often. Rejects with a `ClientError` that says why none can be had.
   */
  onRefusal?(refusal: Refusal): Promise<boolean>;
  /** Takes the header fields of every answer, such as `DPoP-Nonce`. It does not throw. */
  onResponse?(header: (name: string) => string | undefined): void;
  /**
   * As `Connection.principal`: of a request that carries `fields`, as {@link HttpCredentials.fieldsFor} answered them, or
   * of one that is sent now. It is asked right after `fieldsFor`, too, so that one who keeps no account of fields may
   * answer what holds now. `null` while it is not known.
   */
  principal(fields?: HeaderFields): Principal;
  /**
   * Calls `learn` with each credential from now on that a server could say back, so that it can be masked. Answers the
   * function that ends this.
   */
  onSecret?(learn: (secret: string) => void): () => void;
}
