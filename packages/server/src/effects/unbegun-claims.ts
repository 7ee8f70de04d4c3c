import { type RecordStore, StoreError } from '@switchyard/stores';

import { unheld } from '../timing/unheld.ts';
import { parseClaimRecord } from './claim-record.ts';

/** A claim whose work did not begin. */
export interface UnbegunClaim {
  readonly id: string;
  readonly key: string;
  /** The record that it took over; `undefined` where there was none. */
  readonly before: string | undefined;
}

/**
 * The claims of this process whose write failed, so that their work did not begin. Such a write may have been made all
 * the same, or may still be: what it left there is taken back once the store answers.
 */
export interface UnbegunClaims {
  add(claim: UnbegunClaim): void;
  /** Takes back a claim whose work came to nothing: at once, or when the store answers again. */
  takeBack(claim: UnbegunClaim): Promise<void>;
  /** The claim with an id, unless it is none of these. */
  find(id: string | undefined): UnbegunClaim | undefined;
}

const FIRST_LOOK_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/**
 * After how many looks no write that failed before them is still under way: the store answered them, 25 seconds apart.
 */
const LOOKS = 5;
/** Most claims that are remembered; the oldest of more stay as if their work had begun. */
const MAX_CLAIMS = 10_000;

/** Makes the memory of claims that did not begin. It does not keep the process. */
export function createUnbegunClaims(store: RecordStore): UnbegunClaims {
  /** By id, with how often the store was asked about each. */
  const claims = new Map<string, { readonly claim: UnbegunClaim; looks: number }>();
  let isScheduled = false;

  function schedule(pauseMs: number): void {
    if (isScheduled || claims.size === 0) return;
    isScheduled = true;
    unheld(
      setTimeout(() => {
        void takeBackAll().then(() => {
          isScheduled = false;
          schedule(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
        });
      }, pauseMs),
    );
  }

  async function takeBackAll(): Promise<void> {
    for (const [id, entry] of claims) {
      try {
        await takeBack(store, entry.claim);
        entry.looks += 1;
        if (entry.looks === LOOKS) claims.delete(id);
      } catch (error) {
        // The others would wait in vain as well; what was said of the store when the claim failed still holds.
        if (isAway(error)) return;
        claims.delete(id);
      }
    }
  }

  function add(claim: UnbegunClaim): void {
    claims.set(claim.id, { claim, looks: 0 });
    const [oldest] = claims.keys();
    if (claims.size > MAX_CLAIMS && oldest !== undefined) claims.delete(oldest);
    schedule(FIRST_LOOK_MS);
  }

  return {
    add,
    takeBack: (claim) => takeBack(store, claim).catch(() => add(claim)),
    find: (id) => (id === undefined ? undefined : claims.get(id)?.claim),
  };
}

async function takeBack(store: RecordStore, { id, key, before }: UnbegunClaim): Promise<void> {
  const found = await store.get(key);
  if (found === undefined || parseClaimRecord(found.value)?.claim !== id) return;
  // Where somebody else is first, nothing of the claim is left.
  if (before === undefined) await store.delete(key, { expected: found.version });
  else await store.put(key, before, { expected: found.version });
}

/** Whether a store may answer later what it does not answer now. */
export function isAway(error: unknown): boolean {
  return !(error instanceof StoreError) || error.code === 'unavailable';
}
