import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/* Runs every experiment, one after the other; the exit code is 1 when one of them fails. */
const folder = fileURLToPath(new URL('.', import.meta.url));
for (const file of globSync('0*.ts', { cwd: folder }).toSorted()) {
  console.log(`\n${file}`);
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', file], { cwd: folder, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
