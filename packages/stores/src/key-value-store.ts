import type { KnownOptions } from '@switchyard/protocol';
import { assertStorable, assertStorableName } from './assert-storable.ts';
import { StoreError } from './store-error.ts';
import { limitOptions } from './to-limits.ts';

/**
 * A bounded map from keys to texts whose entries may expire, for caches that can be filled again.
 *
 * Keys and values are well-formed Unicode without U+0000 (values are usually JSON text); lengths count UTF-16 code
 * units. A full store makes room by itself: a `set` over the limits drops expired entries first, then those that were
 * set longest ago. Every method rejects with StoreError only: `closed` after `close`, `too-large` and `corrupt` for a
 * key or value that cannot be kept, `unavailable` when the storage fails.
 */
export interface KeyValueStore extends AsyncDisposable {
  /** The value of `key`, or undefined where there is none or it has expired. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets `key` to `value`. With `ttlMs` the entry is alive while the clock is before the time of this call plus
   * `ttlMs`; zero, a negative number or NaN removes the entry; absent or Infinity keeps it until it is replaced or
   * crowded out.
   */
  set(key: string, value: string, options?: { readonly ttlMs?: number }): Promise<void>;
  /** Removes `key` and answers whether a live entry was there. */
  delete(key: string): Promise<boolean>;
  /** Closes the store; a second call is the same call. */
  close(): Promise<void>;
}

/** Limits of a key-value store; characters are UTF-16 code units. */
export interface KeyValueLimits {
  /** Longest key. Default 1,024. */
  readonly maxKeyChars?: number;
  /** Longest value. Default 16 Mi. */
  readonly maxValueChars?: number;
  /** Most entries, expired ones included until they are dropped. Default 10,000. */
  readonly maxEntries?: number;
  /** Most characters of all keys and values together. Default 128 Mi. */
  readonly maxTotalChars?: number;
}

/** The limits where the caller names none. */
export const defaultKeyValueLimits: Required<KeyValueLimits> = {
  maxKeyChars: 1024,
  maxValueChars: 16 * 1024 * 1024,
  maxEntries: 10_000,
  maxTotalChars: 128 * 1024 * 1024,
};

export const keyValueLimitOptions: KnownOptions<KeyValueLimits> = limitOptions(defaultKeyValueLimits);

/** Asserts that an entry is within `limits` and can be kept unchanged (StoreError `too-large`, `corrupt`). */
export function assertEntry(key: string, value: string, limits: Required<KeyValueLimits>): void {
  assertStorableName('the key', key, limits.maxKeyChars);
  assertStorable('the value', value, limits.maxValueChars);
  const chars = key.length + value.length;
  if (chars > limits.maxTotalChars) {
    throw new StoreError('too-large', `the entry has ${chars} characters; the store holds ${limits.maxTotalChars}`);
  }
}
