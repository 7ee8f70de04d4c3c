import { toLimit } from '@switchyard/protocol';

/** The most that the clock of an authorization server may be off; a token that has ended still counts for as long. */
export const MAX_TOLERANCE_MS = 300_000;

/**
 * Answers how far clocks may be apart, in milliseconds: 5,000 unless given.
 *
 * @throws TypeError when it is out of range.
 */
export function toClockToleranceMs(given: number = 5_000): number {
  return toLimit('clockToleranceMs', given, 0, MAX_TOLERANCE_MS);
}
