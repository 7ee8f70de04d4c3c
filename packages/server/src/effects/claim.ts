import type { RecordStore } from '@switchyard/stores';

import { pause } from '../limits/pause.ts';
import { type ClaimRecord, parseClaimRecord } from './claim-record.ts';
import { isAlive, keepAlive, signOfLife } from './lease.ts';
import type { Outcome } from './outcome.ts';
import { createWriteClaim } from './write-claim.ts';

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

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 1_000;
/**
 * After which pauses a write that failed is tried again, in milliseconds: of a claim, whose work can still be left, and of what must not be
 * lost. All of them are over long before a lease is.
 */
const CLAIM_RETRIES_MS = [0, 100];
const RETRIES_MS = [0, 100, 500, 1_500, 4_000];

/** What claims are made of. */
export interface ClaimsSite {
  /** In milliseconds since the epoch; it differs between processes by far less than 30 seconds. */
  readonly epochNow: () => number;
  /** Makes texts that no other process makes. */
  readonly createId: () => string;
  /** Told each failure to write a claim, a sign of life or an outcome. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes claims over a store. */
export function createClaims(store: RecordStore, { epochNow, createId, onFailure }: ClaimsSite): Claims {
  const write = createWriteClaim(store, onFailure);
  /** What runs in this process, which is alive however late its sign of life is: after a sleep of the machine, for one. */
  const here = new Set<string>();

  /** Takes the record over, runs, and records the outcome. `undefined`: somebody else was first. */
  async function claim(
    { key, subject, retentionMs, unfinishedMs = Infinity }: ClaimedWork,
    taken: string | undefined,
    run: ClaimedWork['run'],
  ): Promise<ClaimResult | undefined> {
    const id = createId();
    const alive = (): ClaimRecord => ({ claim: id, subject, ...signOfLife(epochNow()) });
    const claimed = { key, record: alive(), expected: taken, ttlMs: unfinishedMs, retriesMs: CLAIM_RETRIES_MS };
    /** Of the claim's last record; `undefined` once somebody else took it over, who then keeps it. */
    let version = await write(claimed);
    if (version === undefined) return undefined;
    here.add(key);
    const stop = keepAlive(async () => {
      if (version === undefined) return;
      const renewal = { key, record: alive(), expected: version, retriesMs: RETRIES_MS };
      // Reported; the claim is held until the next sign of life, or the outcome, finds somebody else's.
      version = await write(renewal).catch(() => version);
    });
    try {
      const { outcome, cause } = await run();
      await stop();
      if (version === undefined) return { kind: 'unknown' };
      const now = epochNow();
      const done: ClaimRecord = { claim: id, subject, aliveUntil: now, outcome, doneAt: now };
      // Reported; what is not recorded is unknown to everybody else, so nobody may be told otherwise.
      const recorded = await write({
        key,
        record: done,
        expected: version,
        ttlMs: retentionMs,
        retriesMs: RETRIES_MS,
      }).catch(() => undefined);
      return recorded === undefined ? { kind: 'unknown' } : { kind: 'ran', outcome, cause };
    } finally {
      here.delete(key);
      void stop();
    }
  }

  /** What came of the work; `undefined` when somebody else was first to claim it. */
  async function attempt(work: ClaimedWork): Promise<ClaimResult | 'running' | undefined> {
    const found = await store.get(work.key);
    if (found === undefined) return claim(work, undefined, work.run);
    const record = parseClaimRecord(found.value);
    if (record === undefined || record.subject !== work.subject) return { kind: 'conflict' };
    const { outcome, doneAt = 0 } = record;
    const now = epochNow();
    if (outcome !== undefined) return { kind: 'recorded', outcome, ageMs: now - doneAt };
    if (here.has(work.key) || isAlive(record, now)) return 'running';
    return work.reconcile === undefined ? { kind: 'unknown' } : claim(work, found.version, work.reconcile);
  }

  return {
    async once(work) {
      for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
        work.signal.throwIfAborted();
        const result = await attempt(work);
        if (result === 'running') await pause(pollMs, work.signal);
        else if (result !== undefined) return result;
      }
    },
  };
}
