import type { StatementSync } from 'node:sqlite';
import { assertKnownOptions } from '@switchyard/protocol';
import { assertAppendable, appendLogLimitOptions, defaultAppendLogLimits, sequenceConflict } from '../append-log.ts';
import type { AppendLog, AppendLogLimits, LogReadOptions, LogRecord, LoggedRecord } from '../append-log.ts';
import { assertStorableName } from '../assert-storable.ts';
import { StoreError } from '../store-error.ts';
import { toLimits } from '../to-limits.ts';
import { assertFileOptions, openDatabase, sqliteFileOptions } from './open-database.ts';
import type { Durability, SqliteFileOptions, SqliteSchema } from './open-database.ts';
import type { OpenedDatabase } from './opened-database.ts';
import { isBusy } from './sqlite-failure.ts';

const schema: SqliteSchema = {
  what: 'log',
  inMemory: 'createMemoryAppendLog',
  applicationId: 0x53_77_4c_67,
  migrations: [
    `
    CREATE TABLE stream (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE record (
      position INTEGER PRIMARY KEY,
      stream INTEGER NOT NULL REFERENCES stream (id),
      sequence INTEGER NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX record_order ON record (stream, sequence);
    CREATE TRIGGER record_is_final BEFORE UPDATE ON record BEGIN SELECT raise(ABORT, 'the log is append-only'); END;
    CREATE TRIGGER record_stays BEFORE DELETE ON record BEGIN SELECT raise(ABORT, 'the log is append-only'); END;
    `,
  ],
};

/** Most appends in one transaction; with more waiting, the event loop runs in between. */
const MAX_BATCH = 1000;
/** A page of `read` ends at whichever comes first. */
const PAGE_RECORDS = 256;
const PAGE_CHARS = 1024 * 1024;

const RECORD_OF_LOG = 'SELECT position, sequence, text, name FROM record JOIN stream ON stream.id = record.stream';
// Within a stream the sequence has the order of the position and is what the index can seek.
const RECORD_OF_STREAM = `SELECT position, sequence, text, name
  FROM stream JOIN record INDEXED BY record_order ON record.stream = stream.id`;

/**
 * The statement that reads the next page: of positions from `:first` to `:last`, after the sequence `:sequence` of a
 * stream.
 */
function pageStatement({ stream, newestFirst = false }: LogReadOptions): string {
  const [direction, beyond] = newestFirst ? ['DESC', '<'] : ['ASC', '>'];
  const range = 'position BETWEEN :first AND :last';
  return stream === undefined
    ? `${RECORD_OF_LOG} WHERE ${range} ORDER BY position ${direction} LIMIT ${PAGE_RECORDS}`
    : `${RECORD_OF_STREAM} WHERE ${range} AND name = :stream AND sequence ${beyond} :sequence
       ORDER BY sequence ${direction} LIMIT ${PAGE_RECORDS}`;
}

interface PendingAppend {
  readonly records: readonly LogRecord[];
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
}

/** A stream within one transaction. `id` is undefined until its first record is written. */
interface Head {
  id: number | undefined;
  last: number;
}

/** Checks that an append continues its streams and moves their heads; on a conflict leaves them where they were. */
function advance(records: readonly LogRecord[], headOf: (stream: string) => Head): StoreError | undefined {
  for (const [index, { stream, sequence }] of records.entries()) {
    const head = headOf(stream);
    if (sequence !== head.last + 1) {
      for (const moved of records.slice(0, index)) headOf(moved.stream).last -= 1;
      return sequenceConflict(sequence, head.last);
    }
    head.last = sequence;
  }
  return undefined;
}

class SqliteAppendLog implements AppendLog {
  readonly #opened: OpenedDatabase;
  readonly #limits: Required<AppendLogLimits>;
  readonly #insert: StatementSync;
  readonly #addStream: StatementSync;
  readonly #findStream: StatementSync;
  readonly #lastSequence: StatementSync;
  readonly #lastRecord: StatementSync;
  readonly #count: StatementSync;
  readonly #end: StatementSync;
  #pending: PendingAppend[] = [];
  #flushing: Promise<void> | undefined;

