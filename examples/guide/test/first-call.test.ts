import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('starts the server of the README, calls its tool, and ends', async () => {
  const program = fileURLToPath(new URL('../src/first-call.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@switchyard/source', program]);
  expect(stdout).toBe("[ 'add_numbers' ]\n[ { type: 'text', text: '6.5' } ]\n");
});
