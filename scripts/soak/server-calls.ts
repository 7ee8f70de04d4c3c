import { createServer, silentLogger, toFetch } from '@switchyard/server';

import { createHeapGauge } from './heap-gauge.ts';
import { requestOf } from './request-of.ts';
import type { Soak } from './soak.ts';

const { headers, body } = requestOf('tools/call', { name: 'add', arguments: { a: 2.5, b: 4 } });
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
    const heapInUse = createHeapGauge();
    const heapMiB: number[] = [];
    let wrong = 0;
    for (let part = 0; part < PARTS; part += 1) {
      for (let index = 0; index < amount / PARTS; index += 1) {
        const response = await handle(
          new Request('http://localhost/mcp', { method: 'POST', headers: { ...headers, host: 'localhost' }, body }),
        );
        if (!(await response.text()).includes('"6.5"')) wrong += 1;
      }
      heapMiB.push(heapInUse());
      progress(`${((part + 1) * amount) / PARTS} calls, heap ${heapMiB.at(-1)} MiB`);
    }
    const growthMiB = Math.round(((heapMiB.at(-1) ?? 0) - (heapMiB[0] ?? 0)) * 10) / 10;
    return {
      ok: wrong === 0 && growthMiB <= maxGrowthMiB,
      found: { wrong, heapMiB, growthMiB },
    };
  },
};
