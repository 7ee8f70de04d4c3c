/** What one contender did over all rounds: the median, and the lowest and highest round. */
export interface Measured {
  readonly perSecond: Spread;
  /** CPU time of the server process for one request, in microseconds. */
  readonly cpuMicroseconds: Spread;
}

/** The median of some values, and the lowest and highest of them. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** How long is measured. */
export interface MeasureOptions {
  readonly rounds: number;
  /** Seconds of load for each contender in each round. */
  readonly seconds: number;
  onRound(round: number): void;
}

/** What one run of one contender saw; CPU time is that of its process. */
export interface Sample {
  readonly requests: number;
  readonly seconds: number;
  readonly cpuMicroseconds: number;
}

/**
 * Measures contenders side by side: in each round each of them gets a run, one after the other, so that a machine whose
 * speed drifts is as fast for one as for the next. The first round warms up and is not counted. Answers a function that
 * gives what was measured of a contender.
 */
export async function measure<Contender>(
  contenders: readonly Contender[],
  runOnce: (contender: Contender) => Promise<Sample>,
  { rounds, onRound }: MeasureOptions,
): Promise<(contender: Contender) => Measured> {
  const samples = new Map(contenders.map((contender) => [contender, [] as Sample[]]));
  for (let round = 0; round <= rounds; round += 1) {
    onRound(round);
    for (const [contender, seen] of samples) {
      const sample = await runOnce(contender);
      if (round > 0) seen.push(sample);
    }
  }
  return (contender) => {
    const seen = samples.get(contender) ?? [];
    return {
      perSecond: spread(seen.map(({ requests, seconds }) => requests / seconds)),
      cpuMicroseconds: spread(seen.map(({ requests, cpuMicroseconds }) => cpuMicroseconds / requests)),
    };
  };
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
  return { median, low: sorted[0] ?? NaN, high: sorted.at(-1) ?? NaN };
}
