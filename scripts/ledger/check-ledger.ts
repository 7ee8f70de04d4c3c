import { isUntested, type LedgerRow } from './ledger-row.ts';

type TaggedTests = ReadonlyMap<string, readonly string[]>;

/**
 * Answers what is wrong with the ledger, a sentence each: an id that stands twice, or is none of `required`, one of
 * those that has no row, a row that does not say what its status asks for, a file that is not there or does not hold
 * the id, a requirement that shows on the wire and is not tested, one of a role that only the other role's
 * tests name, and an id in a test that is no row or whose row says otherwise.
 */
export function checkLedger(
  rows: readonly LedgerRow[],
  required: readonly string[],
  tests: TaggedTests,
  exists: (file: string) => boolean,
): readonly string[] {
  const known = new Map<string, LedgerRow>();
  const problems: string[] = [];
  for (const row of rows) {
    if (known.has(row.id)) problems.push(`${row.id} stands twice`);
    known.set(row.id, row);
    problems.push(...problemsOf(row, tests, exists));
  }
  for (const id of required) if (!known.has(id)) problems.push(`${id} has no row`);
  const ids = new Set(required);
  for (const id of known.keys()) if (!ids.has(id)) problems.push(`${id} is no requirement of the specification`);
  for (const [id, files] of tests) {
    const status = known.get(id)?.status;
    if (status === undefined) problems.push(`${id} is no requirement of the ledger; ${files.join(', ')} names it`);
    else if (status !== 'tested') problems.push(`${id} is ${status}, but ${files.join(', ')} tests it${mend}`);
  }
  return problems;
}

/**
 * Answers the rows with `tested` and its files wherever a test names the id. What else a row says is kept for rows
 * without a test.
 */
export function withTests(rows: readonly LedgerRow[], tests: TaggedTests): readonly LedgerRow[] {
  return rows.map((row) => {
    const where = tests.get(row.id);
    if (where === undefined) return row;
    const { id, role, level, rule } = row;
    return { id, role, level, rule, status: 'tested', where };
  });
}

/** The tests that say nothing of a role by themselves: they hold its peer, and play the role. */
const otherSides: ReadonlyMap<LedgerRow['role'], string> = new Map([
  ['server', 'packages/client/'],
  ['client', 'packages/server/'],
]);

const mend = '; npm run ledger -- --write records that';

function problemsOf(row: LedgerRow, tests: TaggedTests, exists: (file: string) => boolean): readonly string[] {
  const { id, status, where = [], why = '' } = row;
  const problems: string[] = [];
  if (status === 'tested') {
    if (where.length === 0) problems.push(`${id} is tested, but names no test file${mend}`);
    for (const file of where) {
      if (tests.get(id)?.includes(file) !== true)
        problems.push(`${id} is tested in ${file}, which does not name it${mend}`);
    }
    const other = otherSides.get(row.role);
    if (other !== undefined && where.length > 0 && where.every((file) => file.startsWith(other)))
      problems.push(`${id} binds a ${row.role}, but only ${other} tests it`);
    return problems;
  }
  if (why === '') problems.push(`${id} is ${status}, but does not say why`);
  if (isUntested(row)) problems.push(`${id} shows on the wire, but no test names it`);
  if (status === 'by construction') {
    if (where.length === 0) problems.push(`${id} is ${status}, but names no file`);
    for (const file of where) if (!exists(file)) problems.push(`${id} is ${status} in ${file}, which does not exist`);
  }
  return problems;
}
