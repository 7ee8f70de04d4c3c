import type { Measured, Spread } from './measure.ts';
import type { Row } from './row.ts';

/** Answers the two lines of one comparison: throughput, and CPU time of a request. */
export function compare(name: string, ours: Measured, floor: Measured, peer?: Measured): readonly Row[] {
  const spreadOf = (member: keyof Measured): Row['spread'] => ({
    ours: ours[member],
    floor: floor[member],
    peer: peer?.[member] ?? null,
  });
  return [
    toRow({ name, unit: 'requests/s', better: 'more' }, spreadOf('perSecond')),
    toRow({ name, unit: 'µs CPU/request', better: 'less' }, spreadOf('cpuMicroseconds')),
  ];
}

/** Answers the line of one measure. */
export function toRow(
  { name, unit, better }: { readonly name: string; readonly unit: string; readonly better: 'more' | 'less' },
  spread: Row['spread'],
): Row {
  const { ours, floor, peer } = spread;
  const ratioTo = (other: Spread | null): number | null => {
    if (other === null) return null;
    return better === 'more' ? ours.median / other.median : other.median / ours.median;
  };
  return {
    name,
    unit,
    ours: ours.median,
    floor: floor?.median ?? null,
    peer: peer?.median ?? null,
    ratioToFloor: ratioTo(floor),
    ratioToPeer: ratioTo(peer),
    spread,
  };
}
