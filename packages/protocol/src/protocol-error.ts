import { type ErrorName, errorCodes } from './error-code.ts';

/** The `error` member of a JSON-RPC error response. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * An error that travels as a JSON-RPC error response. `code` is a code of {@link errorCodes} or a positive application
 * code; `status` is the HTTP status that carries it, and `headers` go with it where the response is not streamed; other
 * transports drop both. `message` is one sentence that may be shown to the peer.
 *
 * Spec: basic/index#responses (2026-07-28).
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly status: number;
  readonly data: unknown;
  /** By lower-case name, for example `www-authenticate`. */
  readonly headers: { readonly [name: string]: string } | undefined;
  /** The configured name of the server that sent it, where a client received it. It does not travel. */
  readonly server: string | undefined;

  constructor(
    code: ErrorName | number,
    message: string,
    options: {
      data?: unknown;
      status?: number;
      headers?: { readonly [name: string]: string };
      server?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = typeof code === 'number' ? code : errorCodes[code].code;
    this.status = options.status ?? (typeof code === 'number' ? 200 : errorCodes[code].status);
    this.data = options.data;
    this.headers = options.headers;
    this.server = options.server;
  }

  /** The wire form. */
  body(): ErrorBody {
    return this.data === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, data: this.data };
  }

  /**
   * Answers the error that a peer may see for anything thrown: a protocol error as it is, everything else an internal
   * error that says nothing of its cause beyond `reference`, under which the cause should be logged.
   */
  static from(thrown: unknown, reference: string): ProtocolError {
    return thrown instanceof ProtocolError ? thrown : ProtocolError.internal(reference, thrown);
  }

  /** Answers the error that says nothing of its cause beyond the reference under which it is logged. */
  static internal(reference: string, cause: unknown): ProtocolError {
    return new ProtocolError('internalError', `Internal error (reference ${reference})`, {
      data: { reference },
      cause,
    });
  }
}
