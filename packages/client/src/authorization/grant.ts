import type { AuthorizationServer, Client, ClientAuth, customFetch, DPoPHandle } from 'oauth4webapi';
import type { PeerContext } from '../peer/peer-context.ts';

/** A client as one authorization server knows it, and how it shows there that it is the one. */
export interface GrantClient {
  /** With `client_id`; of the rest oauth4webapi reads what concerns a request. */
  readonly client: Client;
  /** One of oauth4webapi's, such as `None()` or `PrivateKeyJwt(key)`. */
  readonly authentication: ClientAuth;
}

/** The options of every request of oauth4webapi to an authorization server: bounded in time and size, HTTPS only. */
export interface GrantHttpOptions {
  readonly [customFetch]: (url: string, init: GrantRequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

/** What oauth4webapi gives a fetch function. */
export interface GrantRequestInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What a token endpoint gave; `tokenType` is in lower case. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  /** Seconds from now; absent where the server does not say. */
  readonly expiresIn?: number;
  readonly refreshToken?: string;
  /** The scopes as the server states them; absent where they are those that were asked for. */
  readonly scope?: string;
}

/** What a grant is asked for. */
export interface GrantRequest {
  /** Metadata of the authorization server; its `issuer` is validated. */
  readonly server: AuthorizationServer;
  readonly client: GrantClient;
  /** The identifier of the MCP server (RFC 8707), as it published it. */
  readonly resource: string;
  /** Without duplicates; where there are none, no `scope` is sent. */
  readonly scopes: readonly string[];
  /** Aborts when nobody waits for the token any more. */
  readonly signal: AbortSignal;
  /**
   * For errors, which name the MCP server. Of what goes out through {@link token} and {@link http} no error shows a
   * secret; `context.learnSecret` is for others.
   */
  readonly context: Pick<PeerContext, 'fail' | 'learnSecret' | 'mask' | 'clock' | 'server'>;
  /** For requests beside {@link token}, such as one to an identity provider. */
  readonly http: GrantHttpOptions;
  /** Present where the token is going to be bound to a key; {@link token} uses it by itself. */
  readonly dpop?: DPoPHandle;
  /**
   * Runs the part in which a user is asked, such as waiting for the browser, and answers what it comes to. Meanwhile
   * the deadlines of the calls that wait stand still, and only then; a user who did not agree is not asked again at
   * once.
   */
  asksUser<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Asks the token endpoint of {@link server}: with the client's authentication, `resource`, `scope` unless the
   * parameters have one or it is left out by `withoutScope`, a proof of the key and, once, the nonce that the server
   * wants. Rejects with a `ClientError` of code `authorization`, whose `oauthError` holds the server's own code.
   */
  token(
    grantType: string,
    parameters: Readonly<Record<string, string>>,
    options?: { readonly withoutScope?: boolean },
  ): Promise<GrantedTokens>;
}

/**
 * How a client comes to a token where it has none: the user agrees, or a machine shows who it is. Discovery, storage,
 * refreshing and repetition are the same for all of them.
 */
export interface Grant {
  /** The `grant_type`, or another name that tells it from others: a part of keys in the store. */
  readonly type: string;
  /** The one authorization server that it is for: taken where the MCP server names it beside others. */
  readonly issuer?: string;
  /** Scopes that are asked for where the server names none. */
  readonly scopes?: readonly string[];
  /**
   * Where a user agrees in a browser: what the client is registered with. Absent: nobody is asked, so that
   * `offline_access` is not, either.
   */
  readonly redirectUri?: string;
  /**
   * Answers the client that the grant brings along, as a machine does that has its own key. Absent: it is configured or
   * registered. Rejects with a `ClientError` where it is not for this authorization server.
   */
  client?(
    server: AuthorizationServer,
    context: Pick<PeerContext, 'fail' | 'learnSecret' | 'mask' | 'clock' | 'server'>,
  ): GrantClient | Promise<GrantClient>;
  /** Obtains a token. It is called by one at a time. */
  obtain(request: GrantRequest): Promise<GrantedTokens>;
}
