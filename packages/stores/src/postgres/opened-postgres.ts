import { Socket } from 'node:net';
import { type KnownOptions, toLimit, toMilliseconds } from '@switchyard/protocol';
import { escapeIdentifier, Pool } from 'pg';
import type { ClientBase } from 'pg';
import { AcceptedCalls } from '../accepted-calls.ts';
import { serverAddress } from '../server-address.ts';
import { isRolledBack, toStoreError } from './postgres-failure.ts';

/** Which PostgreSQL database holds a store, and how it is reached. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:5432/database`, with `?host=/var/run/postgresql` for a socket. Messages show host,
   * port and database of it only. A pool in front of the server must keep sessions, not only transactions.
   */
  readonly url: string;
  /**
   * The PostgreSQL schema for the tables, made where missing; stores of one kind in one schema share what they hold.
   * Default `switchyard`.
   */
  readonly schema?: string;
  /** Most connections at once; further calls wait. Default 10. */
  readonly maxConnections?: number;
  /** How long a call waits at most for a connection, before it fails with `unavailable`. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** How long a statement waits at most for the server, before it fails with `unavailable`. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

export const postgresOptions: KnownOptions<PostgresOptions> = {
  url: true,
  schema: true,
  maxConnections: true,
  connectTimeoutMs: true,
  commandTimeoutMs: true,
};

const DEFAULT_TIMEOUT_MS = 5000;
const ATTEMPTS = 3;

/** One row of an answer. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** What runs statements. */
export interface PostgresSession {
  /** The rows of one statement. Rejects with StoreError. */
  query(text: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>;
}

/**
 * A pool of connections to one database until it is closed. It connects when a statement needs it, so a server that
 * comes back is found by the next call. Every method rejects with StoreError only, whose `cause` is the driver's error.
 */
export class OpenedPostgres implements PostgresSession {
  /** The store's calls; `close` waits for them. */
  readonly calls: AcceptedCalls;
  readonly schemaName: string;
  /** The name of the schema, quoted for a statement. */
  readonly schema: string;
  readonly #address: string;
  readonly #pool: Pool;
  readonly #sockets = new Set<Socket>();

  /**
   * `what` is what the store is called in messages. Connects to nothing yet.
   *
   * @throws TypeError for a URL that is none and a number out of range.
   */
  constructor(options: PostgresOptions, what: string) {
    const { url, schema = 'switchyard' } = options;
    const maxConnections = toLimit('maxConnections', options.maxConnections ?? 10, 1);
    const connectTimeoutMs = toMilliseconds('connectTimeoutMs', options.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS, 1);
    const commandTimeoutMs = toMilliseconds('commandTimeoutMs', options.commandTimeoutMs ?? DEFAULT_TIMEOUT_MS, 1);
    this.#address = serverAddress(url, {
      server: 'PostgreSQL',
      protocols: ['postgres:', 'postgresql:'],
      example: 'postgres://user:password@host:5432/database',
    });
    this.calls = new AcceptedCalls(`the ${what}`);
    this.schemaName = schema;
    this.schema = escapeIdentifier(schema);
    // The changes rely on a statement seeing what others have committed while it waited for their locks. The server
    // gives a statement up as we do, so that none that nobody waits for holds a lock.
    const settings = `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
      SET statement_timeout = ${Math.ceil(commandTimeoutMs)}`;
    this.#pool = new Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: commandTimeoutMs,
      stream: () => this.#makeSocket(),
      // The pool waits for the promise, which its types do not say.
      onConnect: (client: ClientBase): unknown => {
        // A statement that runs hears of a break itself; one between two statements of a transaction would end the
        // process.
        client.on('error', () => {});
        return client.query(settings);
      },
    });
    // An idle connection that breaks is dropped from the pool; the next statement makes another.
    this.#pool.on('error', () => {});
  }

  /**
   * The rows of one statement. With a `name`, which then always has the same text, each connection prepares it once.
   */
  async query(text: string, values: readonly unknown[] = [], name?: string): Promise<readonly PostgresRow[]> {
    const statement = { text, values: [...values], ...(name === undefined ? {} : { name }) };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.#pool.query<Record<string, unknown>>(statement)).rows;
      } catch (error) {
        if (!isRolledBack(error) || attempt === ATTEMPTS) throw this.#toStoreError(error);
      }
    }
  }

  /** Runs `change` on one connection in a transaction; rolls back when it throws. */
  async transact<T>(change: (session: PostgresSession) => Promise<T>): Promise<T> {
    let client;
    try {
      client = await this.#pool.connect();
      await client.query('BEGIN');
      const connected = client;
      const result = await change({
        query: async (text, values = []) => (await connected.query<Record<string, unknown>>(text, [...values])).rows,
      });
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Ends the connection, and so the transaction with it.
      client?.release(true);
      throw this.#toStoreError(error);
    }
  }

  /** Refuses new calls, waits for those under way, then closes the connections. A second call is the same call. */
  close(): Promise<void> {
    return this.calls.close(async () => {
      await this.#pool.end();
      // A server that is gone never confirms the end of a connection.
      for (const socket of this.#sockets) socket.destroySoon();
    });
  }

  #makeSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #toStoreError(error: unknown): Error {
    return toStoreError(error, `cannot use the PostgreSQL server at ${this.#address}`);
  }
}
