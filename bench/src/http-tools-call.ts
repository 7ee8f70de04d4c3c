import { compare } from './compare.ts';
import { startContender } from './contender.ts';
import { measureHttp } from './measure-http.ts';
import type { MeasureOptions } from './measure.ts';
import { requestHeaders, requestText } from './messages.ts';
import type { Row } from './row.ts';

const headers = requestHeaders('tools/call', 'add');
const body = requestText('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });

/**
 * `tools/call` of an addition over HTTP, 32 connections, with 1, 200 and 1,000 tools: ours against a bare `node:http`
 * handler, the official TypeScript SDK v2, and tmcp.
 */
export async function httpToolsCall(options: MeasureOptions): Promise<readonly Row[]> {
  await using floor = await startContender('floor', []);
  await using ours1 = await startContender('switchyard', ['1']);
  await using ours200 = await startContender('switchyard', ['200']);
  await using ours1000 = await startContender('switchyard', ['1000']);
  await using official1 = await startContender('official', ['1']);
  await using official200 = await startContender('official', ['200']);
  await using tmcp = await startContender('tmcp', ['1']);
  const contenders = [floor, ours1, official1, ours200, official200, ours1000, tmcp];
  const of = await measureHttp(contenders, { headers, body, expects: '"text":"5"' }, options);
  return [
    compare('http tools/call, 1 tool; peer: official SDK', of(ours1), of(floor), of(official1)),
    compare('http tools/call, 1 tool; peer: tmcp', of(ours1), of(floor), of(tmcp)),
    compare('http tools/call, 200 tools; peer: official SDK', of(ours200), of(floor), of(official200)),
    compare('http tools/call, 1,000 tools', of(ours1000), of(floor)),
    compare('http tools/call, 1,000 tools against our own 1', of(ours1000), of(ours1)),
  ].flat();
}
