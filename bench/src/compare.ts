import type { Measured, Spread } from './measure.ts';
import type { Row } from './row.ts';

/** Answers the two lines of one comparison: throughput, and CPU time of a request. */
export function compare(name: string, ours: Measured, floor: Measured, peer?: Measured): readonly Row[] {
  const row = (unit: string, member: keyof Measured, ratio: (ours: number, other: number) => number): Row => {
    const spread = { ours: ours[member], floor: floor[member], peer: peer?.[member] ?? null };
    const ratioTo = (other: Spread): number => ratio(spread.ours.median, other.median);
    return {
      name,
      unit,
      ours: spread.ours.median,
      floor: spread.floor.median,
      peer: spread.peer?.median ?? null,
      ratioToFloor: ratioTo(spread.floor),
      ratioToPeer: spread.peer === null ? null : ratioTo(spread.peer),
      spread,
    };
  };
  return [
    row('requests/s', 'perSecond', (own, other) => own / other),
    row('µs CPU/request', 'cpuMicroseconds', (own, other) => other / own),
  ];
}
