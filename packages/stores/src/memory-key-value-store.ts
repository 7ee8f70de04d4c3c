import { assertKnownOptions } from '@switchyard/protocol';
import { assertStorableName } from './assert-storable.ts';
import { type ClockOptions, clockOptions, toClock } from './clock.ts';
import { expiryOf } from './expiry.ts';
import { assertEntry, defaultKeyValueLimits, keyValueLimitOptions } from './key-value-store.ts';
import type { KeyValueLimits, KeyValueStore } from './key-value-store.ts';
import { StoreError } from './store-error.ts';
import { toLimits } from './to-limits.ts';

interface Entry {
  readonly value: string;
  readonly expiresAt: number | undefined;
}

/**
 * A key-value store in this process's memory; closing it forgets everything.
 *
 * @throws TypeError when an option is unknown, a limit is no integer of at least 1, or `epochNow` no function.
 */
export function createMemoryKeyValueStore(options: KeyValueLimits & ClockOptions = {}): KeyValueStore {
  assertKnownOptions('createMemoryKeyValueStore', options, { ...keyValueLimitOptions, ...clockOptions });
  const epochNow = toClock(options, Date.now);
  const limits = toLimits(defaultKeyValueLimits, options);
  // A map keeps the order in which its keys were added, and `set` below always adds anew: the oldest comes first.
  const entries = new Map<string, Entry>();
  let totalChars = 0;
  let closed = false;

  function isLive(entry: Entry): boolean {
    return entry.expiresAt === undefined || epochNow() < entry.expiresAt;
  }

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    totalChars -= key.length + entry.value.length;
  }

  function isOver(): boolean {
    return entries.size > limits.maxEntries || totalChars > limits.maxTotalChars;
  }

  function makeRoom(): void {
    if (!isOver()) return;
    for (const [key, entry] of entries) if (!isLive(entry)) remove(key);
    for (const key of entries.keys()) {
      if (!isOver()) return;
      remove(key);
    }
  }

  function assertOpen(): void {
    if (closed) throw new StoreError('closed', 'the key-value store is closed');
  }

  async function close(): Promise<void> {
    closed = true;
    entries.clear();
    totalChars = 0;
  }

  return {
    async get(key) {
      assertOpen();
      assertStorableName('the key', key, limits.maxKeyChars);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (isLive(entry)) return entry.value;
      remove(key);
      return undefined;
    },
    async set(key, value, setOptions) {
      assertOpen();
      assertEntry(key, value, limits);
      const entry = { value, expiresAt: expiryOf(epochNow(), setOptions?.ttlMs) };
      remove(key);
      if (!isLive(entry)) return;
      entries.set(key, entry);
      totalChars += key.length + value.length;
      makeRoom();
    },
    async delete(key) {
      assertOpen();
      assertStorableName('the key', key, limits.maxKeyChars);
      const entry = entries.get(key);
      remove(key);
      return entry !== undefined && isLive(entry);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
