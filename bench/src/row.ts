import type { Spread } from './measure.ts';

/**
 * One line of the benchmark. A ratio above 1 means that ours is better than the floor or the peer, whatever the unit;
 * `null` where there is none.
 */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly floor: number | null;
  readonly peer: number | null;
  readonly ratioToFloor: number | null;
  readonly ratioToPeer: number | null;
  readonly spread: { readonly ours: Spread; readonly floor: Spread | null; readonly peer: Spread | null };
}
