import { areaOf, isUntested, type LedgerRow, type Status, statuses } from './ledger-row.ts';

/** How many requirements of an area have each status. */
export interface AreaCoverage {
  readonly area: string;
  readonly rows: number;
  readonly counts: { readonly [status in Status]: number };
}

/** Answers the coverage of each area in the order of the ledger. */
export function coverageOf(rows: readonly LedgerRow[]): readonly AreaCoverage[] {
  return [...Map.groupBy(rows, areaOf)].map(([area, own]) => ({ area, rows: own.length, counts: countsOf(own) }));
}

/** How many requirements bind a role, by status. */
export interface RoleCoverage {
  readonly role: LedgerRow['role'];
  readonly rows: number;
  readonly counts: AreaCoverage['counts'];
}

/** Answers the coverage of each role. */
export function coverageOfRoles(rows: readonly LedgerRow[]): readonly RoleCoverage[] {
  return [...Map.groupBy(rows, ({ role }) => role)].map(([role, own]) => ({
    role,
    rows: own.length,
    counts: countsOf(own),
  }));
}

/** Answers the ids of the requirements of our roles that show on the wire and are not tested. */
export function untestedOf(rows: readonly LedgerRow[]): readonly string[] {
  return rows.filter(isUntested).map(({ id }) => id);
}

/**
 * Answers the coverage for a person: a table by area, with a line for all at its end, a table by role, and what shows
 * on the wire and is not tested.
 */
export function formatCoverage(rows: readonly LedgerRow[]): string {
  const areas = [...coverageOf(rows), { area: 'all', rows: rows.length, counts: countsOf(rows) }];
  const roles = coverageOfRoles(rows);
  const untested = untestedOf(rows);
  return [
    ...tableOf(
      'area',
      areas.map((each) => [each.area, each]),
    ),
    '',
    ...tableOf(
      'role',
      roles.map((each) => [each.role, each]),
    ),
    '',
    `observable on the wire and not tested: ${untested.length === 0 ? 'none' : untested.join(', ')}`,
  ].join('\n');
}

/** Answers the table by role as it stands in a document in Markdown. */
export function roleTable(rows: readonly LedgerRow[]): string {
  const heads = ['role', 'requirements', ...statuses];
  const lines = coverageOfRoles(rows).map(({ role, rows: count, counts }) =>
    [`\`${role}\``, `${count}`].concat(statuses.map((status) => `${counts[status]}`)),
  );
  const widths = heads.map((head, at) => Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [lineOf(heads), lineOf(rule), ...lines.map(lineOf)].join('\n');
}

/** Answers a document with the table by role made anew where one stands. */
export function withRoleTable(document: string, rows: readonly LedgerRow[]): string {
  return document.replace(/^\| role .*(?:\n\|.*)*/m, () => roleTable(rows));
}

function tableOf(
  head: string,
  lines: readonly (readonly [string, { readonly rows: number; readonly counts: AreaCoverage['counts'] }])[],
): readonly string[] {
  const lineOf = (name: string, cells: readonly (number | string)[]): string =>
    name.padEnd(8) + cells.map((cell) => `${cell}`.padStart(16)).join('');
  return [
    lineOf(head, ['rows', ...statuses]),
    ...lines.map(([name, { rows, counts }]) => lineOf(name, [rows, ...statuses.map((status) => counts[status])])),
  ];
}

function countsOf(rows: readonly LedgerRow[]): AreaCoverage['counts'] {
  const count = (status: Status): number => rows.filter((row) => row.status === status).length;
  return {
    tested: count('tested'),
    'by construction': count('by construction'),
    later: count('later'),
    'not claimed': count('not claimed'),
  };
}
