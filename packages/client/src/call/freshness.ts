/** How an answer that may have been kept came. */
export interface Freshness {
  /** Present where asking failed and an older answer stands in, as `staleOnErrorMs` allowed. */
  readonly isStale?: true;
}
