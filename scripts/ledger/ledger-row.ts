/** How a requirement of the specification is dealt with here. */
export const statuses = ['tested', 'by construction', 'later', 'not claimed'] as const;
export type Status = (typeof statuses)[number];

/**
 * One requirement of revision 2026-07-28, or of an older one that is spoken as well: one line of
 * `docs/conformance/ledger.jsonl`.
 */
export interface LedgerRow {
  /** Area and number, such as `HTTP-01`; test names hold it in brackets. */
  readonly id: string;
  /** Whom it binds; `AS` is an authorization server. */
  readonly role: 'server' | 'client' | 'both' | 'AS';
  /** The keyword of BCP 14. */
  readonly level: 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY';
  /** What it is about, in a few words; the specification says what it asks. */
  readonly rule: string;
  readonly status: Status;
  /**
   * Files: of `tested` the test files whose test names hold the id, of `by construction` the sources that make it so.
   */
  readonly where?: readonly string[];
  /** Of every status but `tested`: how the sources make it so, what it waits for, or why it is not claimed. */
  readonly why?: string;
  /**
   * `false` where no message of ours shows whether it is kept; `why` says so. A row without it has to be tested, unless
   * it binds an authorization server.
   */
  readonly observable?: false;
}

const known = {
  role: new Set<unknown>(['server', 'client', 'both', 'AS']),
  level: new Set<unknown>(['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY']),
  status: new Set<unknown>(statuses),
};

/** Reads the ledger. Throws an error that names the line for one that is no row. */
export function parseLedger(text: string): readonly LedgerRow[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const row = JSON.parse(line) as { readonly [member in keyof LedgerRow]?: unknown };
      const isRow =
        typeof row.id === 'string' &&
        /^[A-Z]+-\d\d$/.test(row.id) &&
        known.role.has(row.role) &&
        known.level.has(row.level) &&
        typeof row.rule === 'string' &&
        known.status.has(row.status) &&
        (row.where === undefined || isTexts(row.where)) &&
        (row.why === undefined || typeof row.why === 'string') &&
        (row.observable === undefined || row.observable === false);
      if (!isRow) throw new Error(`line ${index + 1} of the ledger is no row: ${line}`);
      return row as LedgerRow;
    });
}

/** Answers the ledger as it is stored: one row a line. */
export function formatLedger(rows: readonly LedgerRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Answers whether a requirement of ours shows in our messages and no test says that it is kept. */
export function isUntested({ role, status, observable }: LedgerRow): boolean {
  return role !== 'AS' && status !== 'tested' && observable !== false;
}

/** The area of a requirement, such as `HTTP`. */
export function areaOf({ id }: Pick<LedgerRow, 'id'>): string {
  return id.slice(0, id.lastIndexOf('-'));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