  constructor(opened: OpenedDatabase, limits: Required<AppendLogLimits>) {
    const { database } = opened;
    this.#opened = opened;
    this.#limits = limits;
    this.#insert = database.prepare('INSERT INTO record (stream, sequence, text) VALUES (?, ?, ?)');
    this.#addStream = database.prepare('INSERT INTO stream (name) VALUES (?)');
    this.#findStream = database.prepare('SELECT id FROM stream WHERE name = ?');
    this.#lastSequence = database.prepare(
      'SELECT sequence FROM record WHERE stream = ? ORDER BY sequence DESC LIMIT 1',
    );
    this.#lastRecord = database.prepare(
      `SELECT position, sequence, text FROM record
       WHERE stream = (SELECT id FROM stream WHERE name = ?) ORDER BY sequence DESC LIMIT 1`,
    );
    this.#count = database.prepare('SELECT count(*) AS size FROM record');
    this.#end = database.prepare('SELECT max(position) AS position FROM record');
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    this.#opened.assertOpen();
    assertAppendable(records, this.#limits);
    if (records.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#pending.push({ records, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /**
   * Writes what is pending until nothing is; the calls of one turn of the event loop share a transaction. Never
   * rejects.
   */
  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      await nextTurn();
      let batch: readonly PendingAppend[] = [];
      try {
        const outcomes = await this.#opened.transact(() => {
          batch = this.#pending.slice(0, MAX_BATCH);
          return this.#write(batch);
        });
        this.#pending.splice(0, batch.length);
        for (const [index, { resolve, reject }] of batch.entries()) {
          const conflict = outcomes[index];
          if (conflict === undefined) resolve();
          else reject(conflict);
        }
      } catch (error) {
        const failure = error as StoreError;
        // Where the lock is held from before the last of them came nobody waits for it once more, nor tries to begin
        // again.
        const failsAll = batch.length === 0 || isBusy(failure.cause);
        const failed = this.#pending.splice(0, failsAll ? this.#pending.length : batch.length);
        for (const { reject } of failed) reject(failure);
      }
    }
    this.#flushing = undefined;
  }

  /**
   * Writes a batch, within a transaction, and answers the conflict of each append, undefined for those that were
   * written.
   */
  #write(batch: readonly PendingAppend[]): (StoreError | undefined)[] {
    const heads = new Map<string, Head>();
    const headOf = (stream: string): Head => {
      let head = heads.get(stream);
      if (head === undefined) heads.set(stream, (head = this.#loadHead(stream)));
      return head;
    };
    return batch.map(({ records }) => {
      const conflict = advance(records, headOf);
      if (conflict !== undefined) return conflict;
      for (const { stream, sequence, text } of records) {
        const head = headOf(stream);
        head.id ??= Number(this.#addStream.run(stream).lastInsertRowid);
        this.#insert.run(head.id, sequence, text);
      }
      return undefined;
    });
  }

  #loadHead(stream: string): Head {
    const id = this.#findStream.get(stream)?.['id'];
    if (typeof id !== 'number') return { id: undefined, last: 0 };
    const last = this.#lastSequence.get(id)?.['sequence'];
    return { id, last: typeof last === 'number' ? last : 0 };
  }

  async *read(options: LogReadOptions = {}): AsyncGenerator<LoggedRecord, undefined> {
    const { after = 0, limit = Infinity, stream, newestFirst = false } = options;
    const end = await this.#opened.query(() => this.#end.get()?.['position']);
    if (typeof end !== 'number') return undefined;
    const page = this.#opened.database.prepare(pageStatement(options));
    let first = after + 1;
    let last = end;
    let sequence = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
    let left = limit;
    while (left >= 1) {
      const bounds = { first, last, ...(stream === undefined ? {} : { stream, sequence }) };
      const records = await this.#opened.query(() => takePage(page.iterate(bounds), left));
      for (const record of records) {
        yield record;
        left -= 1;
        if (left < 1) return undefined;
        ({ sequence } = record);
        if (newestFirst) last = record.position - 1;
        else first = record.position + 1;
      }
      if (records.length === 0) return undefined;
    }
    return undefined;
  }

  async last(stream: string): Promise<LoggedRecord | undefined> {
    assertStorableName('the stream name', stream, this.#limits.maxStreamChars);
    const row = await this.#opened.query(() => this.#lastRecord.get(stream));
    return row === undefined ? undefined : toLoggedRecord({ ...row, name: stream });
  }

  async size(): Promise<number> {
    return Number(await this.#opened.query(() => this.#count.get()?.['size']));
  }

  close(): Promise<void> {
    return this.#opened.close(this.#flushing);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Takes rows up to the bounds of a page, and no more than are wanted. Leaving the loop resets the statement, so no read
 * transaction stays open.
 */
function takePage(rows: Iterable<Record<string, unknown>>, wanted: number): LoggedRecord[] {
  const records: LoggedRecord[] = [];
  let chars = 0;
  for (const row of rows) {
    const record = toLoggedRecord(row);
    records.push(record);
    chars += record.text.length;
    if (chars >= PAGE_CHARS || records.length >= wanted) break;
  }
  return records;
}

function toLoggedRecord({ name, sequence, text, position }: Record<string, unknown>): LoggedRecord {
  if (
    typeof name !== 'string' ||
    typeof sequence !== 'number' ||
    typeof text !== 'string' ||
    typeof position !== 'number'
  ) {
    throw new StoreError('corrupt', 'the log holds a row that is no record');
  }
  return { stream: name, sequence, text, position };
}

/**
 * Opens the append log in a SQLite file, which is made where missing (mode 0600, its folder 0700).
 *
 * Appends of one turn of the event loop share a transaction, and so one flush to the disk with the durability `disk`
 * (default `process`). Several processes may open the same file.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (no database, or not a log) or `newer-schema`, and with TypeError
 * when an option is unknown or invalid: `path` no path, a number out of range.
 */
export async function openSqliteAppendLog(
  options: SqliteFileOptions & AppendLogLimits & { readonly durability?: Durability },
): Promise<AppendLog> {
  assertFileOptions(schema, options);
  assertKnownOptions('openSqliteAppendLog', options, {
    ...sqliteFileOptions,
    ...appendLogLimitOptions,
    durability: true,
  });
  const limits = toLimits(defaultAppendLogLimits, options);
  return new SqliteAppendLog(await openDatabase({ ...options, schema }), limits);
}
