import { untilAborted } from '../timing/until-aborted.ts';
import type { TokenStore } from './token-store.ts';

/** Creates a store that forgets everything with the process. Values are copied nowhere. */
export function createMemoryTokenStore(): TokenStore {
  const values = new Map<string, string>();
  const ends = new Map<string, Promise<void>>();
  return {
    get: (key) => Promise.resolve(values.get(key)),
    set: (key, value) => Promise.resolve(void values.set(key, value)),
    delete: (key) => Promise.resolve(void values.delete(key)),

    async exclusively(key, signal, work) {
      signal.throwIfAborted();
      const before = ends.get(key) ?? Promise.resolve();
      const done = Promise.withResolvers<void>();
      const end = before.then(() => done.promise);
      ends.set(key, end);
      try {
        await untilAborted(signal, before);
        return await work();
      } finally {
        done.resolve();
        if (ends.get(key) === end) ends.delete(key);
      }
    },
  };
}
