/**
 * What can go wrong on this side of the wire. The set is closed:
 *
 * - `timeout`: a deadline passed; the request was cancelled where the transport can.
 * - `aborted`: the caller's signal aborted, or the server cancelled the task that was waited for.
 * - `closed`: the connection ended, or the client was closed, before the answer came.
 * - `start-failed`: a child process could not be started, or ended before it had answered once.
 * - `connect-failed`: no connection was made, so nothing was sent: name lookup, refused connection, TLS.
 * - `unauthorized`: HTTP 401; `challenge` holds the `WWW-Authenticate` header.
 * - `http-status`: any other HTTP status that carries no answer, redirects included; `status` holds it.
 * - `version`: no protocol revision that both sides speak.
 * - `invalid-response`: an answer that breaks the protocol.
 * - `too-large`: an answer over `maxMessageBytes`.
 * - `unexpected-input-required`: the server asks for input, which this client cannot give.
 * - `input-refused`: the user, or the handler that asks him, gave the server no answer.
 * - `too-many-rounds`: the server did not stop asking.
 * - `outcome-unknown`: a call that may have had an effect was sent, and its answer is lost; it is not sent again.
 * - `circuit-open`: the server ended too often in a row and is not started again for a while.
 * - `authorization`: no token could be had; `oauthError` holds the authorization server's own code, where it gave one.
 * - `result-rejected`: the result is not what the server promised, or is over a limit.
 * - `invalid-argument`: the caller's own target, option or argument cannot be sent.
 */
export type ClientErrorCode =
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'start-failed'
  | 'connect-failed'
  | 'unauthorized'
  | 'http-status'
  | 'version'
  | 'invalid-response'
  | 'too-large'
  | 'unexpected-input-required'
  | 'input-refused'
  | 'too-many-rounds'
  | 'outcome-unknown'
  | 'circuit-open'
  | 'authorization'
  | 'result-rejected'
  | 'invalid-argument';

/** What is known beyond the code and the message. */
export interface ClientErrorDetails {
  readonly cause?: unknown;
  /** The HTTP status. */
  readonly status?: number;
  /** The `WWW-Authenticate` header of an HTTP 401 or 403. */
  readonly challenge?: string;
  /** The `error` that an authorization server answered, such as `invalid_grant`. */
  readonly oauthError?: string;
  /** How long the server asks to wait before the request is repeated, in milliseconds, where it says so. */
  readonly retryAfterMs?: number;
  /** The last lines that a child process wrote to stderr, cleaned of control characters and secrets. */
  readonly stderr?: string;
}

/**
 * Everything that fails on this side of the wire; the peer's own errors are `ProtocolError`s, so the two cannot be
 * mistaken. The message names the server and says what happened, what was expected and what to do; it holds no
 * credential.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** The configured name of the server. */
  readonly server: string;
  readonly status: number | undefined;
  readonly challenge: string | undefined;
  readonly oauthError: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly stderr: string | undefined;

  constructor(code: ClientErrorCode, server: string, message: string, details: ClientErrorDetails = {}) {
    const tail =
      details.stderr === undefined || details.stderr === '' ? '' : `\nIts last lines on stderr:\n${details.stderr}`;
    super(
      `MCP server "${server}": ${message}${tail}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.server = server;
    this.status = details.status;
    this.challenge = details.challenge;
    this.oauthError = details.oauthError;
    this.retryAfterMs = details.retryAfterMs;
    this.stderr = details.stderr === '' ? undefined : details.stderr;
  }
}
