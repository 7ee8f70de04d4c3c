import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

test('shows which decisions are results and which are thrown, and where the reason is', async () => {
  const outcomes = fileURLToPath(new URL('../src/outcomes.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@switchyard/source', outcomes]);
  expect(stdout).toContain("may call [ 'notes__read_note' ] unavailable []");
  expect(stdout).toMatch(/notes__read_note \{\n? *isError: true/);
  expect(stdout).toContain('notes__erase_note -32602 Unknown tool: notes__erase_note');
  expect(stdout).toContain('denied notes []');
  expect(stdout).toContain("{ name: 'notes', state: 'ready', why: [] }");
  expect(stdout).toMatch(/reason: 'denied'(?:.*\n)*\] true\n$/);
});
