import { randomUUID } from 'node:crypto';
import type { StatementSync } from 'node:sqlite';
import { assertKnownOptions } from '@switchyard/protocol';
import { assertStorableName } from '../assert-storable.ts';
import { type ClockOptions, clockOptions, toClock } from '../clock.ts';
import { expiryOf } from '../expiry.ts';
import { rangeOfPrefix } from '../key-order.ts';
import {
  assertRecord,
  databaseRecordLimits,
  fitsLimits,
  fullnessOf,
  pageLimit,
  recordLimitOptions,
  storeIsFull,
  SWEEP_RECORDS,
} from '../record-store.ts';
import type {
  RecordKeysOptions,
  RecordLimits,
  RecordPutOptions,
  RecordStore,
  RecordTotal,
  StoredValue,
} from '../record-store.ts';
import { toLimits } from '../to-limits.ts';
import { assertFileOptions, openDatabase, sqliteFileOptions } from './open-database.ts';
import type { Durability, SqliteFileOptions, SqliteSchema } from './open-database.ts';
import type { OpenedDatabase } from './opened-database.ts';

const schema: SqliteSchema = {
  what: 'record store',
  inMemory: 'createMemoryRecordStore',
  applicationId: 0x53_77_52_73,
  migrations: [
    `
    CREATE TABLE record (
      key TEXT NOT NULL UNIQUE,
      value TEXT NOT NULL,
      version TEXT NOT NULL,
      chars INTEGER NOT NULL,
      expires_at INTEGER
    ) STRICT;
    CREATE INDEX record_expiry ON record (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE total (id INTEGER PRIMARY KEY CHECK (id = 1), records INTEGER NOT NULL, chars INTEGER NOT NULL) STRICT;
    INSERT INTO total VALUES (1, 0, 0);
    CREATE TRIGGER record_added AFTER INSERT ON record
      BEGIN UPDATE total SET records = records + 1, chars = chars + NEW.chars; END;
    CREATE TRIGGER record_removed AFTER DELETE ON record
      BEGIN UPDATE total SET records = records - 1, chars = chars - OLD.chars; END;
    `,
  ],
};

/** A row as far as a change needs it. */
interface Current {
  readonly version: string;
  readonly chars: number;
  readonly expiresAt: number | undefined;
}

class SqliteRecordStore implements RecordStore {
  readonly #opened: OpenedDatabase;
  readonly #limits: Required<RecordLimits>;
  readonly #epochNow: () => number;
  readonly #find: StatementSync;
  readonly #findCurrent: StatementSync;
  readonly #add: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeExpired: StatementSync;
  readonly #total: StatementSync;
  readonly #keysBefore: StatementSync;
  readonly #keysFrom: StatementSync;

