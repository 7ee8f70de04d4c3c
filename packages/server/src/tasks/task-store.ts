import type { Principal } from '@switchyard/protocol';
import { type RecordStore, StoreError } from '@switchyard/stores';

import { MAX_CONFLICTS, tooManyConflicts } from '../effects/conflicts.ts';
import { callerKey } from '../limits/caller-key.ts';
import { digestOf } from '../state/digest.ts';
import { lapsed, type TaskChange } from './task-changes.ts';
import { parseTaskRecord, type TaskRecord, taskRecordText } from './task-record.ts';

/** The tasks of one server in a store that its instances may share. Every method rejects with StoreError. */
export interface TaskStore {
  /**
   * Where the task of a caller is stored, or `undefined` for an id that none has. Nobody else's task has the same
   * place.
   */
  keyOf(principal: Principal | undefined, taskId: string): string | undefined;
  /** How many tasks of a caller are stored, ended ones included; counts no further than `limit`. */
  count(principal: Principal | undefined, limit: number): Promise<number>;
  /** Stores a new task; it is gone `ttlMs` after that. */
  create(key: string, record: TaskRecord): Promise<void>;
  /** The task, or `undefined` when there is none any more. One whose process is gone has ended by then. */
  read(key: string): Promise<TaskRecord | undefined>;
  /**
   * Applies a change to what the task is at that moment, and answers what it is then; `undefined` when there is none
   * any more.
   */
  change(key: string, change: TaskChange): Promise<Changed | undefined>;
}

/** A task after a change, and whether the change did anything. */
export interface Changed {
  readonly record: TaskRecord;
  readonly isChanged: boolean;
}

const TASK_ID = /^[\w-]{1,128}$/;

/**
 * Makes the view of one server on a store. `audience` tells servers apart that share it; `epochNow` is in milliseconds
 * since the epoch; `isHere` answers whether this process runs the task with a key, which then is alive however late its
 * sign of life is; `onLapsed` is told the key of a task that ended because its process is gone.
 */
export function createTaskStore(
  records: RecordStore,
  site: {
    readonly audience: string;
    readonly epochNow: () => number;
    readonly isHere: (key: string) => boolean;
    readonly onLapsed: (key: string) => void;
  },
): TaskStore {
  const { audience, epochNow, isHere, onLapsed } = site;

  function prefixOf(principal: Principal | undefined): string {
    return `task:${digestOf([audience, callerKey(principal)])}:`;
  }

  async function change(key: string, step: TaskChange): Promise<Changed | undefined> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const found = await records.get(key);
      if (found === undefined) return undefined;
      const record = parseTaskRecord(found.value);
      if (record === undefined) throw new StoreError('corrupt', 'what is stored in the place of a task is none');
      const next = step(record);
      if (next === undefined) return { record, isChanged: false };
      const version = await records.put(key, taskRecordText(next), { expected: found.version });
      if (version !== undefined) return { record: next, isChanged: true };
    }
    throw tooManyConflicts('a task');
  }

  return {
    keyOf: (principal, taskId) => (TASK_ID.test(taskId) ? prefixOf(principal) + taskId : undefined),
    count: async (principal, limit) => (await records.keys(prefixOf(principal), { limit })).length,
    async create(key, record) {
      const version = await records.put(key, taskRecordText(record), { expected: undefined, ttlMs: record.ttlMs });
      if (version === undefined) throw new StoreError('unavailable', 'the id of a new task was taken');
    },
    async read(key) {
      const found = await records.get(key);
      const record = found === undefined ? undefined : parseTaskRecord(found.value);
      if (record === undefined || isHere(key) || lapsed(epochNow())(record) === undefined) return record;
      const changed = await change(key, lapsed(epochNow()));
      if (changed?.isChanged === true) onLapsed(key);
      return changed?.record;
    },
    change,
  };
}
