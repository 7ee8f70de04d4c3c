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

/**
 * Answers a logger that never throws, since a line that cannot be written must cost no call its record or its answer.
 * Where it fails on what went wrong, the line is written once more with that as text.
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
    logger[level]('err' in fields ? { ...fields, err: String(fields.err) } : fields, message);
  } catch {
    // The logger itself is broken, and there is nowhere else to tell.
  }
}
