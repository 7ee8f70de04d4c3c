// Plain JavaScript without dependencies, because it must run where nothing else can: on an old Node, before an install.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const minimum = [22, 19];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const problems = [];

if (!existsSync(join(root, 'node_modules', 'vitest'))) {
  problems.push({
    found: 'The dependencies are not installed.',
    mend: 'Run: npm ci',
  });
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < minimum[0] || (major === minimum[0] && minor < minimum[1])) {
  problems.push({
    found: `This script runs on Node ${process.versions.node} (${process.execPath}); it needs ${minimum.join('.')} or newer.`,
    mend:
      'The workspace brings its own Node. Run the script through npm (npm start, npm test, …). ' +
      'If you did, the install script of the package "node" was skipped: run npm ci again without --ignore-scripts, ' +
      'or put a Node ≥ 22.19 first in PATH.',
  });
}

if (problems.length > 0) {
  for (const { found, mend } of problems) process.stderr.write(`switchyard: ${found}\n  ${mend}\n`);
  process.exit(1);
}
