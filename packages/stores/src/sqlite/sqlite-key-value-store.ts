import type { StatementSync } from 'node:sqlite';
import { assertStorableName } from '../assert-storable.ts';
import { assertEntry, defaultKeyValueLimits, expiryOf } from '../key-value-store.ts';
import type { KeyValueLimits, KeyValueStore } from '../key-value-store.ts';
import { StoreError } from '../store-error.ts';
import { openDatabase } from './open-database.ts';
import type { OpenedDatabase, SqliteFileOptions, SqliteSchema } from './open-database.ts';
import { toStoreError } from './sqlite-failure.ts';
import { whenFree } from './when-free.ts';

// `age` grows with each set, so that the smallest is the entry that was set longest ago.
const schema: SqliteSchema = {
  what: 'key-value store',
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
  readonly #now: () => number;
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeExpired: StatementSync;
  readonly #removeOldest: StatementSync;
  readonly #isOver: StatementSync;
  #isClosed = false;

  constructor(opened: OpenedDatabase, limits: Required<KeyValueLimits>, now: () => number) {
    const { database } = opened;
    this.#opened = opened;
    this.#limits = limits;
    this.#now = now;
    this.#find = database.prepare('SELECT value, expires_at FROM entry WHERE key = ?');
    this.#add = database.prepare('INSERT INTO entry (key, value, chars, expires_at) VALUES (?, ?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM entry WHERE key = ? RETURNING expires_at');
    this.#removeExpired = database.prepare('DELETE FROM entry WHERE expires_at <= ?');
    this.#removeOldest = database.prepare('DELETE FROM entry WHERE age = (SELECT min(age) FROM entry)');
    this.#isOver = database.prepare('SELECT 1 FROM total WHERE entries > ? OR chars > ?');
  }

  async get(key: string): Promise<string | undefined> {
    this.#assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
    const row = await this.#run('read', () => this.#find.get(key));
    if (row === undefined || !this.#isLive(row['expires_at'])) return undefined;
    return String(row['value']);
  }

  async set(key: string, value: string, { ttlMs }: { readonly ttlMs?: number } = {}): Promise<void> {
    this.#assertOpen();
    assertEntry(key, value, this.#limits);
    const now = this.#now();
    const expiresAt = expiryOf(now, ttlMs) ?? null;
    await this.#write(() => {
      this.#remove.run(key);
      if (expiresAt !== null && expiresAt <= now) return;
      this.#add.run(key, value, key.length + value.length, expiresAt);
      this.#makeRoom(now);
    });
  }

  async delete(key: string): Promise<boolean> {
    this.#assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
    const row = await this.#write(() => this.#remove.get(key));
    return row !== undefined && this.#isLive(row['expires_at']);
  }

  #isLive(expiresAt: unknown): boolean {
    return typeof expiresAt !== 'number' || this.#now() < expiresAt;
  }

  #makeRoom(now: number): void {
    const { maxEntries, maxTotalChars } = this.#limits;
    const isOver = (): boolean => this.#isOver.get(maxEntries, maxTotalChars) !== undefined;
    if (!isOver()) return;
    this.#removeExpired.run(now);
    while (isOver()) this.#removeOldest.run();
  }

  /** Runs `change` in a transaction. */
  #write<T>(change: () => T): Promise<T> {
    const { database } = this.#opened;
    return this.#run('write', () => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = change();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        // SQLite has already rolled back by itself after some failures, such as a full disk.
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  async #run<T>(verb: string, attempt: () => T): Promise<T> {
    try {
      return await whenFree(() => {
        this.#assertOpen();
        return attempt();
      }, this.#opened.busyTimeoutMs);
    } catch (error) {
      throw toStoreError(error, `cannot ${verb} ${this.#opened.path}`);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'the key-value store is closed');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#opened.database.close();
    } catch (error) {
      throw toStoreError(error, `cannot close ${this.#opened.path}`);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens the key-value store in a SQLite file, which is made where missing (mode 0600, its folder 0700). Entries survive
 * kill -9. `now` is the clock in milliseconds since the epoch; it must mean the same in each process and after a
 * restart. Several processes may open the same file; the limits of the one that sets apply.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (no database, or not a key-value store) or `newer-schema`.
 */
export async function openSqliteKeyValueStore(
  options: SqliteFileOptions & KeyValueLimits & { readonly now: () => number },
): Promise<KeyValueStore> {
  const opened = await openDatabase({ ...options, durability: 'process', schema });
  return new SqliteKeyValueStore(opened, { ...defaultKeyValueLimits, ...options }, options.now);
}
