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

/** Measures contenders side by side, as {@link takeSamples} does. Answers what gives the measures of one of them. */
export async function measure<Contender>(
  contenders: readonly Contender[],
  runOnce: (contender: Contender) => Promise<Sample>,
  options: MeasureOptions,
): Promise<(contender: Contender) => Measured> {
  const of = await takeSamples(contenders, runOnce, options);
  return (contender) => ({
    perSecond: spread(of(contender).map(({ requests, seconds }) => requests / seconds)),
    cpuMicroseconds: spread(of(contender).map(({ requests, cpuMicroseconds }) => cpuMicroseconds / requests)),
  });
}

/**
 * Takes samples of contenders side by side: in each round each of them gets a run, one after the other, so that a machine
 * whose speed drifts is as fast for one as for the next. The first round warms up and is not counted. Answers what gives
 * the samples of one of them.
 */
export async function takeSamples<Contender, S>(
  contenders: readonly Contender[],
  runOnce: (contender: Contender) => Promise<S>,
  { rounds, onRound }: MeasureOptions,
): Promise<(contender: Contender) => readonly S[]> {
  const samples = new Map(contenders.map((contender) => [contender, [] as S[]]));
  for (let round = 0; round <= rounds; round += 1) {
    onRound(round);
    for (const [contender, seen] of samples) {
      const sample = await runOnce(contender);
      if (round > 0) seen.push(sample);
    }
  }
  return (contender) => samples.get(contender) ?? [];
}

/** Answers the median of some values, and the lowest and highest of them. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
  return { median, low: sorted[0] ?? NaN, high: sorted.at(-1) ?? NaN };
}
