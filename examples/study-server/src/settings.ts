import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import { openSqliteRecordStore } from '@switchyard/stores/sqlite';

type Environment = Readonly<Record<string, string | undefined>>;

/** The callers of `STUDY_KEYS`, `NAME=KEY` with commas between them: by key. */
export function callersFrom(env: Environment): ReadonlyMap<string, string> {
  const pairs = (env['STUDY_KEYS'] ?? '').split(',').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(at + 1), pair.slice(0, at)];
    }),
  );
}

/** The store of `STUDY_DATABASE`, a SQLite file that all instances share; without it memory, which does for one. */
export function openStore(env: Environment): Promise<RecordStore> {
  const path = env['STUDY_DATABASE'];
  return path === undefined ? Promise.resolve(createMemoryRecordStore()) : openSqliteRecordStore({ path });
}

/** How long a handle is good, of `STUDY_HANDLE_MS`. */
export function handleTtlFrom(env: Environment): { readonly ttlMs?: number } {
  const given = env['STUDY_HANDLE_MS'];
  return given === undefined ? {} : { ttlMs: Number(given) };
}
