import { type JsonObject, type KnownOptions } from '@switchyard/protocol';

/** A server to speak to. Headers and variables are sent as they are. */
export type RawConnectionTarget =
  | { readonly url: string; readonly headers?: { readonly [name: string]: string } }
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: string };
      readonly cwd?: string;
    };

/** What one message brought about. */
export interface RawAnswer {
  /** Every message that came, in order: notifications, the response, and whatever else a server sends. */
  readonly received: readonly JsonObject[];
  /** The message with `result` or `error` that ended it; `undefined` where none came. */
  readonly response: JsonObject | undefined;
  /** The beginning of each line, event or body that was no JSON object. */
  readonly stray: readonly string[];
  /** What is wrong with the form in which the response came, though it can be read; in words. */
  readonly flaws?: readonly string[];
  /** How many characters came, those of no message included. */
  readonly chars?: number;
  /** Over HTTP: the status, and the headers by lower-case name. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
}

/** How one message is sent. */
export interface RawSendOptions {
  /** Over HTTP: headers by lower-case name, none of them added to but the media types and those of the target. */
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
}

/** How long and how much an answer may be. */
export interface RawConnectionLimits {
  /** Milliseconds until a message must be answered: default 10,000. */
  readonly timeoutMs?: number;
  /** Most bytes of one answer: default 8 MiB. */
  readonly maxBytes?: number;
}

/** The members of {@link RawConnectionLimits}. */
export const rawConnectionLimits: KnownOptions<RawConnectionLimits> = { timeoutMs: true, maxBytes: true };

/** The limits where the caller names none. */
export const defaultLimits: Required<RawConnectionLimits> = { timeoutMs: 10_000, maxBytes: 8 * 1024 * 1024 };

/** Why an answer could not be had. */
export type RawConnectionErrorCode =
  'unreachable' | 'unauthorized' | 'busy' | 'timeout' | 'closed' | 'too-large' | 'given-up';

/** What ended an exchange without an answer. The message names what was asked of whom, and no header value. */
export class RawConnectionError extends Error {
  override readonly name = 'RawConnectionError';
  readonly code: RawConnectionErrorCode;

  constructor(code: RawConnectionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A connection to one server that shows what is sent and what comes, and interprets neither. Messages are sent one
 * after the other: over stdio, whatever arrives until the response belongs to the message. Errors are
 * RawConnectionErrors. Whoever opened it closes it.
 */
export interface RawConnection extends AsyncDisposable {
  readonly transport: 'http' | 'stdio';
  /**
   * Sends a message and answers what came, once there is a response with its id or without one. Rejects with
   * `unreachable`, `timeout`, `closed` (the peer ended) or `too-large`.
   */
  send(message: JsonObject, options?: RawSendOptions): Promise<RawAnswer>;
  /** Over HTTP: sends a request without a body and answers its head; the body is not read. Over stdio: `undefined`. */
  readonly head?: (
    method: string,
    options?: RawSendOptions,
  ) => Promise<Required<Pick<RawAnswer, 'status' | 'headers'>>>;
  /** The last lines that a process wrote to stderr, from outside; none over HTTP. */
  lastWords(): readonly string[];
  close(): Promise<void>;
}
