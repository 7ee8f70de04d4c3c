import type { RecordStore } from '@switchyard/stores';

import { pause } from '../timing/pause.ts';
import { type ClaimRecord, parseClaimRecord } from './claim-record.ts';
import { isAlive, keepAlive, listenForLife, type Silence, signOfLife } from './lease.ts';
import type { Outcome } from './outcome.ts';
import { createUnbegunClaims, isAway } from './unbegun-claims.ts';
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
  /**
   * How long work that never ended is remembered, in milliseconds. Default: for ever, so that it is never run again.
   */
  readonly unfinishedMs?: number;
  /** Ends the wait for another caller who runs it. */
  readonly signal: AbortSignal;
  run(): Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>;
  /**
   * Asked after the run: whether it came to nothing. Its claim is taken back then, and nothing is recorded; so a caller
   * for another subject waits while it runs. Default: never, and another subject is a conflict at once.
   */
  readonly cameToNothing?: () => boolean;
  /**
   * Runs instead when the outcome of an earlier run is unknown; its outcome is recorded. The record is watched first
   * for half a lease: a clock that was set makes a process that runs look dead.
   */
  readonly reconcile?: (() => Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>) | undefined;
}

/** Runs work at most once for each key, over all processes that share a store. */
export interface Claims {
  /**
   * Runs the work, or answers what came of it before: waits for a caller who runs it now. Rejects with StoreError when
   * the store does not answer, and then the work did not begin and may be claimed again, and with the signal's reason.
   * A write that fails is looked at and tried again for some seconds, since it may have been made all the same.
   */
  once(work: ClaimedWork): Promise<ClaimResult>;
}

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 1_000;
/**
 * After which pauses a write that failed is tried again, in milliseconds: of a claim, whose work can still be left, and
 * of what must not be lost. All of them are over long before a lease is.
 */
const CLAIM_RETRIES_MS = [0, 100];
const RETRIES_MS = [0, 100, 500, 1_500, 4_000];

/** Where a claim is written. */
interface Place {
  /** Of the record that stands there; `undefined` where there is none. */
  readonly version: string | undefined;
  /** What is to stand there again when the work does not begin. */
  readonly before: string | undefined;
}

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
  /**
   * What runs in this process, which is alive however late its sign of life is: after a sleep of the machine, for one.
   */
  const here = new Set<string>();
  const unbegun = createUnbegunClaims(store);

  /** Writes a claim and answers its version; `undefined` when somebody else was first. */
  async function enter(
    { key, unfinishedMs = Infinity }: ClaimedWork,
    record: ClaimRecord,
    { version, before }: Place,
  ): Promise<string | undefined> {
    try {
      return await write({ key, record, expected: version, ttlMs: unfinishedMs, retriesMs: CLAIM_RETRIES_MS });
    } catch (error) {
      if (isAway(error)) unbegun.add({ id: record.claim, key, before });
      throw error;
    }
  }

  /** Takes the place, runs, and records the outcome. `undefined`: somebody else was first. */
  async function claim(work: ClaimedWork, place: Place, run: ClaimedWork['run']): Promise<ClaimResult | undefined> {
    const { key, subject, retentionMs } = work;
    const id = createId();
    const alive = (): ClaimRecord => ({ claim: id, subject, ...signOfLife(epochNow()) });
    /** Of the claim's last record; `undefined` once somebody else took it over, who then keeps it. */
    let version = await enter(work, alive(), place);
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
      if (work.cameToNothing?.() === true) {
        await unbegun.takeBack({ id, key, before: place.before });
        return { kind: 'ran', outcome, cause };
      }
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

  /** What came of the work; `undefined` while it may run elsewhere, and when somebody else was first to claim it. */
  async function attempt(work: ClaimedWork, silence: Silence): Promise<ClaimResult | undefined> {
    const found = await store.get(work.key);
    const left = unbegun.find(parseClaimRecord(found?.value)?.claim);
    const standing = left === undefined ? found?.value : left.before;
    const place = { version: found?.version, before: standing };
    if (standing === undefined) return claim(work, place, work.run);
    const record = parseClaimRecord(standing);
    if (record === undefined) return { kind: 'conflict' };
    const { outcome, doneAt = 0 } = record;
    const now = epochNow();
    const isRunning = outcome === undefined && (here.has(work.key) || isAlive(record, now));
    if (record.subject !== work.subject)
      return isRunning && work.cameToNothing !== undefined ? undefined : { kind: 'conflict' };
    if (outcome !== undefined) return { kind: 'recorded', outcome, ageMs: now - doneAt };
    if (isRunning) return undefined;
    if (work.reconcile === undefined) return { kind: 'unknown' };
    return silence.isOver(found?.version) ? claim(work, place, work.reconcile) : undefined;
  }

  return {
    async once(work) {
      const silence = listenForLife();
      for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
        work.signal.throwIfAborted();
        const result = await attempt(work, silence);
        if (result !== undefined) return result;
        await pause(pollMs, { signal: work.signal });
        silence.count(pollMs);
      }
    },
  };
}
