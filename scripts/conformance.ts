import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { parseKnownFailures } from './conformance/known-failures.ts';
import { formatTally } from './conformance/report.ts';
import { runScenarios } from './conformance/run-scenarios.ts';
import { planScenarios } from './conformance/scenario.ts';
import { listScenarios } from './conformance/suite.ts';
import { tallyOutcomes } from './conformance/tally.ts';
import { root } from './run.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, scenario: { type: 'string' }, role: { type: 'string' } },
});
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort(new Error(`the run was ended by ${signal}`)));
}

try {
  process.exitCode = await main(interrupted.signal);
} catch (error) {
  console.error(`conformance: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function main(signal: AbortSignal): Promise<number> {
  const knownFailures = parseKnownFailures(
    readFileSync(join(root, 'docs', 'conformance', 'known-failures.json'), 'utf8'),
  );
  const planned = planScenarios(await listScenarios(signal));
  const selected = planned.filter(
    ({ role, name }) => (values.role ?? role) === role && (values.scenario ?? name) === name,
  );
  if (selected.length === 0) {
    const names = planned.map(({ role, name }) => `${role} ${name}`).join('\n  ');
    throw new Error(`no scenario is selected; there are:\n  ${names}`);
  }
  const tally = tallyOutcomes(await runScenarios(selected, signal), knownFailures, planned);
  const closing = `${tally.passed} passed, ${tally.failed} failed`;
  if (values.json) {
    console.log(JSON.stringify(tally.rows, null, 2));
    for (const sentence of tally.stale) console.error(`known failure ${sentence}`);
    console.error(closing);
  } else {
    console.log(`${formatTally(tally, knownFailures)}\n\n${closing}`);
  }
  return tally.failed > 0 ? 1 : 0;
}
