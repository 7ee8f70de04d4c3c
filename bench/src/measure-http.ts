import type { Contender } from './contender.ts';
import type { HttpRun } from './http-load-process.ts';
import type { LoadRequest, LoadResult } from './load.ts';
import { measure, type Measured, type MeasureOptions } from './measure.ts';
import { startLoad } from './start-load.ts';

const CONNECTIONS = 32;

/**
 * Measures servers under the same load over 32 connections. Answers a function that gives what was measured of one of
 * them.
 */
export async function measureHttp(
  contenders: readonly Contender[],
  request: Omit<LoadRequest, 'port' | 'path'>,
  options: MeasureOptions,
): Promise<(contender: Contender) => Measured> {
  await using load = startLoad<HttpRun, LoadResult>('http-load-process');
  const runOnce = async ({ port, cpuMicroseconds }: Contender) => {
    const before = await cpuMicroseconds();
    const { seconds } = options;
    const result = await load.run({ request: { ...request, port, path: '/mcp' }, connections: CONNECTIONS, seconds });
    return { ...result, cpuMicroseconds: (await cpuMicroseconds()) - before };
  };
  return await measure(contenders, runOnce, options);
}
