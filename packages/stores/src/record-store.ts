import type { KnownOptions } from '@switchyard/protocol';
import { assertStorable, assertStorableName } from './assert-storable.ts';
import { StoreError } from './store-error.ts';
import { limitOptions } from './to-limits.ts';

/** What a record holds. */
export interface StoredValue {
  readonly value: string;
  /** Opaque, 1 to 64 characters. Each write gives a new one, which no record of this store had before or gets later. */
  readonly version: string;
}

/** How a record is written. */
export interface RecordPutOptions {
  /** What the record must be for the write to happen: undefined means absent or expired, else the version it has. */
  readonly expected: string | undefined;
  /**
   * The record is alive while the clock is before the time of this call plus `ttlMs`. Absent keeps the expiry that the
   * record has, and a new record then never expires; Infinity takes the expiry away; zero, a negative number or NaN
   * writes a record that has expired.
   */
  readonly ttlMs?: number;
}

/** Which keys to list. */
export interface RecordKeysOptions {
  /** Only keys that come later: the last key of the page before. Default: from the first. */
  readonly after?: string;
  /** At most so many keys. Default 100; more than 1,000 is `too-large`. */
  readonly limit?: number;
}

/**
 * A bounded map of records that are changed by compare-and-set, for state that must not be lost or changed by two at
 * once: single-use request state, effects that happen at most once, tasks, leases.
 *
 * Every method is atomic and linearizable over all handles of the same storage, in every process: of any number of
 * writers that expect the same version exactly one wins. A live record is never evicted; a store that is full refuses
 * to grow with `too-large`, after it has dropped records that expired. An expired record is absent for every method,
 * and a record that is made anew has a new version, so that whoever held the old one cannot change it.
 *
 * Keys and values are well-formed Unicode without U+0000; lengths count UTF-16 code units. Every method rejects with
 * StoreError only: `closed` after `close`, `too-large` and `corrupt` for a key or value that cannot be kept,
 * `unavailable` when the storage fails or does not answer in time. A change that rejects with `unavailable` may have
 * been made all the same: read before you try again.
 */
export interface RecordStore extends AsyncDisposable {
  /** The record of `key`, or undefined where there is none or it has expired. */
  get(key: string): Promise<StoredValue | undefined>;
  /**
   * Writes the record of `key` if it is as expected and answers its new version; answers undefined, and changes
   * nothing, when it is not: then somebody else was first. A version that this store never gave is a conflict like any
   * other.
   */
  put(key: string, value: string, options: RecordPutOptions): Promise<string | undefined>;
  /** Removes the record of `key`, with `expected` only that version of it, and answers whether it did. */
  delete(key: string, options?: { readonly expected?: string }): Promise<boolean>;
  /**
   * The keys of the live records that begin with `prefix`, in the order of their Unicode code points. A page that is
   * shorter than its limit is the last. Not a snapshot: a record that comes or goes between two pages may be missed.
   */
  keys(prefix: string, options?: RecordKeysOptions): Promise<readonly string[]>;
  /**
   * How full the store is, from 0 to 1: by its records or their characters, whichever is nearer to its limit. A store
   * of another make may leave it out; then nobody is warned before it is full.
   */
  fullness?(): Promise<number>;
  /** Closes the store; calls under way finish or reject with `closed`. A second call is the same call. */
  close(): Promise<void>;
}

/**
 * Limits of a record store; characters are UTF-16 code units. Where handles differ, those of the one that writes apply.
 */
export interface RecordLimits {
  /** Longest key. Default 1,024. */
  readonly maxKeyChars?: number;
  /** Longest value. Default 1 Mi. */
  readonly maxValueChars?: number;
  /** Most records, expired ones included until they are dropped. Default 1,000,000, in memory 100,000. */
  readonly maxRecords?: number;
  /** Most characters of all keys and values together. Default 1 Gi, in memory 128 Mi. */
  readonly maxTotalChars?: number;
}

/** The limits in memory where the caller names none. */
export const memoryRecordLimits: Required<RecordLimits> = {
  maxKeyChars: 1024,
  maxValueChars: 1024 * 1024,
  maxRecords: 100_000,
  maxTotalChars: 128 * 1024 * 1024,
};

/** The limits in a database where the caller names none. */
export const databaseRecordLimits: Required<RecordLimits> = {
  ...memoryRecordLimits,
  maxRecords: 1_000_000,
  maxTotalChars: 1024 * 1024 * 1024,
};

export const recordLimitOptions: KnownOptions<RecordLimits> = limitOptions<RecordLimits>(memoryRecordLimits);

/** How many expired records a store drops each time it writes, so that they cannot pile up faster than they go. */
export const SWEEP_RECORDS = 8;

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;
const VERSION = /^[\w-]{1,64}$/;

/** Asserts that a record is within `limits` and can be kept unchanged (StoreError `too-large`, `corrupt`). */
export function assertRecord(key: string, value: string, limits: Required<RecordLimits>): void {
  assertStorableName('the key', key, limits.maxKeyChars);
  assertStorable('the value', value, limits.maxValueChars);
}

/** False for a text that no store gave as a version, which some databases could not even compare. */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** What the records of a store take up, or what a change adds to that. */
export interface RecordTotal {
  readonly records: number;
  readonly chars: number;
}

/** True when a change that adds `growth` keeps the store within its limits. What does not grow always fits. */
export function fitsLimits(total: RecordTotal, growth: RecordTotal, limits: Required<RecordLimits>): boolean {
  const { maxRecords, maxTotalChars } = limits;
  const hasRoomForRecords = growth.records <= 0 || total.records + growth.records <= maxRecords;
  const hasRoomForChars = growth.chars <= 0 || total.chars + growth.chars <= maxTotalChars;
  return hasRoomForRecords && hasRoomForChars;
}

/** See `RecordStore.fullness`. */
export function fullnessOf({ records, chars }: RecordTotal, limits: Required<RecordLimits>): number {
  return Math.max(records / limits.maxRecords, chars / limits.maxTotalChars);
}

/** The error of a store that is full of live records. */
export function storeIsFull({ maxRecords, maxTotalChars }: Required<RecordLimits>): StoreError {
  return new StoreError(
    'too-large',
    `the record store is full: it holds at most ${maxRecords} records with ${maxTotalChars} characters together, and ` +
      'drops none that is alive; raise maxRecords and maxTotalChars, keep records for a shorter time, or delete some',
  );
}

/** Asserts the arguments of `keys` and answers the limit of the page (StoreError `too-large`, `corrupt`). */
export function pageLimit(
  prefix: string,
  { after = '', limit = DEFAULT_PAGE }: RecordKeysOptions,
  { maxKeyChars }: Required<RecordLimits>,
): number {
  assertStorable('the prefix', prefix, maxKeyChars);
  assertStorable('the key to go on after', after, maxKeyChars);
  if (limit > MAX_PAGE) throw new StoreError('too-large', `a page of ${limit} keys; the limit is ${MAX_PAGE}`);
  return limit >= 1 ? Math.floor(limit) : 0;
}
