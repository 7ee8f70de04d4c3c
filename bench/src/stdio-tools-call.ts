import { fork } from 'node:child_process';

import { type MeasureOptions, type Measured, spread } from './measure.ts';
import { requestText } from './messages.ts';
import type { Row } from './row.ts';
import { compare } from './rows.ts';
import type { StdioRun, StdioRunResult } from './stdio-load-process.ts';

const programs = ['stdio-floor', 'stdio-switchyard', 'stdio-official'] as const;
const depths = [1, 32];

/**
 * `tools/call` of an addition over stdio, with 1 and with 32 requests in flight: ours against a process that reads lines, adds and writes
 * the same bytes, and the official TypeScript SDK v2.
 */
export async function stdioToolsCall(options: MeasureOptions): Promise<readonly Row[]> {
  const load = fork(new URL('stdio-load-process.ts', import.meta.url), [], {
    execArgv: ['--conditions=@switchyard/source'],
  });
  const run = (request: StdioRun): Promise<StdioRunResult> =>
    new Promise((resolve, reject) => {
      load.once('message', ({ result, error }: { result?: StdioRunResult; error?: string }) => {
        if (result === undefined) reject(new Error(error));
        else resolve(result);
      });
      load.send(request);
    });
  try {
    const rows: Row[] = [];
    for (const depth of depths) {
      const [floor, ours, official] = await measureDepth(depth, options, run);
      if (floor === undefined || ours === undefined) throw new Error('a program was not measured');
      rows.push(...compare(`stdio tools/call, depth ${depth}; peer: official SDK`, ours, floor, official));
    }
    return rows;
  } finally {
    load.disconnect();
  }
}

async function measureDepth(
  depth: number,
  { rounds, seconds, onRound }: MeasureOptions,
  run: (request: StdioRun) => Promise<StdioRunResult>,
): Promise<readonly Measured[]> {
  const line = requestText('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
  const samples = programs.map(() => ({ perSecond: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    onRound(round);
    for (const [index, program] of programs.entries()) {
      const result = await run({ program, line, expects: '"text":"5"', depth, seconds });
      if (round === 0) continue;
      samples[index]?.perSecond.push(result.requests / result.seconds);
      samples[index]?.cpu.push(result.cpuMicroseconds / result.requests);
    }
  }
  return samples.map(({ perSecond, cpu }) => ({ perSecond: spread(perSecond), cpuMicroseconds: spread(cpu) }));
}
