import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));
const scripts = globSync('0*.ts', { cwd: folder }).toSorted();

it('has seven experiments', () => {
  expect(scripts.map((script) => script.slice(0, 2))).toEqual(['01', '02', '03', '04', '05', '06', '07']);
});

it.each(scripts)('%s asks a question, and its assertions hold', async (script) => {
  const { stdout } = await promisify(execFile)(execPath, ['--conditions=@switchyard/source', script], { cwd: folder });
  expect(stdout).toMatch(/^Question: .*\?\n(?: {2}.*\n){2,}The assertions hold\.\n$/);
});
