import type { ClockOptions, RecordLimits, RecordStore } from '@switchyard/stores';
import { afterEach } from 'vitest';

/** What the contract needs to know of an implementation. */
export interface RecordStoreUnderTest {
  /** Opens a store; those with the same place are handles of one, where `isShared`. */
  readonly open: (options: RecordLimits & ClockOptions, place: string) => Promise<RecordStore>;
  /** A place where nothing is stored. */
  readonly newPlace: () => string;
  /** False where a store is seen by the handle only that made it. */
  readonly isShared: boolean;
}

/** Opens the stores of a test, all with one clock, and closes them after it. */
export interface RecordStores {
  readonly clock: { now: number };
  open(limits?: RecordLimits, place?: string): Promise<RecordStore>;
  /** Two handles of one store, or twice the same where a store has only one. */
  openTwo(limits?: RecordLimits): Promise<[RecordStore, RecordStore]>;
}

/** Makes what opens stores for the tests of the calling `describe`. */
export function useRecordStores({ open, newPlace, isShared }: RecordStoreUnderTest): RecordStores {
  const opened: RecordStore[] = [];
  const clock = { now: 1_700_000_000_000 };

  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  async function openOne(limits: RecordLimits = {}, place = newPlace()): Promise<RecordStore> {
    const store = await open({ ...limits, epochNow: () => clock.now }, place);
    opened.push(store);
    return store;
  }

  return {
    clock,
    open: openOne,
    async openTwo(limits) {
      const place = newPlace();
      const first = await openOne(limits, place);
      return [first, isShared ? await openOne(limits, place) : first];
    },
  };
}

/** Writes a record that must be absent and answers its version. */
export async function createRecord(store: RecordStore, key: string, value = 'value', ttlMs?: number): Promise<string> {
  const version = await store.put(key, value, { expected: undefined, ...(ttlMs === undefined ? {} : { ttlMs }) });
  if (version === undefined) throw new Error(`there is a record ${key}`);
  return version;
}
