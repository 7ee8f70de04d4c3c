import { callGuarded } from './call-guarded.ts';
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
  /** Calls a callback of the caller by its name; a failure of it becomes a warning. It does not throw. */
  callBack(name: string, callback: () => unknown): void;
}

/** What {@link createPeerContext} needs. */
interface PeerContextOptions {
  readonly server: string;
  readonly clock?: Clock | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly exactIntegers?: boolean | undefined;
  readonly onWarning?: ((warning: ClientWarning) => void) | undefined;
}

/** 10 MiB. */
const DEFAULT_MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Creates the context that a transport and a session work in. Limits take their defaults. */
export function createPeerContext(options: PeerContextOptions): PeerContext {
  const { server, clock = systemClock, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, exactIntegers = false } = options;
  const warn = createWarn(server, options.onWarning);
  return {
    server,
    clock,
    maxMessageBytes,
    exactIntegers,
    fail: (code, message, details) => new ClientError(code, server, message, details),
    warn,
    callBack: (name, callback) =>
      callGuarded(callback, (error) => warn('callback-failed', `the callback ${name} threw: ${String(error)}`)),
  };
}
