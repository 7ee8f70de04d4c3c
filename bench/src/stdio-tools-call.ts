import { compare } from './compare.ts';
import { measure, type MeasureOptions, type Sample } from './measure.ts';
import { requestText } from './messages.ts';
import type { Row } from './row.ts';
import { startLoad } from './start-load.ts';
import type { StdioRun } from './stdio-load-process.ts';

const programs = ['stdio-floor', 'stdio-switchyard', 'stdio-official'] as const;
const depths = [1, 32];

/**
 * `tools/call` of an addition over stdio, with 1 and with 32 requests in flight: ours against a process that reads
 * lines, adds and writes the same bytes, and the official TypeScript SDK v2.
 */
export async function stdioToolsCall(options: MeasureOptions): Promise<readonly Row[]> {
  await using load = startLoad<StdioRun, Sample>('stdio-load-process');
  const line = requestText('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
  const rows: Row[] = [];
  for (const depth of depths) {
    const { seconds } = options;
    const of = await measure(
      programs,
      (program) => load.run({ program, line, expects: '"text":"5"', depth, seconds }),
      options,
    );
    const name = `stdio tools/call, depth ${depth}; peer: official SDK`;
    rows.push(...compare(name, of('stdio-switchyard'), of('stdio-floor'), of('stdio-official')));
  }
  return rows;
}
