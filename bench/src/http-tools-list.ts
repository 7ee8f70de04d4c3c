import { compare } from './compare.ts';
import { startContender } from './contender.ts';
import { measureHttp } from './measure-http.ts';
import type { MeasureOptions } from './measure.ts';
import { requestHeaders, requestText } from './messages.ts';
import type { Row } from './row.ts';

const TOOLS = '200';

/**
 * `tools/list` of 200 tools over HTTP, 32 connections: ours against a bare handler that sends the same bytes from
 * memory.
 */
export async function httpToolsList(options: MeasureOptions): Promise<readonly Row[]> {
  await using floor = await startContender('floor-list', [TOOLS]);
  await using ours = await startContender('switchyard', [TOOLS]);
  await using official = await startContender('official', [TOOLS]);
  const request = {
    headers: requestHeaders('tools/list'),
    body: requestText('tools/list', {}),
    expects: '"add_199"',
  };
  const of = await measureHttp([floor, ours, official], request, options);
  return compare('http tools/list, 200 tools; peer: official SDK', of(ours), of(floor), of(official));
}
