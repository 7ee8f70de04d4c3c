import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createServer, silentLogger, toFetch } from '@switchyard/server';

import type { Soak } from './soak.ts';

const version = '2026-07-28';
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'add',
    arguments: { a: 2.5, b: 4 },
    _meta: { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} },
  },
});
const headers = {
  'content-type': 'application/json',
  host: 'localhost',
  'mcp-protocol-version': version,
  'mcp-method': 'tools/call',
  'mcp-name': 'add',
};
const maxGrowthMiB = 10;
const PARTS = 10;

/** Calls of a server, over and over. */
export const serverCalls: Soak = {
  what: `so many calls of one server in a row; the heap after a collection must not grow by more than ${maxGrowthMiB} MiB from the first tenth to the last`,
  amount: 1_000_000,
  async run({ amount, progress }) {
    const server = createServer({ name: 'calls', version: '1.0.0' }, { logger: silentLogger });
    const input = {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    };
    server.tool('add', { input }, ({ a, b }) => String((a as number) + (b as number)));
    const handle = toFetch(server);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heapMiB: number[] = [];
    let wrong = 0;
    for (let part = 0; part < PARTS; part += 1) {
      for (let index = 0; index < amount / PARTS; index += 1) {
        // oxlint-disable-next-line no-await-in-loop -- One call after the other.
        const response = await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
        // oxlint-disable-next-line no-await-in-loop -- One call after the other.
        if (!(await response.text()).includes('"6.5"')) wrong += 1;
      }
      collect();
      heapMiB.push(Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10);
      progress(`${((part + 1) * amount) / PARTS} calls, heap ${heapMiB.at(-1)} MiB`);
    }
    const growthMiB = Math.round(((heapMiB.at(-1) ?? 0) - (heapMiB[0] ?? 0)) * 10) / 10;
    return {
      ok: wrong === 0 && growthMiB <= maxGrowthMiB,
      found: { wrong, heapMiB, growthMiB },
    };
  },
};
