import type { ClientRun } from './clients/client-run.ts';
import { toRow } from './compare.ts';
import { startContender } from './contender.ts';
import { type MeasureOptions, spread, takeSamples } from './measure.ts';
import type { Row } from './row.ts';
import { startLoad } from './start-load.ts';

const TOOLS = '1000';

/**
 * How long a client waits for `tools/list` of 1,000 tools that it has listed before: the slowest but one in a hundred.
 * The server says how long the list stays, so that both, ours and the official TypeScript SDK v2, answer from a cache.
 */
export async function clientLists(options: MeasureOptions): Promise<readonly Row[]> {
  await using server = await startContender('switchyard', [TOOLS]);
  await using ours = startLoad<ClientRun, number>('clients/switchyard');
  await using official = startLoad<ClientRun, number>('clients/official');
  const { seconds } = options;
  const of = await takeSamples(
    [ours, official],
    (client) => client.run({ lists: Number(TOOLS), port: server.port, depth: 1, seconds }),
    options,
  );
  const name = 'client tools/list, 1,000 tools, listed before; peer: official SDK';
  return [
    toRow(
      { name, unit: 'ms p99', better: 'less' },
      { ours: spread(of(ours)), floor: null, peer: spread(of(official)) },
    ),
  ];
}
