/**
 * Where the host writes what it does; a pino logger fits. One `info` line a call: call id, agent, method, server, name,
 * outcome, duration and size, never arguments, results or secrets.
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
