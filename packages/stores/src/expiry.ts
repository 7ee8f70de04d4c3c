/**
 * When an entry that is set at `now` (ms) with `ttlMs` expires: undefined means never, a number at or before `now`
 * means that it is dead at once.
 */
export function expiryOf(now: number, ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined;
  if (!(ttlMs > 0)) return now;
  const expiresAt = now + Math.ceil(ttlMs);
  return expiresAt < Number.MAX_SAFE_INTEGER ? expiresAt : undefined;
}

/**
 * What a put does to an expiry, for databases that have the clock: `keep` leaves it, null takes it away, a number is
 * how many milliseconds after now the record expires.
 */
export function lifetimeOf(ttlMs: number | undefined): number | null | 'keep' {
  if (ttlMs === undefined) return 'keep';
  if (!(ttlMs > 0)) return 0;
  const lifetimeMs = Math.ceil(ttlMs);
  // Added to a time it must stay an exact number.
  return lifetimeMs < 2 ** 52 ? lifetimeMs : null;
}
