import { startContender } from './contender.ts';
import { measure, type MeasureOptions } from './measure.ts';
import { requestHeaders, requestText } from './messages.ts';
import type { Row } from './row.ts';
import { compare, pick } from './rows.ts';

const TOOLS = '200';

/** `tools/list` of 200 tools over HTTP, 32 connections: ours against a bare handler that sends the same bytes from memory. */
export async function httpToolsList(options: MeasureOptions): Promise<readonly Row[]> {
  await using floor = await startContender('floor', 'floor-list', [TOOLS]);
  await using ours = await startContender('ours', 'switchyard', [TOOLS]);
  await using official = await startContender('official', 'official', [TOOLS]);
  const measured = await measure(
    [floor, ours, official],
    ({ port }) => ({
      port,
      path: '/mcp',
      headers: requestHeaders('tools/list'),
      body: requestText('tools/list', {}),
      expects: '"add_199"',
    }),
    { ...options, connections: 32 },
  );
  const of = (name: string) => pick(measured, name);
  return compare('http tools/list, 200 tools; peer: official SDK', of('ours'), of('floor'), of('official'));
}
