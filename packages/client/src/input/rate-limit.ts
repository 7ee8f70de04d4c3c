import type { Clock } from '../peer/clock.ts';

const MINUTE_MS = 60_000;

/** Creates a function that answers `true` at most `max` times within any minute. */
export function createRateLimit(clock: Clock, max: number): () => boolean {
  const takenAt: number[] = [];
  return () => {
    const now = clock.now();
    while (takenAt[0] !== undefined && now - takenAt[0] >= MINUTE_MS) takenAt.shift();
    if (takenAt.length >= max) return false;
    takenAt.push(now);
    return true;
  };
}
