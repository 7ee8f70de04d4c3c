/** An answer that is kept. */
export interface CachedEntry {
  /** Deeply frozen; every caller gets this very object. */
  readonly value: object;
  /** When the answer came, in milliseconds of the cache's clock. */
  readonly receivedAt: number;
  /** From when on it is stale, on the same clock. A notification moves it forward. */
  readonly staleAt: number;
  /** Whether a change was announced since it was asked for. */
  readonly isOutdated: boolean;
}
