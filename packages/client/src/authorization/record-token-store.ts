import type { RecordStore } from '@switchyard/stores';
import { type Clock, systemClock } from '../peer/clock.ts';
import { pause } from '../timing/pause.ts';
import { digestOf } from '../peer/digest.ts';
import { createSeal, type Seal } from './seal.ts';
import type { TokenStore } from './token-store.ts';
import { TokenStoreError } from './token-store-error.ts';

/** Where the tokens of a fleet are kept, and what encrypts them. */
export interface RecordTokenStoreOptions {
  /** The caller's to close. Several kinds of things may share it: keys begin with `tokens:` and `token-lock:`. */
  readonly records: RecordStore;
  /** 32 bytes, the same for all who share the store, or a function that answers them. The database never sees them. */
  readonly key: Uint8Array | (() => Uint8Array | Promise<Uint8Array>);
  /** Where time comes from. Default: the platform. */
  readonly clock?: Clock;
}

const LEASE_MS = 30_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** How often a value is written anew because somebody else was first. */
const MAX_ATTEMPTS = 20;

/**
 * Creates a token store for a fleet, over the records of `@switchyard/stores` in PostgreSQL, Redis, SQLite or memory.
 * Whoever reads the database sees neither tokens nor the names of their keys: names are digests, values are encrypted
 * with AES-256-GCM by a key that is not in it. Rejects with a {@link TokenStoreError}: `wrong-key`, `corrupt`, and
 * `unavailable` where the database fails.
 *
 * `exclusively` holds a lease of 30 s that is renewed while the work goes on: a process that died blocks the others for
 * so long. One that stood still for longer, or cannot reach the database, may lose its lease while it works; then two
 * may refresh at once.
 */
export function createRecordTokenStore(options: RecordTokenStoreOptions): TokenStore {
  const { records, key, clock = systemClock } = options;
  let opening: Promise<Seal> | undefined;

  return {
    async get(name) {
      const seal = await open();
      const record = await stored(() => records.get(keyOf(name)));
      return record === undefined ? undefined : seal.open(name, record.value);
    },
    async set(name, value) {
      const seal = await open();
      const sealed = await seal.close(name, value);
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const earlier = await stored(() => records.get(keyOf(name)));
        // What another key encrypted is not written over.
        if (earlier !== undefined) await seal.open(name, earlier.value);
        const written = await stored(() => records.put(keyOf(name), sealed, { expected: earlier?.version }));
        if (written !== undefined) return;
      }
      throw new TokenStoreError('unavailable', 'A token could not be stored: others keep changing it. Try again.');
    },
    async delete(name) {
      await stored(() => records.delete(keyOf(name)));
    },
    async exclusively(name, signal, work) {
      const lock = `token-lock:${digestOf('token store', name)}`;
      const version = await acquire(lock, signal);
      const release = keepLease(lock, version);
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };

  function open(): Promise<Seal> {
    opening ??= Promise.resolve(typeof key === 'function' ? key() : key)
      .then(createSeal)
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  }

  async function acquire(lock: string, signal: AbortSignal): Promise<string> {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      signal.throwIfAborted();
      const version = await stored(() => records.put(lock, 'held', { expected: undefined, ttlMs: LEASE_MS }));
      if (version !== undefined) return version;
      await pause(clock, pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Renews a lease three times as often as it needs to be, one renewal at a time, until it is given back. */
  function keepLease(lock: string, first: string): () => Promise<void> {
    let version: string | undefined = first;
    let renewing = Promise.resolve();
    let stop = clock.after(LEASE_MS / 3, renew);
    return async () => {
      stop();
      stop = () => undefined;
      await renewing;
      stop();
      if (version === undefined) return;
      // It ends by itself where this fails; the work is done.
      await records.delete(lock, { expected: version }).catch(() => undefined);
    };

    function renew(): void {
      const expected = version;
      if (expected === undefined) return;
      renewing = records.put(lock, 'held', { expected, ttlMs: LEASE_MS }).then(
        (renewed) => {
          version = renewed;
          stop = clock.after(LEASE_MS / 3, renew);
        },
        () => {
          // The next one may succeed in time.
          stop = clock.after(LEASE_MS / 3, renew);
        },
      );
    }
  }
}

function keyOf(name: string): string {
  return `tokens:${digestOf('token store', name)}`;
}

async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TokenStoreError('unavailable', `The store of tokens failed: ${why}`, { cause });
  }
}
