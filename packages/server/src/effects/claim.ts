import type { JsonObject } from '@switchyard/protocol';
import { type RecordStore, StoreError } from '@switchyard/stores';

import { isOutcome, type Outcome } from '../input/outcome.ts';
import { parseJsonObject } from '../dispatch/parse-json-object.ts';

/** What came of work that runs once under a key. */
export type ClaimResult =
  /** This caller ran it; `cause` is what it threw in this process. */
  | { readonly kind: 'ran'; readonly outcome: Outcome; readonly cause: unknown }
  /** Another caller ran it, `ageMs` ago. */
  | { readonly kind: 'recorded'; readonly outcome: Outcome; readonly ageMs: number }
  /** It ran, or runs, for something else under the same key. */
  | { readonly kind: 'conflict' }
  /** Whoever ran it died before the outcome was recorded, or could not record it. */
  | { readonly kind: 'unknown' };

/** Work that runs once under a key. */
export interface ClaimedWork {
  readonly key: string;
  /** What the work is done for: another subject under the same key is a conflict. */
  readonly subject: string;
  /** How long the outcome is kept, in milliseconds. */
  readonly retentionMs: number;
  /** How long work that never ended is remembered, in milliseconds. Default: for ever, so that it is never run again. */
  readonly unfinishedMs?: number;
  /** Ends the wait for another caller who runs it. */
  readonly signal: AbortSignal;
  run(): Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>;
  /** Runs instead when the outcome of an earlier run is unknown; its outcome is recorded. */
  readonly reconcile?: (() => Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>) | undefined;
}

/** Runs work at most once for each key, over all processes that share a store. */
export interface Claims {
  /**
   * Runs the work, or answers what came of it before: waits for a caller who runs it now. Rejects with StoreError when the store does not
   * answer, and then the work did not begin, and with the signal's reason. A write that fails is looked at and tried again for some
   * seconds, since it may have been made all the same.
   */
  once(work: ClaimedWork): Promise<ClaimResult>;
}

/** How long a sign of life of whoever runs the work is good, in milliseconds; it is renewed three times as often. */
const LEASE_MS = 30_000;
const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 1_000;
/**
 * After which pauses a write that failed is tried again, in milliseconds: of a claim, whose work can still be left, and of what must not be
 * lost. All of them are over long before a lease is.
 */
const CLAIM_RETRIES_MS = [0, 100];
const RETRIES_MS = [0, 100, 500, 1_500, 4_000];

interface ClaimRecord {
  /** One text for each claim, so that whoever made it knows it again. */
  readonly claim: string;
  readonly subject: string;
  /** Until when, in milliseconds since the epoch, whoever runs the work is taken for alive. */
  readonly aliveUntil: number;
  readonly outcome?: Outcome;
  readonly doneAt?: number;
}

/**
 * Makes claims over a store. `epochNow` is in milliseconds since the epoch and differs between processes by far less than 30
 * seconds; `createId` makes texts that no other process makes. `onFailure` is told whenever a sign of life or an outcome cannot be
 * written.
 */
export function createClaims(
  store: RecordStore,
  options: {
    readonly epochNow: () => number;
    readonly createId: () => string;
    readonly onFailure: (error: unknown) => void;
  },
): Claims {
  const { epochNow, createId, onFailure } = options;

  /**
   * Writes a record of a claim and answers its version, `undefined` when somebody else's stands there. Rejects with the first failure when
   * the store does not come back in time.
   */
  async function write(
    key: string,
    record: ClaimRecord,
    expected: string | undefined,
    { ttlMs, retriesMs = RETRIES_MS }: { readonly ttlMs?: number; readonly retriesMs?: readonly number[] } = {},
  ): Promise<string | undefined> {
    const text = JSON.stringify(record);
    const put = (version: string | undefined): Promise<string | undefined> =>
      store.put(key, text, { expected: version, ...(ttlMs === undefined ? {} : { ttlMs }) });
    let failure: unknown;
    try {
      return await put(expected);
    } catch (error) {
      failure = error;
      onFailure(error);
      if (isFinal(error)) throw error;
    }
    for (const afterMs of retriesMs) {
      // oxlint-disable-next-line no-await-in-loop -- One try after the other.
      if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
      try {
        // oxlint-disable-next-line no-await-in-loop -- What failed may have been written all the same.
        const found = await store.get(key);
        if (found?.value === text) return found.version;
        if (found?.version !== expected && parseRecord(found?.value)?.claim !== record.claim) return undefined;
        // oxlint-disable-next-line no-await-in-loop
        return await put(found?.version);
      } catch (error) {
        onFailure(error);
      }
    }
    throw failure;
  }

  /** Takes the record over, runs, and records the outcome. `undefined`: somebody else was first. */
  async function claim(
    { key, subject, retentionMs, unfinishedMs = Infinity }: ClaimedWork,
    expected: string | undefined,
    run: ClaimedWork['run'],
  ): Promise<ClaimResult | undefined> {
    const id = createId();
    const alive = (): ClaimRecord => ({ claim: id, subject, aliveUntil: epochNow() + LEASE_MS });
    let version = await write(key, alive(), expected, { ttlMs: unfinishedMs, retriesMs: CLAIM_RETRIES_MS });
    if (version === undefined) return undefined;
    let renewing = Promise.resolve();
    const heart = setInterval(() => {
      renewing = renewing
        .then(async () => {
          // Whoever took the claim over keeps it.
          if (version !== undefined) version = await write(key, alive(), version);
        })
        .catch(() => undefined);
    }, LEASE_MS / 3);
    try {
      const { outcome, cause } = await run();
      clearInterval(heart);
      await renewing;
      const now = epochNow();
      const done: ClaimRecord = { claim: id, subject, aliveUntil: now, outcome, doneAt: now };
      const recorded =
        version === undefined
          ? undefined
          : await write(key, done, version, { ttlMs: retentionMs }).catch(() => undefined);
      // What is not recorded is unknown to everybody else, so nobody may be told otherwise.
      return recorded === undefined ? { kind: 'unknown' } : { kind: 'ran', outcome, cause };
    } finally {
      clearInterval(heart);
    }
  }

  return {
    async once(work) {
      for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
        work.signal.throwIfAborted();
        const found = await store.get(work.key);
        if (found === undefined) {
          const ran = await claim(work, undefined, work.run);
          if (ran !== undefined) return ran;
          continue;
        }
        const record = parseRecord(found.value);
        if (record === undefined || record.subject !== work.subject) return { kind: 'conflict' };
        const { outcome, doneAt = 0, aliveUntil } = record;
        if (outcome !== undefined) return { kind: 'recorded', outcome, ageMs: epochNow() - doneAt };
        if (aliveUntil < epochNow()) {
          const { reconcile } = work;
          if (reconcile === undefined) return { kind: 'unknown' };
          const ran = await claim(work, found.version, reconcile);
          if (ran !== undefined) return ran;
          continue;
        }
        await pause(pollMs, work.signal);
      }
    },
  };
}

/** Whether trying again would fail the same way. */
function isFinal(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'unavailable';
}

function parseRecord(text: string | undefined): ClaimRecord | undefined {
  const value = text === undefined ? undefined : parseJsonObject(text);
  return value !== undefined && isClaimRecord(value) ? value : undefined;
}

function isClaimRecord(value: JsonObject): value is JsonObject & ClaimRecord {
  return (
    typeof value['claim'] === 'string' &&
    typeof value['subject'] === 'string' &&
    typeof value['aliveUntil'] === 'number' &&
    (value['outcome'] === undefined || isOutcome(value['outcome']))
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
  });
}
