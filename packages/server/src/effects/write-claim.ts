import type { RecordStore } from '@switchyard/stores';

import { pause } from '../timing/pause.ts';
import { type ClaimRecord, parseClaimRecord } from './claim-record.ts';
import { MAX_CONFLICTS, tooManyConflicts } from './conflicts.ts';
import { isAway } from './unbegun-claims.ts';

/** How a record of a claim is written. */
export interface ClaimWrite {
  readonly key: string;
  readonly record: ClaimRecord;
  /** The version of the claim's last record; `undefined` for a claim where there was nothing. */
  readonly expected: string | undefined;
  /** How long the record is kept, in milliseconds. Default: as long as the one before. */
  readonly ttlMs?: number;
  /** After which pauses a write that failed is tried again, in milliseconds. */
  readonly retriesMs: readonly number[];
}

/**
 * Writes a record of a claim and answers its version, `undefined` when somebody else's stands there. A write that fails
 * may have been made all the same, or may still be made: what is there is looked at before it is tried again, and when
 * it conflicts. Rejects with the first failure when the store does not come back in time; a store that refuses every
 * write over what it has read is one that does not answer.
 */
export type WriteClaim = (write: ClaimWrite) => Promise<string | undefined>;

/** Makes the function that writes records of claims; `onFailure` is told each failure of the store. */
export function createWriteClaim(store: RecordStore, onFailure: (error: unknown) => void): WriteClaim {
  return async ({ key, record, expected, ttlMs, retriesMs }) => {
    const text = JSON.stringify(record);
    const put = (version: string | undefined): Promise<string | undefined> =>
      store.put(key, text, { expected: version, ...(ttlMs === undefined ? {} : { ttlMs }) });

    /** Writes over whatever is the claim's own, until it is this record. */
    async function putOverOwn(): Promise<string | undefined> {
      for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
        const found = await store.get(key);
        if (found?.value === text) return found.version;
        if (found?.version !== expected && parseClaimRecord(found?.value)?.claim !== record.claim) return undefined;
        const version = await put(found?.version);
        if (version !== undefined) return version;
      }
      throw tooManyConflicts('a claim');
    }

    let failure: unknown;
    for (const [attempt, afterMs] of [0, ...retriesMs].entries()) {
      if (afterMs > 0) await pause(afterMs);
      try {
        return (attempt === 0 ? await put(expected) : undefined) ?? (await putOverOwn());
      } catch (error) {
        onFailure(error);
        failure ??= error;
        if (!isAway(error)) break;
      }
    }
    throw failure;
  };
}
