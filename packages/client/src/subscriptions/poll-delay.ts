/** Answers an interval for the next look at something, with a fifth of chance, and longer the oftener that failed. */
export function pollDelayMs(pollMs: number, failures: number, random: () => number): number {
  return pollMs * 2 ** Math.min(failures, 3) * (0.9 + random() / 5);
}
