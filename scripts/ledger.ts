import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { checkLedger, withTests } from './ledger/check-ledger.ts';
import { coverageOf, coverageOfRoles, formatCoverage, untestedOf, withRoleTable } from './ledger/coverage.ts';
import { formatLedger, parseLedger } from './ledger/ledger-row.ts';
import { requirementIds } from './ledger/requirements.ts';
import { findTaggedTests } from './ledger/tagged-tests.ts';
import { root } from './run.ts';

// npm run ledger [-- --json] [-- --write]: prints how the requirements of the specification are covered, by area and by
// role, and which show on the wire and are not tested. It fails for one of those, and for a row that is not true. With
// --write, the rows of tested requirements are made anew from the names of the tests, and the table in the README.
const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const path = join(root, 'docs', 'conformance', 'ledger.jsonl');
const tests = findTaggedTests(root);
const stored = parseLedger(readFileSync(path, 'utf8'));
const rows = values.write ? withTests(stored, tests) : stored;
if (values.write) {
  const readme = join(root, 'docs', 'conformance', 'README.md');
  writeFileSync(path, formatLedger(rows));
  writeFileSync(readme, withRoleTable(readFileSync(readme, 'utf8'), rows));
}

const problems = checkLedger(rows, requirementIds(), tests, (file) => existsSync(join(root, file)));
const coverage = { areas: coverageOf(rows), roles: coverageOfRoles(rows), untested: untestedOf(rows) };
console.log(values.json ? JSON.stringify(coverage, null, 2) : formatCoverage(rows));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
