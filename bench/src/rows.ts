import type { Measured } from './measure.ts';
import type { Row } from './row.ts';

/** Answers the two lines of one comparison: throughput, and CPU time of a request. */
export function compare(name: string, ours: Measured, floor: Measured, peer?: Measured): readonly Row[] {
  return [
    {
      name,
      unit: 'requests/s',
      ours: ours.perSecond.median,
      floor: floor.perSecond.median,
      peer: peer?.perSecond.median ?? null,
      ratioToFloor: ours.perSecond.median / floor.perSecond.median,
      ratioToPeer: peer === undefined ? null : ours.perSecond.median / peer.perSecond.median,
      spread: { ours: ours.perSecond, floor: floor.perSecond, peer: peer?.perSecond ?? null },
    },
    {
      name,
      unit: 'µs CPU/request',
      ours: ours.cpuMicroseconds.median,
      floor: floor.cpuMicroseconds.median,
      peer: peer?.cpuMicroseconds.median ?? null,
      ratioToFloor: floor.cpuMicroseconds.median / ours.cpuMicroseconds.median,
      ratioToPeer: peer === undefined ? null : peer.cpuMicroseconds.median / ours.cpuMicroseconds.median,
      spread: { ours: ours.cpuMicroseconds, floor: floor.cpuMicroseconds, peer: peer?.cpuMicroseconds ?? null },
    },
  ];
}

/** Answers what was measured of a contender. */
export function pick(measured: ReadonlyMap<string, Measured>, name: string): Measured {
  const found = measured.get(name);
  if (found === undefined) throw new Error(`${name} was not measured`);
  return found;
}
