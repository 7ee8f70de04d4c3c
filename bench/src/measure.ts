import { fork } from 'node:child_process';

import { type Contender } from './contender.ts';
import type { LoadRequest, LoadResult } from './load.ts';

/** What one contender did over all rounds: the median, and the lowest and highest round. */
export interface Measured {
  readonly perSecond: Spread;
  /** CPU time of the server process for one request, in microseconds. */
  readonly cpuMicroseconds: Spread;
}

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

/**
 * Measures contenders side by side: in each round each of them gets the load for `seconds`, one after the other, so that a
 * machine whose speed drifts is as fast for one as for the next. The first round warms up and is not counted.
 */
export async function measure(
  contenders: readonly Contender[],
  requestFor: (contender: Contender) => LoadRequest,
  options: MeasureOptions & { readonly connections: number },
): Promise<Map<string, Measured>> {
  await using load = startLoad();
  const samples = new Map(contenders.map(({ name }) => [name, { perSecond: [] as number[], cpu: [] as number[] }]));
  for (let round = 0; round <= options.rounds; round += 1) {
    options.onRound(round);
    for (const contender of contenders) {
      const before = await contender.cpuMicroseconds();
      const { requests, seconds } = await load.run(requestFor(contender), options.connections, options.seconds);
      const cpu = (await contender.cpuMicroseconds()) - before;
      if (round === 0) continue;
      const sample = samples.get(contender.name);
      sample?.perSecond.push(requests / seconds);
      sample?.cpu.push(cpu / requests);
    }
  }
  return new Map(
    [...samples].map(([name, { perSecond, cpu }]) => [
      name,
      { perSecond: spread(perSecond), cpuMicroseconds: spread(cpu) },
    ]),
  );
}

interface LoadProcess extends AsyncDisposable {
  run(request: LoadRequest, connections: number, seconds: number): Promise<LoadResult>;
}

function startLoad(): LoadProcess {
  const child = fork(new URL('load-process.ts', import.meta.url), [], {
    execArgv: ['--conditions=@switchyard/source'],
  });
  return {
    run(request, connections, seconds) {
      return new Promise((resolve, reject) => {
        child.once('message', (message: { result?: LoadResult; error?: string }) => {
          if (message.result === undefined) reject(new Error(message.error));
          else resolve(message.result);
        });
        child.send({ request, connections, seconds });
      });
    },
    async [Symbol.asyncDispose]() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await exited;
    },
  };
}

/** Answers the median of samples, and the lowest and highest of them. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
  return { median, low: sorted[0] ?? NaN, high: sorted.at(-1) ?? NaN };
}
