/** How long is waited after the first failure, and at most, in milliseconds. */
export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Answers how long to wait before the next attempt, in milliseconds: `firstMs` after the first failure (`failures` 0),
 * with each more in a row twice that, up to `maxMs`. Up to half of it is taken off by chance, so that not all clients of
 * a server come back at once.
 */
export function backOffMs({ firstMs, maxMs }: BackOff, failures: number, random: () => number): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (1 - random() / 2);
}
