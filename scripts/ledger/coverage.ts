import { areaOf, type LedgerRow, type Status, statuses } from './ledger-row.ts';

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

/** Answers the coverage as a table for a person, with a line for all areas at its end. */
export function formatCoverage(rows: readonly LedgerRow[]): string {
  const lines = [...coverageOf(rows), { area: 'all', rows: rows.length, counts: countsOf(rows) }];
  const lineOf = (area: string, cells: readonly (number | string)[]): string =>
    area.padEnd(8) + cells.map((cell) => `${cell}`.padStart(16)).join('');
  const head = lineOf('area', ['rows', ...statuses]);
  const body = lines.map(({ area, rows: count, counts }) =>
    lineOf(area, [count].concat(statuses.map((status) => counts[status]))),
  );
  return [head, ...body].join('\n');
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
