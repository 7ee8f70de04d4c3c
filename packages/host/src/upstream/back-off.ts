const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/**
 * Answers how long to wait after the n-th failure in a row before the next attempt: 1 s, then twice that each time, at
 * most 60 s.
 */
export function backOffMs(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), MAX_DELAY_MS);
}
