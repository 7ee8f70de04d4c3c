import { createHash, randomUUID } from 'node:crypto';
import { assertKnownOptions } from '@switchyard/protocol';
import { assertStorableName } from '../assert-storable.ts';
import { type ClockOptions, clockOptions, toClock } from '../clock.ts';
import { lifetimeOf } from '../expiry.ts';
import { rangeOfPrefix } from '../key-order.ts';
import {
  assertRecord,
  databaseRecordLimits,
  fitsLimits,
  fullnessOf,
  isVersion,
  pageLimit,
  recordLimitOptions,
  storeIsFull,
  SWEEP_RECORDS,
} from '../record-store.ts';
import type { RecordKeysOptions, RecordLimits, RecordPutOptions, RecordStore, StoredValue } from '../record-store.ts';
import { StoreError } from '../store-error.ts';
import { toLimits } from '../to-limits.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { OpenedPostgres, postgresOptions } from './opened-postgres.ts';
import type { PostgresOptions, PostgresRow } from './opened-postgres.ts';
import { createRecordStatements } from './record-statements.ts';
import type { RecordStatements, Statement, WrittenRecord } from './record-statements.ts';
import { recordTables } from './record-tables.ts';

/** A handle sweeps with every so many of its puts, and then so many times more records than it has written. */
const PUTS_PER_SWEEP = 32;
const SWEEP_LIMIT = PUTS_PER_SWEEP * SWEEP_RECORDS;
const PUT_ATTEMPTS = 20;

function digestOf(key: string): Uint8Array {
  return createHash('sha256').update(key).digest();
}

class PostgresRecordStore implements RecordStore {
  readonly #opened: OpenedPostgres;
  readonly #limits: Required<RecordLimits>;
  readonly #statements: RecordStatements;
  #puts = 0;

  constructor(opened: OpenedPostgres, limits: Required<RecordLimits>, epochNow: (() => number) | undefined) {
    this.#opened = opened;
    this.#limits = limits;
    this.#statements = createRecordStatements(opened.schema, epochNow);
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertCall(key);
    const [row] = await this.#call(() => this.#run(this.#statements.find(digestOf(key))));
    return row === undefined ? undefined : { value: String(row['value']), version: String(row['version']) };
  }

  async put(key: string, value: string, { expected, ttlMs }: RecordPutOptions): Promise<string | undefined> {
    this.#opened.calls.assertOpen();
    assertRecord(key, value, this.#limits);
    if (expected !== undefined && !isVersion(expected)) return undefined;
    const written: WrittenRecord = {
      digest: digestOf(key),
      key,
      value,
      version: randomUUID(),
      chars: key.length + value.length,
      lifetimeMs: lifetimeOf(ttlMs),
    };
    return await this.#call(() => this.#write(written, expected));
  }

  async delete(key: string, { expected }: { readonly expected?: string } = {}): Promise<boolean> {
    this.#assertCall(key);
    if (expected !== undefined && !isVersion(expected)) return false;
    const removed = await this.#call(() => this.#run(this.#statements.remove(digestOf(key), expected)));
    return removed.length > 0;
  }

  async keys(prefix: string, options: RecordKeysOptions = {}): Promise<readonly string[]> {
    this.#opened.calls.assertOpen();
    const limit = pageLimit(prefix, options, this.#limits);
    const range = rangeOfPrefix(prefix, options.after);
    const rows = await this.#call(() => this.#run(this.#statements.keys(range, limit)));
    return rows.map((row) => String(row['key']));
  }

  async fullness(): Promise<number> {
    this.#opened.calls.assertOpen();
    const [found] = await this.#call(() => this.#run(this.#statements.total()));
    return fullnessOf({ records: Number(found?.['records']), chars: Number(found?.['total']) }, this.#limits);
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertCall(key: string): void {
    this.#opened.calls.assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    return this.#opened.calls.run(call);
  }

  #run({ name, text, values }: Statement): Promise<readonly PostgresRow[]> {
    return this.#opened.query(text, values, name);
  }

  async #write(written: WrittenRecord, expected: string | undefined): Promise<string | undefined> {
    this.#puts += 1;
    if (this.#puts % PUTS_PER_SWEEP === 0) await this.#run(this.#statements.sweep(SWEEP_LIMIT));
    for (let attempt = 0; attempt < PUT_ATTEMPTS; attempt += 1) {
      const rows = await this.#run(
        expected === undefined
          ? this.#statements.create(written, this.#limits)
          : this.#statements.replace(written, expected, this.#limits),
      );
      if (rows.length > 0) return written.version;
      // Not written: the record is another one, or there was no room, or both changed in between.
      const [found] = await this.#run(this.#statements.survey(written.digest));
      if ((found?.['version'] ?? undefined) !== expected) return undefined;
      const total = { records: Number(found?.['records']), chars: Number(found?.['total']) };
      const chars = written.chars - Number(found?.['chars'] ?? 0);
      if (fitsLimits(total, { records: expected === undefined ? 1 : 0, chars }, this.#limits)) continue;
      const swept = await this.#run(this.#statements.sweep(SWEEP_LIMIT));
      if (swept.length === 0) throw storeIsFull(this.#limits);
    }
    throw new StoreError('unavailable', 'the record could not be written, so often did it change; try again');
  }
}

/**
 * Opens the record store in a PostgreSQL database (12 or newer, encoding UTF8), whose tables are made where missing,
 * for any number of processes on any number of machines.
 *
 * Durability is the server's: with its defaults a change that has resolved survives a crash of the server; with
 * `synchronous_commit = off`, or a failover to a replica that is not synchronous, the last changes may be lost. Expiry
 * follows the clock of the server, which `epochNow` (milliseconds since the epoch) replaces, for tests. Expired records
 * are dropped by handles that write, a bounded number at a time. Changes that run at the same moment may together pass
 * `maxRecords` and `maxTotalChars` by as much as they add.
 *
 * A server that does not answer fails a call with `unavailable` after `connectTimeoutMs` and `commandTimeoutMs`, and is
 * found again by the next call once it is back.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (another program's tables have the names) or `newer-schema`, and
 * with TypeError when an option is unknown or invalid: a URL that cannot be read, a number out of range, `epochNow` no
 * function.
 */
export async function openPostgresRecordStore(
  options: PostgresOptions & RecordLimits & ClockOptions,
): Promise<RecordStore> {
  assertKnownOptions('openPostgresRecordStore', options, {
    ...postgresOptions,
    ...recordLimitOptions,
    ...clockOptions,
  });
  const limits = toLimits(databaseRecordLimits, options);
  const epochNow = toClock(options, undefined);
  const opened = new OpenedPostgres(options, 'record store');
  try {
    await migratePostgres(opened, recordTables);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return new PostgresRecordStore(opened, limits, epochNow);
}
