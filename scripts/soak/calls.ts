import { openHost } from '@switchyard/host';
import { createServer } from '@switchyard/server';

import { createHeapGauge } from './heap-gauge.ts';
import type { Soak } from './soak.ts';

const maxGrowthMiB = 8;
const concurrent = 32;
const checkpoints = 10;

/** Governed calls in one process, in memory, to see whether anything is kept. */
export const calls: Soak = {
  what: `governed calls, ${concurrent} at a time; the heap after collection must not grow by more than ${maxGrowthMiB} MiB`,
  amount: 200_000,
  async run({ amount, progress }) {
    const heapInUse = createHeapGauge();
    const adder = createServer({ name: 'adder', version: '1.0.0' });
    const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const;
    adder.tool('add', { input }, ({ a, b }) => String(Number(a) + Number(b)));
    const heapMiB: number[] = [];
    const each = Math.ceil(amount / checkpoints);
    for (let checkpoint = 0; checkpoint < checkpoints; checkpoint += 1) {
      // The audit in memory is bounded, so each tenth of the work has a host of its own.
      const host = await openHost(
        { agents: { agent: { allow: ['adder__*'] } } },
        { mount: { adder }, audit: 'memory' },
      );
      const agent = host.as('agent');
      let next = 0;
      const work = async (): Promise<void> => {
        while (next < each) {
          const a = next++;
          const { content } = await agent.call('adder__add', { a, b: 1 });
          const [block] = content;
          if (block?.type !== 'text' || block.text !== String(a + 1))
            throw new Error(`call ${a} answered ${JSON.stringify(content)}`);
        }
      };
      await Promise.all(Array.from({ length: concurrent }, work));
      await host.close();
      heapMiB.push(heapInUse());
      progress(`${(checkpoint + 1) * each} calls, heap ${heapMiB.at(-1)} MiB`);
    }
    // The first tenth warms up.
    const growth = (heapMiB.at(-1) ?? 0) - (heapMiB[1] ?? 0);
    return { ok: growth <= maxGrowthMiB, found: { heapMiB, growthMiB: Math.round(growth * 10) / 10 } };
  },
};
