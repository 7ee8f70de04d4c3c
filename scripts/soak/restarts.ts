import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { connect } from '@switchyard/client/node';

import { root } from '../run.ts';
import { createRandom } from './random.ts';
import type { Soak } from './soak.ts';

/**
 * Starts of stdio servers that are killed or closed at any moment, to see whether a process or a descriptor is left.
 */
export const restarts: Soak = {
  what: 'stdio servers started, called, and killed or closed at any moment; no child process and no descriptor may be left',
  amount: 300,
  async run({ seed, amount, progress }) {
    const random = createRandom(seed);
    const args = ['--conditions=@switchyard/source', join(root, 'examples/minimal/src/server.ts')];
    const before = { descriptors: descriptors(), children: children() };
    const ends: Record<string, number> = {};
    for (let start = 0; start < amount; start += 1) {
      const end = await once(args, random());
      ends[end] = (ends[end] ?? 0) + 1;
      if (start % 50 === 49) progress(`${start + 1} starts, ${children()} children, ${descriptors()} descriptors`);
    }
    const after = { descriptors: descriptors(), children: children() };
    const ok = after.children <= before.children && after.descriptors <= before.descriptors + 2;
    return { ok, found: { before, after, ends } };
  },
};

async function once(args: readonly string[], dice: number): Promise<string> {
  const client = await connect({ command: process.execPath, args }, { name: 'minimal' });
  const call = client.callTool('add_numbers', { a: 2, b: 3 }).then(
    () => 'answered',
    (error: unknown) => (error as { code?: string }).code ?? 'failed',
  );
  if (dice < 0.5) {
    const end = await call;
    await client.close();
    return end;
  }
  await client.close();
  return `closed while calling: ${await call}`;
}

function children(): number {
  const mine = String(process.pid);
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    return parentOf(entry) === mine;
  }).length;
}

function parentOf(pid: string): string | undefined {
  try {
    return /^PPid:\s*(\d+)$/m.exec(readStatus(pid))?.[1];
  } catch {
    // The process ended between the listing and the reading.
    return undefined;
  }
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

function readStatus(pid: string): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}
