import { oneOf, type Shaped } from '../shape.ts';

/** Log levels, lowest first. Spec: server/utilities/logging#log-levels (2026-07-28). */
export const loggingLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** One of {@link loggingLevels}. */
export const loggingLevel = oneOf(...loggingLevels);
/** See {@link loggingLevel}. */
export type LoggingLevel = Shaped<typeof loggingLevel>;

/** Answers whether a message of `level` passes a threshold of `minimum`. */
export function passesLevel(level: LoggingLevel, minimum: LoggingLevel): boolean {
  return loggingLevels.indexOf(level) >= loggingLevels.indexOf(minimum);
}
