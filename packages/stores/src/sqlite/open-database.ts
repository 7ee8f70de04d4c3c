import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type KnownOptions, toMilliseconds } from '@switchyard/protocol';
import { StoreError } from '../store-error.ts';
import { OpenedDatabase } from './opened-database.ts';
import { preparePrivateFile } from './private-file.ts';
import { toStoreError } from './sqlite-failure.ts';
import { BUSY_ATTEMPT_MS, DEFAULT_BUSY_TIMEOUT_MS, whenFree } from './when-free.ts';

/**
 * What survives when a commit has resolved: with `process` the sudden end of the process (kill -9), with `disk` also
 * the loss of power, at the price of a flush to the disk for each commit.
 */
export type Durability = 'process' | 'disk';

function assertDurability(given: unknown): void {
  if (given === 'process' || given === 'disk') return;
  throw new TypeError(`durability must be 'process' or 'disk', not ${JSON.stringify(given)}`);
}

/** Where a SQLite store is and how it is opened. */
export interface SqliteFileOptions {
  /**
   * The database file. A relative path counts from the working directory. Must not be on a network file system.
   * `:memory:` and `file:` URLs are refused: what is kept in memory only is another store.
   */
  readonly path: string;
  /** Default true. False refuses a missing file with `unavailable` instead of making it. */
  readonly create?: boolean;
  /** How long a call waits at most while another process writes, before it fails with `unavailable`. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

export const sqliteFileOptions: KnownOptions<SqliteFileOptions> = { path: true, create: true, busyTimeoutMs: true };

/** The kind of store that a file holds. */
export interface SqliteSchema {
  /** What the file is called in messages. */
  readonly what: string;
  /** The function that makes such a store in memory. */
  readonly inMemory: string;
  /** Written as `application_id`, so that no store opens the file of another kind or another program. */
  readonly applicationId: number;
  /**
   * The statements that lead from version n to n + 1, oldest first; the version is `user_version`. Only ever appended
   * to.
   */
  readonly migrations: readonly string[];
}

/**
 * Refuses options that name no file.
 *
 * @throws TypeError that shows how they are given.
 */
export function assertFileOptions(schema: SqliteSchema, options: SqliteFileOptions): void {
  const { what } = schema;
  const given: unknown = options;
  const path = typeof given === 'object' && given !== null ? (given as { readonly path?: unknown }).path : undefined;
  if (typeof path === 'string' && path !== '') return assertFilePath(schema, path);
  throw new TypeError(
    `a ${what} in SQLite is opened with options that name its file: { path: ${JSON.stringify(typeof given === 'string' ? given : `./${what.replace(' ', '-')}.db`)} }`,
  );
}

function readNumber(database: DatabaseSync, sql: string): number {
  const value = Object.values(database.prepare(sql).get() ?? {})[0];
  return typeof value === 'number' ? value : 0;
}

/** What SQLite itself would not open as a file of that name: it would make one whose name surprises. */
function assertFilePath({ what, inMemory }: SqliteSchema, path: string): void {
  if (path === ':memory:') {
    throw new TypeError(`a ${what} in SQLite is a file; one in memory is made with ${inMemory}()`);
  }
  if (/^file:/i.test(path))
    throw new TypeError(
      `path must be a path and no URL, such as ./${what.replace(' ', '-')}.db, not ${JSON.stringify(path)}`,
    );
}

/** Answers the file's schema version; refuses a file of another kind and one of a newer version. Writes nothing. */
function checkedVersion(database: DatabaseSync, path: string, schema: SqliteSchema): number {
  const applicationId = readNumber(database, 'PRAGMA application_id');
  const version = readNumber(database, 'PRAGMA user_version');
  const isEmpty = applicationId === 0 && readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (isEmpty && version === 0) return 0;
  if (applicationId !== schema.applicationId) {
    throw new StoreError('corrupt', `${path} is not a ${schema.what} but another kind of database: name another file`);
  }
  if (version > schema.migrations.length) {
    throw new StoreError(
      'newer-schema',
      `${path} has schema version ${version}, and this version of the software knows ${schema.migrations.length} at most: ` +
        'upgrade the software or name another file',
    );
  }
  return version;
}

function migrate(database: DatabaseSync, path: string, schema: SqliteSchema): void {
  if (checkedVersion(database, path, schema) === schema.migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have made the same steps in between.
    const version = checkedVersion(database, path, schema);
    for (const statements of schema.migrations.slice(version)) database.exec(statements);
    database.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.migrations.length}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function configure(database: DatabaseSync, path: string, durability: Durability): void {
  const journal = database.prepare('PRAGMA journal_mode = WAL').get();
  if (journal?.['journal_mode'] !== 'wal') {
    throw new StoreError('unavailable', `${path} cannot use a write-ahead log here: put it on a local file system`);
  }
  database.exec(`
    PRAGMA synchronous = ${durability === 'disk' ? 'FULL' : 'NORMAL'};
    PRAGMA journal_size_limit = 67108864;
    PRAGMA trusted_schema = OFF;
  `);
}

/**
 * Opens the SQLite database of a store, in WAL mode, with its schema brought up to date; makes the file and its folder
 * where they are missing, readable by their owner only.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (no database, or another kind) or `newer-schema`, and with TypeError
 * for an invalid option.
 */
export async function openDatabase(
  options: SqliteFileOptions & { readonly durability?: Durability; readonly schema: SqliteSchema },
): Promise<OpenedDatabase> {
  const { create = true, durability = 'process', schema } = options;
  const busyTimeoutMs = toMilliseconds('busyTimeoutMs', options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS, 0);
  assertDurability(durability);
  // Absolute, so that SQLite cannot read a name such as `file:…?mode=memory` as a URI.
  const path = resolve(options.path);
  let database: DatabaseSync | undefined;
  try {
    preparePrivateFile(path, { create });
    const opened = new DatabaseSync(path);
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${BUSY_ATTEMPT_MS}`);
    await whenFree(() => {
      // Before the journal mode, which writes to the file: a foreign file must stay as it is.
      checkedVersion(opened, path, schema);
      configure(opened, path, durability);
      migrate(opened, path, schema);
    }, busyTimeoutMs);
    return new OpenedDatabase({ database: opened, path, what: schema.what, busyTimeoutMs });
  } catch (error) {
    database?.close();
    throw toStoreError(error, `cannot open the ${schema.what} ${path}`);
  }
}
