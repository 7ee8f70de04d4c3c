import { randomUUID } from 'node:crypto';
import { assertKnownOptions } from '@switchyard/protocol';
import { AcceptedCalls } from '../accepted-calls.ts';
import { assertStorableName } from '../assert-storable.ts';
import { type ClockOptions, clockOptions, toClock } from '../clock.ts';
import { lifetimeOf } from '../expiry.ts';
import { rangeOfPrefix } from '../key-order.ts';
import {
  assertRecord,
  databaseRecordLimits,
  fullnessOf,
  isVersion,
  pageLimit,
  recordLimitOptions,
  storeIsFull,
} from '../record-store.ts';
import type { RecordKeysOptions, RecordLimits, RecordPutOptions, RecordStore, StoredValue } from '../record-store.ts';
import { StoreError } from '../store-error.ts';
import { toLimits } from '../to-limits.ts';
import { assertKeepsRecords } from './assert-keeps-records.ts';
import { deleteScript, getScript, keysScript, putScript, recordKeys, totalScript } from './record-scripts.ts';
import type { RedisScript } from './record-scripts.ts';
import { DEFAULT_KEY_PREFIX, RedisConnection, redisOptions } from './redis-connection.ts';
import type { RedisOptions } from './redis-connection.ts';
import { isUnknownScript } from './redis-failure.ts';

class RedisRecordStore implements RecordStore {
  readonly #connection: RedisConnection;
  readonly #keys: readonly string[];
  readonly #limits: Required<RecordLimits>;
  readonly #epochNow: () => string;
  readonly #calls = new AcceptedCalls('the record store');

  constructor(
    connection: RedisConnection,
    keyPrefix: string,
    limits: Required<RecordLimits>,
    epochNow: (() => number) | undefined,
  ) {
    this.#connection = connection;
    this.#keys = recordKeys(keyPrefix);
    this.#limits = limits;
    // The scripts ask the server where they get no time.
    this.#epochNow = () => (epochNow === undefined ? '' : String(epochNow()));
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertCall(key);
    const found = await this.#run(getScript, [key, this.#epochNow()]);
    return Array.isArray(found) ? { value: String(found[0]), version: String(found[1]) } : undefined;
  }

  async put(key: string, value: string, { expected, ttlMs }: RecordPutOptions): Promise<string | undefined> {
    this.#calls.assertOpen();
    assertRecord(key, value, this.#limits);
    if (expected !== undefined && !isVersion(expected)) return undefined;
    const version = randomUUID();
    const { maxRecords, maxTotalChars } = this.#limits;
    const outcome = await this.#run(putScript, [
      key,
      this.#epochNow(),
      value,
      expected ?? '',
      version,
      String(key.length + value.length),
      String(lifetimeOf(ttlMs) ?? ''),
      String(maxRecords),
      String(maxTotalChars),
    ]);
    if (outcome === 'full') throw storeIsFull(this.#limits);
    return outcome === 'written' ? version : undefined;
  }

  async delete(key: string, { expected }: { readonly expected?: string } = {}): Promise<boolean> {
    this.#assertCall(key);
    if (expected !== undefined && !isVersion(expected)) return false;
    return (await this.#run(deleteScript, [key, this.#epochNow(), expected ?? ''])) === 1;
  }

  async keys(prefix: string, options: RecordKeysOptions = {}): Promise<readonly string[]> {
    this.#calls.assertOpen();
    const limit = pageLimit(prefix, options, this.#limits);
    const { from, end, after } = rangeOfPrefix(prefix, options.after);
    const found: string[] = [];
    const last = end === undefined ? '+' : `(${end}`;
    let first: string | undefined = from === after ? `(${from}` : `[${from}`;
    while (first !== undefined && found.length < limit) {
      const args = [first, last, this.#epochNow(), String(limit - found.length)];
      const page: unknown = await this.#run(keysScript, args);
      if (!Array.isArray(page) || !Array.isArray(page[0])) throw new StoreError('corrupt', 'the keys cannot be read');
      found.push(...page[0].map(String));
      first = typeof page[1] === 'string' ? `(${page[1]}` : undefined;
    }
    return found;
  }

  async fullness(): Promise<number> {
    this.#calls.assertOpen();
    const total: unknown = await this.#run(totalScript, []);
    if (!Array.isArray(total)) throw new StoreError('corrupt', 'the total of the records cannot be read');
    return fullnessOf({ records: Number(total[0]), chars: Number(total[1]) }, this.#limits);
  }

  close(): Promise<void> {
    return this.#calls.close(async () => this.#connection.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertCall(key: string): void {
    this.#calls.assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
  }

  #run({ text, digest }: RedisScript, args: readonly string[]): Promise<unknown> {
    const rest = [String(this.#keys.length), ...this.#keys, ...args];
    return this.#calls.run(() =>
      this.#connection.run(async (client): Promise<unknown> => {
        try {
          return await client.sendCommand(['EVALSHA', digest, ...rest]);
        } catch (error) {
          if (!isUnknownScript(error)) throw error;
          return await client.sendCommand(['EVAL', text, ...rest]);
        }
      }),
    );
  }
}

/**
 * Opens the record store in a Redis server (6 or newer, or Valkey), for any number of processes on any number of
 * machines.
 *
 * Durability is the server's, and with its defaults it is weak: without `appendonly yes` a restart forgets what came
 * after the last snapshot, with `appendfsync everysec` a crash up to a second, and a failover whatever had not reached
 * the replica, although the change had resolved. Use PostgreSQL where an effect must not happen twice. A server that
 * may evict (`maxmemory` with a policy `allkeys-…`) is refused. Expiry follows the clock of the server, which
 * `epochNow` (milliseconds since the epoch) replaces, for tests. Each write drops a bounded number of expired records.
 *
 * A server that does not answer fails a call with `unavailable` after `connectTimeoutMs` and `commandTimeoutMs`, and is
 * found again by the next call once it is back.
 *
 * Rejects with StoreError `unavailable`, and with TypeError when an option is unknown or invalid: a URL that cannot be
 * read, a number out of range, `epochNow` no function.
 */
export async function openRedisRecordStore(options: RedisOptions & RecordLimits & ClockOptions): Promise<RecordStore> {
  assertKnownOptions('openRedisRecordStore', options, { ...redisOptions, ...recordLimitOptions, ...clockOptions });
  const { keyPrefix = DEFAULT_KEY_PREFIX } = options;
  const limits = toLimits(databaseRecordLimits, options);
  const epochNow = toClock(options, undefined);
  const connection = new RedisConnection(options);
  try {
    await assertKeepsRecords(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return new RedisRecordStore(connection, keyPrefix, limits, epochNow);
}
