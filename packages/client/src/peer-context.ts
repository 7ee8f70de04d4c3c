import { ClientError, type ClientErrorCode, type ClientErrorDetails } from './client-error.ts';
import { type ClientWarning, type ClientWarningCode, createWarn } from './client-warning.ts';
import { type Clock, systemClock } from './clock.ts';

/** What every part of one client knows about the server that it reaches. */
export interface PeerContext {
  /** The configured name of the server. */
  readonly server: string;
  readonly clock: Clock;
  /** The largest message that is read, in bytes. */
  readonly maxMessageBytes: number;
  /** Whether integers that a double cannot hold are read as `bigint`. */
  readonly exactIntegers: boolean;
  /** Answers an error that names the server; it does not throw. */
  fail(code: ClientErrorCode, message: string, details?: ClientErrorDetails): ClientError;
  warn(code: ClientWarningCode, message: string): void;
}

/** What {@link createPeerContext} needs. */
export interface PeerContextOptions {
  readonly server: string;
  readonly clock?: Clock | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly exactIntegers?: boolean | undefined;
  readonly onWarning?: ((warning: ClientWarning) => void) | undefined;
}

/** 10 MiB. */
export const defaultMaxMessageBytes = 10 * 1024 * 1024;

/** Creates the context that a transport and a session work in. Limits take their defaults. */
export function createPeerContext(options: PeerContextOptions): PeerContext {
  const { server, clock = systemClock, maxMessageBytes = defaultMaxMessageBytes, exactIntegers = false } = options;
  return {
    server,
    clock,
    maxMessageBytes,
    exactIntegers,
    fail: (code, message, details) => new ClientError(code, server, message, details),
    warn: createWarn(server, options.onWarning),
  };
}
