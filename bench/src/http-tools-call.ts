import { type Contender, startContender } from './contender.ts';
import { measure, type Measured } from './measure.ts';
import type { Row } from './row.ts';

const revision = '2026-07-28';
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': 'add',
};
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: '%ID%',
  method: 'tools/call',
  params: {
    name: 'add',
    arguments: { a: 2, b: 3 },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}).replace('"%ID%"', '%ID%');

/**
 * `tools/call` of an addition over HTTP, 32 connections, with 1 and with 200 tools: ours against a bare `node:http` handler
 * and the official TypeScript SDK v2.
 */
export async function httpToolsCall(options: {
  readonly rounds: number;
  readonly seconds: number;
  onRound(round: number): void;
}): Promise<readonly Row[]> {
  await using floor = await startContender('floor', 'floor', []);
  await using ours1 = await startContender('ours 1', 'switchyard', ['1']);
  await using ours200 = await startContender('ours 200', 'switchyard', ['200']);
  await using official1 = await startContender('official 1', 'official', ['1']);
  await using official200 = await startContender('official 200', 'official', ['200']);
  const contenders: readonly Contender[] = [floor, ours1, official1, ours200, official200];
  const measured = await measure(
    contenders,
    ({ port }) => ({ port, path: '/mcp', headers, body, expects: '"text":"5"' }),
    { ...options, connections: 32 },
  );
  const of = (name: string): Measured => {
    const found = measured.get(name);
    if (found === undefined) throw new Error(`${name} was not measured`);
    return found;
  };
  return [
    row('http tools/call, 1 tool', of('ours 1'), of('floor'), of('official 1')),
    row('http tools/call, 200 tools', of('ours 200'), of('floor'), of('official 200')),
    row('http tools/call, 200 tools against our own 1', of('ours 200'), of('ours 1'), undefined),
  ].flat();
}

function row(name: string, ours: Measured, floor: Measured, peer: Measured | undefined): readonly Row[] {
  return [
    {
      name,
      unit: 'requests/s',
      ours: ours.perSecond.median,
      floor: floor.perSecond.median,
      peer: peer?.perSecond.median ?? null,
      ratioToFloor: ours.perSecond.median / floor.perSecond.median,
      ratioToPeer: peer === undefined ? null : ours.perSecond.median / peer.perSecond.median,
      spread: { ours: ours.perSecond, floor: floor.perSecond, peer: peer?.perSecond ?? null },
    },
    {
      name,
      unit: 'µs CPU/request',
      ours: ours.cpuMicroseconds.median,
      floor: floor.cpuMicroseconds.median,
      peer: peer?.cpuMicroseconds.median ?? null,
      ratioToFloor: floor.cpuMicroseconds.median / ours.cpuMicroseconds.median,
      ratioToPeer: peer === undefined ? null : peer.cpuMicroseconds.median / ours.cpuMicroseconds.median,
      spread: { ours: ours.cpuMicroseconds, floor: floor.cpuMicroseconds, peer: peer?.cpuMicroseconds ?? null },
    },
  ];
}
