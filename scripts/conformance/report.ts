import { describeKnownFailure, type KnownFailure } from './known-failures.ts';
import type { Finding, Tally } from './tally.ts';

const headings = ['role', 'revision', 'scenario', 'passed', 'failed'];
const labels: { readonly [kind in Finding['kind']]: string } = {
  failed: 'FAILED',
  known: 'known ',
  warned: 'warned',
};

/** Answers the table of a run, then one line for each finding and each entry of the known failures. */
export function formatTally({ rows, stale }: Tally, knownFailures: readonly KnownFailure[]): string {
  const cells = rows.map(({ role, revision, name, passed, failed }) => [
    role,
    revision,
    name,
    String(passed),
    String(failed),
  ]);
  const lines = alignColumns([headings, ...cells]);
  const findings = rows.flatMap((row) => [
    ...row.findings.map(
      ({ kind, check, message }) => `${labels[kind]} ${row.role} ${row.revision} ${row.name}: ${check}: ${message}`,
    ),
    ...(row.clientOutput === undefined ? [] : [`  standard error of the client:\n${row.clientOutput}`]),
  ]);
  const known = knownFailures.map((entry) => `known failure ${describeKnownFailure(entry)}: ${entry.reason}`);
  const leftover = stale.map((sentence) => `FAILED known failure ${sentence}`);
  return [lines, findings, known, leftover]
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
}
