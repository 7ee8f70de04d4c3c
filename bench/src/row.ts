import type { Spread } from './measure.ts';

/**
 * One line of the benchmark. A ratio above 1 means that ours is better than the floor or the peer, whatever the unit;
 * `null` where there is no peer.
 */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly floor: number;
  readonly peer: number | null;
  readonly ratioToFloor: number;
  readonly ratioToPeer: number | null;
  readonly spread: { readonly ours: Spread; readonly floor: Spread; readonly peer: Spread | null };
}
