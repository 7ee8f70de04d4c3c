import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

test('calls what the agent may call and refuses the rest, with the reason', async () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@switchyard/source', main]);
  expect(stdout).toContain("text: 'Buy tea'");
  expect(stdout).toContain("reason: 'denied'");
  expect(stdout).not.toContain('gone');
});
