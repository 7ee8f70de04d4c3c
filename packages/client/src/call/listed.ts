import type { CacheHints } from '@switchyard/protocol';
import type { Freshness } from './freshness.ts';
import type { LeftOut } from '../peer/left-out.ts';

/** What every list has beside its entries: how fresh it is, and what was left out of it. */
export interface Listed extends CacheHints, Freshness {
  readonly leftOut: readonly LeftOut[];
}
