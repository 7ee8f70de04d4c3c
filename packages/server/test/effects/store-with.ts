import type { RecordStore } from '@switchyard/stores';

/** A store of which some methods do something else. */
export function storeWith(records: RecordStore, others: Partial<RecordStore>): RecordStore {
  return {
    get: (key) => records.get(key),
    put: (key, value, options) => records.put(key, value, options),
    delete: (key, options) => records.delete(key, options),
    keys: (prefix, options) => records.keys(prefix, options),
    close: () => records.close(),
    [Symbol.asyncDispose]: () => records.close(),
    ...others,
  };
}
