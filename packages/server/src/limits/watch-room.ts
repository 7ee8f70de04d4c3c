import type { Logger } from '@switchyard/protocol';
import type { RecordStore } from '@switchyard/stores';

/** After so many writes the store is asked how full it is. */
const WRITES_PER_LOOK = 256;
const WARNED_FROM = 0.8;
/** Once it is as empty as that, it is warned of anew. */
const FORGOTTEN_UNDER = 0.7;

/**
 * Answers the store as it is, but that the log says once when it becomes 80 % full: a full store refuses every new
 * effect, single use and task, whoever filled it. One that cannot say how full it is, is answered itself. `logger` must
 * not throw.
 */
export function watchRoom(store: RecordStore, logger: Logger): RecordStore {
  if (store.fullness === undefined) return store;
  let writes = 0;
  let isWarned = false;

  function look(fullness: number): void {
    if (fullness < FORGOTTEN_UNDER) isWarned = false;
    if (fullness < WARNED_FROM || isWarned) return;
    isWarned = true;
    logger.warn(
      { fullness },
      'the record store is nearly full; once it is, effects, single use and tasks fail for everybody: raise its maxRecords and maxTotalChars, or shorten effectRetentionMs',
    );
  }

  return {
    get: (key) => store.get(key),
    put(key, value, options) {
      // A store that does not answer shows in the write itself.
      if (writes % WRITES_PER_LOOK === 0) void store.fullness?.().then(look, () => undefined);
      writes += 1;
      return store.put(key, value, options);
    },
    delete: (key, options) => store.delete(key, options),
    keys: (prefix, options) => store.keys(prefix, options),
    fullness: () => store.fullness?.() ?? Promise.resolve(0),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
