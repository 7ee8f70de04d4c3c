import { checkApi } from './check-api.ts';
import { checkDocs } from './check-docs.ts';
import { checkImports } from './check-imports.ts';
import { checkPackages } from './check-packages.ts';
import { type Finished, run } from './run.ts';

const steps: readonly { name: string; run: () => Promise<Finished> }[] = [
  { name: 'format', run: () => run('prettier', ['--check', '--log-level', 'warn', '.']) },
  { name: 'lint', run: () => run('oxlint', ['--report-unused-disable-directives', '--deny-warnings']) },
  { name: 'types', run: () => run('tsc', []) },
  { name: 'imports', run: checkImports },
  { name: 'docs', run: () => Promise.resolve(checkDocs()) },
  { name: 'api', run: () => checkApi() },
  { name: 'packages', run: checkPackages },
];

const wanted = process.argv.slice(2);
let failed = 0;
let passed = 0;
for (const step of steps) {
  if (wanted.length > 0 && !wanted.includes(step.name)) continue;
  const started = performance.now();
  const { code, output } = await step.run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) passed += 1;
  else failed += 1;
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name.padEnd(10)} ${seconds} s`);
  if (code !== 0) console.log(output.trimEnd());
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