  constructor(opened: OpenedDatabase, limits: Required<RecordLimits>, epochNow: () => number) {
    const { database } = opened;
    this.#opened = opened;
    this.#limits = limits;
    this.#epochNow = epochNow;
    const alive = '(expires_at IS NULL OR expires_at > :now)';
    this.#find = database.prepare(`SELECT value, version FROM record WHERE key = :key AND ${alive}`);
    this.#findCurrent = database.prepare(`SELECT version, chars, expires_at FROM record WHERE key = :key AND ${alive}`);
    this.#add = database.prepare('INSERT INTO record (key, value, version, chars, expires_at) VALUES (?, ?, ?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM record WHERE key = ?');
    this.#removeExpired = database.prepare(
      `DELETE FROM record WHERE rowid IN (
         SELECT rowid FROM record WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEEP_RECORDS})`,
    );
    this.#total = database.prepare('SELECT records, chars FROM total');
    const page = (end: string): StatementSync =>
      database.prepare(
        `SELECT key FROM record WHERE key >= :from ${end} AND key <> :after AND ${alive} ORDER BY key LIMIT :limit`,
      );
    this.#keysBefore = page('AND key < :end');
    this.#keysFrom = page('');
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertCall(key);
    const row = await this.#opened.query(() => this.#find.get({ key, now: this.#epochNow() }));
    return row === undefined ? undefined : { value: String(row['value']), version: String(row['version']) };
  }

  async put(key: string, value: string, { expected, ttlMs }: RecordPutOptions): Promise<string | undefined> {
    this.#opened.assertOpen();
    assertRecord(key, value, this.#limits);
    return await this.#opened.transact(() => {
      const now = this.#epochNow();
      const current = this.#current(key, now);
      if (current?.version !== expected) return undefined;
      const chars = key.length + value.length;
      this.#removeExpired.run(now);
      this.#makeRoom(now, { records: current === undefined ? 1 : 0, chars: chars - (current?.chars ?? 0) });
      const expiresAt = ttlMs === undefined ? current?.expiresAt : expiryOf(now, ttlMs);
      const version = randomUUID();
      this.#remove.run(key);
      this.#add.run(key, value, version, chars, expiresAt ?? null);
      return version;
    });
  }

  async delete(key: string, { expected }: { readonly expected?: string } = {}): Promise<boolean> {
    this.#assertCall(key);
    return await this.#opened.transact(() => {
      const current = this.#current(key, this.#epochNow());
      if (current === undefined || (expected !== undefined && current.version !== expected)) return false;
      this.#remove.run(key);
      return true;
    });
  }

  async keys(prefix: string, options: RecordKeysOptions = {}): Promise<readonly string[]> {
    this.#opened.assertOpen();
    const limit = pageLimit(prefix, options, this.#limits);
    const { from, end, after } = rangeOfPrefix(prefix, options.after);
    const rows = await this.#opened.query(() => {
      const bounds = { from, after, limit, now: this.#epochNow() };
      return end === undefined ? this.#keysFrom.all(bounds) : this.#keysBefore.all({ ...bounds, end });
    });
    return rows.map((row) => String(row['key']));
  }

  async fullness(): Promise<number> {
    return fullnessOf(await this.#opened.query(() => this.#readTotal()), this.#limits);
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertCall(key: string): void {
    this.#opened.assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
  }

  #current(key: string, now: number): Current | undefined {
    const row = this.#findCurrent.get({ key, now });
    if (row === undefined) return undefined;
    const { version, chars, expires_at: expiresAt } = row;
    return {
      version: String(version),
      chars: Number(chars),
      expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
    };
  }

  #readTotal(): RecordTotal {
    const { records, chars } = this.#total.get() ?? {};
    return { records: Number(records), chars: Number(chars) };
  }

  #makeRoom(now: number, growth: RecordTotal): void {
    while (!fitsLimits(this.#readTotal(), growth, this.#limits)) {
      if (this.#removeExpired.run(now).changes === 0) throw storeIsFull(this.#limits);
    }
  }
}

/**
 * Opens the record store in a SQLite file, which is made where missing (mode 0600, its folder 0700). A change that has
 * resolved survives kill -9; with the durability `disk` (default `process`) also the loss of power, which single-use
 * state and effects that must not happen twice deserve, at the price of a flush to the disk for each change. The clock
 * must mean the same in each process and after a restart. Several processes may open the same file.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (no database, or not a record store) or `newer-schema`, and with
 * TypeError when an option is unknown or invalid: `path` no path, a number out of range, `epochNow` no function.
 */
export async function openSqliteRecordStore(
  options: SqliteFileOptions & RecordLimits & ClockOptions & { readonly durability?: Durability },
): Promise<RecordStore> {
  assertFileOptions(schema, options);
  assertKnownOptions('openSqliteRecordStore', options, {
    ...sqliteFileOptions,
    ...recordLimitOptions,
    ...clockOptions,
    durability: true,
  });
  const limits = toLimits(databaseRecordLimits, options);
  const epochNow = toClock(options, Date.now);
  const opened = await openDatabase({ ...options, schema });
  return new SqliteRecordStore(opened, limits, epochNow);
}
