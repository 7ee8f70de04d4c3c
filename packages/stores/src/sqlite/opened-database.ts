import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreError } from '../store-error.ts';
import { toStoreError } from './sqlite-failure.ts';
import { whenFree } from './when-free.ts';

/** What is known of a database once it is open. */
export interface OpenedDatabaseInit {
  readonly database: DatabaseSync;
  /** Absolute. */
  readonly path: string;
  /** What the file is called in messages. */
  readonly what: string;
  readonly busyTimeoutMs: number;
}

/**
 * An open database whose schema is up to date, until it is closed. Every method rejects with StoreError only, whose
 * `cause` is the driver's error where there is one, and waits up to `busyTimeoutMs` for other processes.
 */
export class OpenedDatabase {
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #what: string;
  readonly #busyTimeoutMs: number;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #closing: Promise<void> | undefined;

  constructor({ database, path, what, busyTimeoutMs }: OpenedDatabaseInit) {
    this.database = database;
    this.#path = path;
    this.#what = what;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /** Throws StoreError `closed` once `close` was called. */
  assertOpen(): void {
    if (this.#closing !== undefined) throw this.#closedError();
  }

  /** Runs a reading statement. */
  async query<T>(read: () => T): Promise<T> {
    this.assertOpen();
    return await this.#attempt('read', () => {
      this.assertOpen();
      return read();
    });
  }

  /** Runs `change` in a transaction, also of what `close` still waits for; rolls back when it throws. */
  transact<T>(change: () => T): Promise<T> {
    return this.#attempt('write', () => {
      if (!this.database.isOpen) throw this.#closedError();
      this.#begin.run();
      try {
        const result = change();
        this.#commit.run();
        return result;
      } catch (error) {
        // SQLite has already rolled back by itself after some failures, such as a full disk.
        if (this.database.isTransaction) this.database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Closes the file once `written` has settled; refuses new calls at once. May be called again. */
  close(written?: Promise<void>): Promise<void> {
    this.#closing ??= this.#closeAfter(written);
    return this.#closing;
  }

  async #closeAfter(written: Promise<void> | undefined): Promise<void> {
    await written;
    try {
      this.database.close();
    } catch (error) {
      throw toStoreError(error, `cannot close ${this.#path}`);
    }
  }

  async #attempt<T>(verb: string, attempt: () => T): Promise<T> {
    try {
      return await whenFree(attempt, this.#busyTimeoutMs);
    } catch (error) {
      throw toStoreError(error, `cannot ${verb} ${this.#path}`);
    }
  }

  #closedError(): StoreError {
    return new StoreError('closed', `the ${this.#what} is closed`);
  }
}
