import type { KeyRange } from '../key-order.ts';
import { INDEXED_KEY_CHARS } from './record-tables.ts';

/** A statement and its values. */
export interface Statement {
  /** The same name has the same text. Undefined where the best plan depends on the values. */
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a put writes. */
export interface WrittenRecord {
  readonly digest: Uint8Array;
  readonly key: string;
  readonly value: string;
  readonly version: string;
  readonly chars: number;
  /** `keep` leaves the expiry, null takes it away, a number is how many milliseconds from now. */
  readonly lifetimeMs: number | null | 'keep';
}

/** The largest total that a store may have. */
export interface MostStored {
  readonly maxRecords: number;
  readonly maxTotalChars: number;
}

/** The statements of a record store, each of which is one atomic change. */
export interface RecordStatements {
  find(digest: Uint8Array): Statement;
  /** Writes a record that is absent or has expired, where there is room; answers a row if it did. */
  create(record: WrittenRecord, most: MostStored): Statement;
  /** Replaces the version `expected` of a record that is alive, where there is room; answers a row if it did. */
  replace(record: WrittenRecord, expected: string, most: MostStored): Statement;
  remove(digest: Uint8Array, expected: string | undefined): Statement;
  /** Drops up to `limit` records that expired; answers a row for each. */
  sweep(limit: number): Statement;
  /**
   * The version and `chars` of the record, where it is alive, and the `records` and `total` characters of the store.
   */
  survey(digest: Uint8Array): Statement;
  /** The `records` and `total` characters of the store. */
  total(): Statement;
  keys(range: KeyRange, limit: number): Statement;
}

/** The statements for a quoted schema. `epochNow` replaces the clock of the server. */
export function createRecordStatements(schema: string, epochNow: (() => number) | undefined): RecordStatements {
  const record = `${schema}.record`;
  const total = `(SELECT sum(records) AS records, sum(chars) AS chars FROM ${schema}.record_total)`;
  // $1 in every statement. The time of the statement, other than that of the clock, lets the planner use the index.
  const time = 'coalesce($1::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)';
  const alive = `(r.expires_at IS NULL OR r.expires_at > ${time})`;

  function statement(name: string | undefined, text: string, ...values: readonly unknown[]): Statement {
    return { name, text, values: [epochNow?.() ?? null, ...values] };
  }

  function expiryValues({ lifetimeMs }: WrittenRecord): readonly unknown[] {
    return lifetimeMs === 'keep' ? [true, null] : [false, lifetimeMs];
  }

  return {
    find: (digest) =>
      statement('find', `SELECT value, version FROM ${record} AS r WHERE digest = $2 AND ${alive}`, digest),
    create: (written, { maxRecords, maxTotalChars }) =>
      statement(
        'create',
        `INSERT INTO ${record} AS r (digest, key, value, version, chars, expires_at)
         SELECT $2::bytea, $3::text, $4::text, $5::text, $6::integer, CASE WHEN $7::boolean THEN NULL ELSE ${time} + $8::bigint END
         FROM ${total} AS total WHERE total.records < $9::bigint AND total.chars + $6::integer <= $10::bigint
         ON CONFLICT (digest) DO UPDATE SET
           value = excluded.value, version = excluded.version, chars = excluded.chars, expires_at = excluded.expires_at
           WHERE r.expires_at <= ${time}
         RETURNING 1 AS written`,
        written.digest,
        written.key,
        written.value,
        written.version,
        written.chars,
        ...expiryValues(written),
        maxRecords,
        maxTotalChars,
      ),
    replace: (written, expected, { maxTotalChars }) =>
      statement(
        'replace',
        `UPDATE ${record} AS r SET value = $3, version = $4, chars = $5::integer,
           expires_at = CASE WHEN $6::boolean THEN r.expires_at ELSE ${time} + $7::bigint END
         WHERE digest = $2 AND version = $8 AND ${alive} AND ($5::integer <= r.chars
           OR (SELECT chars FROM ${total} AS total) + $5::integer - r.chars <= $9::bigint)
         RETURNING 1 AS written`,
        written.digest,
        written.value,
        written.version,
        written.chars,
        ...expiryValues(written),
        expected,
        maxTotalChars,
      ),
    remove: (digest, expected) =>
      statement(
        'remove',
        `DELETE FROM ${record} AS r WHERE digest = $2 AND ${alive} AND ($3::text IS NULL OR version = $3)
         RETURNING 1 AS removed`,
        digest,
        expected ?? null,
      ),
    sweep: (limit) =>
      statement(
        'sweep',
        `DELETE FROM ${record} WHERE digest = ANY (ARRAY(
           SELECT digest FROM ${record} WHERE expires_at <= ${time} ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING 1 AS removed`,
        limit,
      ),
    survey: (digest) =>
      statement(
        'survey',
        `SELECT r.version, r.chars, total.records, total.chars AS total
         FROM ${total} AS total LEFT JOIN ${record} AS r ON r.digest = $2 AND ${alive}`,
        digest,
      ),
    total: () => ({ name: 'total', text: `SELECT records, chars AS total FROM ${total} AS total`, values: [] }),
    keys: ({ from, end, after }, limit) => {
      const indexed = (text: string): string => `left(${text}, ${INDEXED_KEY_CHARS})`;
      const before = end === undefined ? '' : `AND ${indexed('key')} <= ${indexed('$5::text')} AND key < $5`;
      return statement(
        undefined,
        `SELECT key FROM ${record} AS r
         WHERE ${indexed('key')} >= ${indexed('$2::text')} AND key >= $2 ${before} AND key <> $3 AND ${alive}
         ORDER BY ${indexed('key')}, key LIMIT $4`,
        from,
        after,
        limit,
        ...(end === undefined ? [] : [end]),
      );
    },
  };
}
