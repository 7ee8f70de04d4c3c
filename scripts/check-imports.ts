import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Finished, root, run } from './run.ts';

const planted = [
  {
    rule: 'protocol-imports',
    file: 'packages/protocol/src/planted-violation.ts',
    text: "export { createServer } from '@switchyard/server';\n",
  },
  {
    rule: 'node-free-roots',
    file: 'packages/server/src/planted-violation.ts',
    text: "export { readFileSync } from 'node:fs';\n",
  },
];

/**
 * Checks the import rules of `.dependency-cruiser.mjs`. A checker that sees nothing also finds nothing, so this asserts
 * that it saw every source file, and that it reports an import planted against each of two rules.
 */
export async function checkImports(): Promise<Finished> {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).length;
  const clean = await cruise();
  if (clean.code !== 0) return { code: 1, output: clean.output };
  const seen = clean.modules.filter((module) => /^packages\/[^/]+\/src\//.test(module)).length;
  if (seen < sources) return { code: 1, output: `the import check saw ${seen} of ${sources} source files` };

  for (const { rule, file, text } of planted) {
    const path = join(root, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    try {
      const dirty = await cruise();
      if (!dirty.violations.some((violation) => violation.rule === rule && violation.from === file)) {
        return {
          code: 1,
          output: `the import check did not report a forbidden import planted in ${file} (rule ${rule})`,
        };
      }
    } finally {
      rmSync(path);
    }
  }
  return { code: 0, output: '' };
}

interface Cruise extends Finished {
  readonly modules: readonly string[];
  readonly violations: readonly { readonly rule: string; readonly from: string; readonly to: string }[];
}

async function cruise(): Promise<Cruise> {
  const { output } = await run('depcruise', [
    ...globSync(['packages/*/src', 'examples/*/src'], { cwd: root }),
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'json',
  ]);
  const start = output.indexOf('{');
  if (start < 0) return { code: 1, output, modules: [], violations: [] };
  const report = JSON.parse(output.slice(start)) as {
    modules: { source: string }[];
    summary: { violations: { rule: { name: string; severity: string }; from: string; to: string }[] };
  };
  const violations = report.summary.violations
    .filter((violation) => violation.rule.severity === 'error')
    .map((violation) => ({ rule: violation.rule.name, from: violation.from, to: violation.to }));
  return {
    code: violations.length > 0 ? 1 : 0,
    output: violations.map(({ rule, from, to }) => `${from} → ${to} (${rule})`).join('\n'),
    modules: report.modules.map((module) => module.source),
    violations,
  };
}
