import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer, tryAgain } from '../src/processes.ts';

it('shows the log of a server that fails without its key, refuses a fourth start, and lets a retry by hand through', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'processes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, 'server.mjs');
  await writeFile(program, 'console.error(`no licence for ${process.env.API_KEY}`); process.exit(1);');
  const log: string[] = [];
  const start = (): Promise<string> =>
    startServer(program, 'sk-depot-4711-0815', (line) => log.push(line)).then(
      () => 'started',
      (error: unknown) => (error as { code: string }).code,
    );
  // One that ends on the probe is started once more each time, and each start counts.
  expect([await start(), await start(), await start()]).toEqual(['start-failed', 'start-failed', 'circuit-open']);
  expect(new Set(log)).toEqual(new Set(['no licence for [redacted]']));
  tryAgain();
  expect(await start()).toBe('start-failed');
});
