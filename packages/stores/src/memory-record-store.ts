import { assertKnownOptions } from '@switchyard/protocol';
import { assertStorableName } from './assert-storable.ts';
import { type ClockOptions, clockOptions, toClock } from './clock.ts';
import { expiryOf } from './expiry.ts';
import { compareKeys, rangeOfPrefix } from './key-order.ts';
import {
  assertRecord,
  fitsLimits,
  fullnessOf,
  memoryRecordLimits,
  pageLimit,
  recordLimitOptions,
  storeIsFull,
  SWEEP_RECORDS,
} from './record-store.ts';
import type {
  RecordKeysOptions,
  RecordLimits,
  RecordPutOptions,
  RecordStore,
  RecordTotal,
  StoredValue,
} from './record-store.ts';
import { SortedList } from './sorted-list.ts';
import { StoreError } from './store-error.ts';
import { toLimits } from './to-limits.ts';

interface Entry extends StoredValue {
  readonly key: string;
  readonly chars: number;
  readonly expiresAt: number;
}

class MemoryRecordStore implements RecordStore {
  readonly #limits: Required<RecordLimits>;
  readonly #epochNow: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new SortedList<string>(compareKeys);
  readonly #expiring = new SortedList<Entry>(
    (left, right) => left.expiresAt - right.expiresAt || compareKeys(left.key, right.key),
  );
  #chars = 0;
  #writes = 0;
  #isClosed = false;

  constructor(limits: Required<RecordLimits>, epochNow: () => number) {
    this.#limits = limits;
    this.#epochNow = epochNow;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const entry = this.#live(key, this.#epochNow());
    return entry === undefined ? undefined : { value: entry.value, version: entry.version };
  }

  async put(key: string, value: string, { expected, ttlMs }: RecordPutOptions): Promise<string | undefined> {
    this.#assertOpen();
    assertRecord(key, value, this.#limits);
    const now = this.#epochNow();
    const current = this.#live(key, now);
    if (current?.version !== expected) return undefined;
    const chars = key.length + value.length;
    for (let dropped = 0; dropped < SWEEP_RECORDS && this.#dropExpired(now); dropped += 1);
    this.#makeRoom(now, { records: current === undefined ? 1 : 0, chars: chars - (current?.chars ?? 0) });
    const expiresAt = ttlMs === undefined ? current?.expiresAt : expiryOf(now, ttlMs);
    this.#writes += 1;
    const version = String(this.#writes);
    this.#remove(key);
    this.#add({ key, value, version, chars, expiresAt: expiresAt ?? Infinity });
    return version;
  }

  async delete(key: string, { expected }: { readonly expected?: string } = {}): Promise<boolean> {
    const entry = this.#live(key, this.#epochNow());
    if (entry === undefined || (expected !== undefined && entry.version !== expected)) return false;
    this.#remove(key);
    return true;
  }

  async keys(prefix: string, options: RecordKeysOptions = {}): Promise<readonly string[]> {
    this.#assertOpen();
    const limit = pageLimit(prefix, options, this.#limits);
    const { from, end, after } = rangeOfPrefix(prefix, options.after);
    const now = this.#epochNow();
    const found: string[] = [];
    for (let index = this.#keys.indexOf(from); found.length < limit; index += 1) {
      const key = this.#keys.at(index);
      if (key === undefined || (end !== undefined && compareKeys(key, end) >= 0)) break;
      if (key !== after && this.#live(key, now) !== undefined) found.push(key);
    }
    return found;
  }

  async fullness(): Promise<number> {
    this.#assertOpen();
    return fullnessOf({ records: this.#entries.size, chars: this.#chars }, this.#limits);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#entries.clear();
    this.#keys.clear();
    this.#expiring.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'the record store is closed');
  }

  #live(key: string, now: number): Entry | undefined {
    this.#assertOpen();
    assertStorableName('the key', key, this.#limits.maxKeyChars);
    const entry = this.#entries.get(key);
    return entry !== undefined && now < entry.expiresAt ? entry : undefined;
  }

  #makeRoom(now: number, growth: RecordTotal): void {
    while (!fitsLimits({ records: this.#entries.size, chars: this.#chars }, growth, this.#limits)) {
      if (!this.#dropExpired(now)) throw storeIsFull(this.#limits);
    }
  }

  /** Drops the record that expired longest ago and answers whether there was one. */
  #dropExpired(now: number): boolean {
    const first = this.#expiring.at(0);
    if (first === undefined || now < first.expiresAt) return false;
    this.#remove(first.key);
    return true;
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#keys.add(entry.key);
    if (entry.expiresAt !== Infinity) this.#expiring.add(entry);
    this.#chars += entry.chars;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#keys.remove(key);
    this.#expiring.remove(entry);
    this.#chars -= entry.chars;
  }
}

/**
 * A record store in this process's memory; closing it forgets everything, and no other process sees it.
 *
 * @throws TypeError when an option is unknown, a limit is no integer of at least 1, or `epochNow` no function.
 */
export function createMemoryRecordStore(options: RecordLimits & ClockOptions = {}): RecordStore {
  assertKnownOptions('createMemoryRecordStore', options, { ...recordLimitOptions, ...clockOptions });
  return new MemoryRecordStore(toLimits(memoryRecordLimits, options), toClock(options, Date.now));
}
