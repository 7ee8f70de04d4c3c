/**
 * Where a server or a host writes what it does; a pino logger fits. One `info` line a request or governed call says who
 * asked for what, how it ended, how long it took and how large the answer was; never arguments, results or tokens. An
 * `error` line of a server carries the cause of an internal error under the reference that its caller got.
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

/**
 * Answers a logger that never throws, since a line that cannot be written must cost no caller the answer and no call
 * its record. Serialisers fail on hostile causes (frozen errors, getters that throw, endless chains); then the line is
 * written once more with the cause as text.
 */
export function createSafeLogger(logger: Logger): Logger {
  const at =
    (level: keyof Logger): Logger['info'] =>
    (fields, message) => {
      try {
        logger[level](fields, message);
      } catch {
        logAgain(logger, level, fields, message);
      }
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function logAgain(logger: Logger, level: keyof Logger, fields: object, message: string): void {
  try {
    logger[level]('err' in fields ? { ...fields, err: causeText(fields.err) } : fields, message);
  } catch {
    // The logger itself is broken, and there is nowhere else to tell.
  }
}

function causeText(cause: unknown): string {
  try {
    return cause instanceof Error ? String(cause.stack) : String(cause);
  } catch {
    return 'a cause that cannot be written';
  }
}
