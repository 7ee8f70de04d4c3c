import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { root, run } from './run.ts';

// npm runs this in the folder of a package that it is about to pack. A tarball must hold what the sources say now, so
// output of earlier builds goes first: of a source that was moved or deleted it would stay for ever.
const folder = process.cwd();
for (const output of ['dist', 'tsconfig.tsbuildinfo']) rmSync(join(folder, output), { recursive: true, force: true });
const { code, output } = await run('tsc', ['-b', folder]);
if (code !== 0) process.stderr.write(output);
else copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
process.exitCode = code;
