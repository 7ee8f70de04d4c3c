/**
 * Where a server writes what it does; a pino logger fits. One `info` line a request: request id, method, name, duration, result
 * size, subject and tenant, never arguments, results or tokens. An `error` line carries the cause of an internal error under
 * the reference that its caller got.
 */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger that writes nothing. */
export const silentLogger: Logger = { info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Nothing is written.
}
