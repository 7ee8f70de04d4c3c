import type { ClientRun } from './clients/client-run.ts';
import { compare } from './compare.ts';
import { startContender } from './contender.ts';
import { measure, type MeasureOptions, type Sample } from './measure.ts';
import type { Row } from './row.ts';
import { startLoad } from './start-load.ts';

const depths = { http: [1, 32], stdio: [1, 32] };

/**
 * `tools/call` of an addition by a client, over HTTP and over stdio, with 1 and with 32 calls in flight, each against
 * our server: ours against a client that writes, matches and parses the same bytes, and the official TypeScript SDK v2.
 * CPU time is that of the client's process.
 */
export async function clientCalls(options: MeasureOptions): Promise<readonly Row[]> {
  await using server = await startContender('switchyard', ['1']);
  await using ours = startLoad<ClientRun, Sample>('clients/switchyard');
  await using floor = startLoad<ClientRun, Sample>('clients/floor');
  await using official = startLoad<ClientRun, Sample>('clients/official');
  const rows: Row[] = [];
  for (const [transport, ofTransport] of Object.entries(depths)) {
    const target = transport === 'http' ? { port: server.port } : {};
    for (const depth of ofTransport) {
      const { seconds } = options;
      const of = await measure([ours, floor, official], (client) => client.run({ ...target, depth, seconds }), options);
      const name = `client calls over ${transport}, depth ${depth}; peer: official SDK`;
      rows.push(...compare(name, of(ours), of(floor), of(official)));
    }
  }
  return rows;
}
