import type { StatementSync } from 'node:sqlite';
import { assertKnownOptions } from '@switchyard/protocol';
import { assertStorableName } from '../assert-storable.ts';
import { type ClockOptions, clockOptions, toClock } from '../clock.ts';
import { expiryOf } from '../expiry.ts';
import { assertEntry, defaultKeyValueLimits, keyValueLimitOptions } from '../key-value-store.ts';
import type { KeyValueLimits, KeyValueStore } from '../key-value-store.ts';
import { toLimits } from '../to-limits.ts';
import { assertFileOptions, openDatabase, sqliteFileOptions } from './open-database.ts';
import type { SqliteFileOptions, SqliteSchema } from './open-database.ts';
import type { OpenedDatabase } from './opened-database.ts';

// `age` grows with each set, so that the smallest is the entry that was set longest ago.
const schema: SqliteSchema = {
  what: 'key-value store',
  inMemory: 'createMemoryKeyValueStore',
  applicationId: 0x53_77_4b_76,
  migrations: [
    `
    CREATE TABLE entry (
      age INTEGER PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      value TEXT NOT NULL,
      chars INTEGER NOT NULL,
      expires_at INTEGER
    ) STRICT;
    CREATE INDEX entry_expiry ON entry (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE total (id INTEGER PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, chars INTEGER NOT NULL) STRICT;
    INSERT INTO total VALUES (1, 0, 0);
    CREATE TRIGGER entry_added AFTER INSERT ON entry
      BEGIN UPDATE total SET entries = entries + 1, chars = chars + NEW.chars; END;
    CREATE TRIGGER entry_removed AFTER DELETE ON entry
      BEGIN UPDATE total SET entries = entries - 1, chars = chars - OLD.chars; END;
    `,
  ],
};

class SqliteKeyValueStore implements KeyValueStore {
  readonly #opened: OpenedDatabase;
  readonly #limits: Required<KeyValueLimits>;
  readonly #epochNow: () => number;
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeExpired: StatementSync;
  readonly #removeOldest: StatementSync;
  readonly #isOver: StatementSync;

  constructor(opened: OpenedDatabase, limits: Required<KeyValueLimits>, epochNow: () => number) {
    const { database } = opened;
    this.#opened = opened;
    this.#limits = limits;
    this.#epochNow = epochNow;
    this.#find = database.prepare('SELECT value, expires_at FROM entry WHERE key = ?');
    this.#add = database.prepare('INSERT INTO entry (key, value, chars, expires_at) VALUES (?, ?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM entry WHERE key = ? RETURNING expires_at');
    this.#removeExpired = database.prepare('DELETE FROM entry WHERE expires_at <= ?');
    this.#removeOldest = database.prepare('DELETE FROM entry WHERE age = (SELECT min(age) FROM entry)');
    this.#isOver = database.prepare('SELECT 1 FROM total WHERE entries > ? OR chars > ?');
  }

  async get(key: string): Promise<string | undefined> {
    this.#opened.assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
    const row = await this.#opened.query(() => this.#find.get(key));
    if (row === undefined || !this.#isLive(row['expires_at'])) return undefined;
    return String(row['value']);
  }

  async set(key: string, value: string, { ttlMs }: { readonly ttlMs?: number } = {}): Promise<void> {
    this.#opened.assertOpen();
    assertEntry(key, value, this.#limits);
    const now = this.#epochNow();
    const expiresAt = expiryOf(now, ttlMs) ?? null;
    await this.#opened.transact(() => {
      this.#remove.run(key);
      if (expiresAt !== null && expiresAt <= now) return;
      this.#add.run(key, value, key.length + value.length, expiresAt);
      this.#makeRoom(now);
    });
  }

  async delete(key: string): Promise<boolean> {
    this.#opened.assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
    const row = await this.#opened.transact(() => this.#remove.get(key));
    return row !== undefined && this.#isLive(row['expires_at']);
  }

  #isLive(expiresAt: unknown): boolean {
    return typeof expiresAt !== 'number' || this.#epochNow() < expiresAt;
  }

  #makeRoom(now: number): void {
    const { maxEntries, maxTotalChars } = this.#limits;
    const isOver = (): boolean => this.#isOver.get(maxEntries, maxTotalChars) !== undefined;
    if (!isOver()) return;
    this.#removeExpired.run(now);
    while (isOver()) this.#removeOldest.run();
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens the key-value store in a SQLite file, which is made where missing (mode 0600, its folder 0700). Entries survive
 * kill -9. The clock must mean the same in each process and after a restart. Several processes may open the same file;
 * the limits of the one that sets apply.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (no database, or not a key-value store) or `newer-schema`, and with
 * TypeError when an option is unknown or invalid: `path` no path, a number out of range, `epochNow` no function.
 */
export async function openSqliteKeyValueStore(
  options: SqliteFileOptions & KeyValueLimits & ClockOptions,
): Promise<KeyValueStore> {
  assertFileOptions(schema, options);
  assertKnownOptions('openSqliteKeyValueStore', options, {
    ...sqliteFileOptions,
    ...keyValueLimitOptions,
    ...clockOptions,
  });
  const limits = toLimits(defaultKeyValueLimits, options);
  const epochNow = toClock(options, Date.now);
  const opened = await openDatabase({ ...options, durability: 'process', schema });
  return new SqliteKeyValueStore(opened, limits, epochNow);
}
