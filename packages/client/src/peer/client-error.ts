import type { ClientErrorCode } from './client-error-code.ts';
import { present } from '@switchyard/protocol';
import { saysItMayHaveRun } from './may-have-run.ts';

/** What is known beyond the code and the message. */
export interface ClientErrorDetails {
  readonly cause?: unknown;
  /** The HTTP status. */
  readonly status?: number;
  /** The `WWW-Authenticate` header of an HTTP 401 or 403. */
  readonly challenge?: string;
  /** The `error` that an authorization server answered, such as `invalid_grant`. */
  readonly oauthError?: string;
  /** The beginning of what an HTTP body said with that status, on one line, without secrets: text from outside. */
  readonly said?: string;
  /** How long the server asks to wait before the request is repeated, in milliseconds, where it says so. */
  readonly retryAfterMs?: number;
  /** The last lines that a child process wrote to stderr, cleaned of control characters and secrets. */
  readonly stderr?: string;
  /** As {@link ClientError.mayHaveRun}, where code and status do not say it. */
  readonly mayHaveRun?: boolean;
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
  /** What happened, was expected and is to be done: the message without the server's name and its stderr. */
  readonly reason: string;
  readonly status: number | undefined;
  readonly challenge: string | undefined;
  readonly oauthError: string | undefined;
  readonly said: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly stderr: string | undefined;
  /**
   * Whether the server may have carried out the request that failed. `false` only where that is ruled out: it was never
   * handed over, or what was asked refused it before it could run. So a call with an effect is safe to make again where it
   * is `false`; where it is `true`, look first whether it took effect. Of a request that changes nothing it says nothing
   * that matters, and of an error of the protocol, which is a `ProtocolError`, the server knows more.
   */
  readonly mayHaveRun: boolean;

  constructor(code: ClientErrorCode, server: string, reason: string, details: ClientErrorDetails = {}) {
    const tail =
      details.stderr === undefined || details.stderr === '' ? '' : `\nIts last lines on stderr:\n${details.stderr}`;
    super(
      `MCP server "${server}": ${reason}${tail}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.server = server;
    this.reason = reason;
    this.status = details.status;
    this.challenge = details.challenge;
    this.oauthError = details.oauthError;
    this.said = details.said;
    this.retryAfterMs = details.retryAfterMs;
    this.stderr = details.stderr === '' ? undefined : details.stderr;
    this.mayHaveRun = details.mayHaveRun ?? saysItMayHaveRun(code, details);
  }
}

/** Answers an error as it is, but of a request that certainly has run, or certainly has not. */
export function withEffect(error: ClientError, mayHaveRun: boolean): ClientError {
  return error.mayHaveRun === mayHaveRun
    ? error
    : new ClientError(error.code, error.server, error.reason, { ...detailsOf(error), mayHaveRun });
}

function detailsOf(error: ClientError): ClientErrorDetails {
  const { cause, status, challenge, oauthError, said, retryAfterMs, stderr } = error;
  return present({ cause, status, challenge, oauthError, said, retryAfterMs, stderr });
}
