import { renewed, type TaskChange, taken } from './task-changes.ts';
import type { TaskRecord } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

interface PendingWrite {
  readonly change: TaskChange;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes what the process that runs a task has to say of it: one write at a time, with everything that waits and a sign
 * of life.
 */
export class TaskWriter {
  readonly #site: WriterSite;
  readonly #observer: WriterObserver;
  readonly #takenKeys = new Set<string>();
  #pending: PendingWrite[] = [];
  #isFlushing = false;
  #isRenewalDue = false;
  #isClosed = false;

  constructor(site: WriterSite, observer: WriterObserver) {
    this.#site = site;
    this.#observer = observer;
  }

  /** Resolves when the change is stored, or did nothing, or the task is gone; rejects with StoreError. */
  write(change: TaskChange): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#pending.push({ change, resolve, reject });
      void this.#flush();
    });
  }

  /** Writes a sign of life, and drops what was taken; after what is being written. It never rejects. */
  renew(): Promise<void> {
    this.#isRenewalDue = true;
    return this.#flush();
  }

  /** Has the next write drop an answer that the handler has. */
  take(key: string): void {
    this.#takenKeys.add(key);
  }

  /** Writes nothing any more. */
  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#pending.splice(0)) resolve();
  }

  async #flush(): Promise<void> {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    do {
      // What a handler asks for together is written together.
      await Promise.resolve();
      this.#isRenewalDue = false;
      await this.#flushOnce(this.#pending.splice(0));
    } while (this.#pending.length > 0 || this.#isRenewalDue);
    this.#isFlushing = false;
  }

  async #flushOnce(writes: readonly PendingWrite[]): Promise<void> {
    const { store, key, epochNow, onChanged } = this.#site;
    const { onWritten, onFailure } = this.#observer;
    const keys = new Set(this.#takenKeys);
    const changes = [taken(keys), ...writes.map(({ change }) => change), renewed(epochNow())];
    try {
      const changed = await store.change(key, inTurn(changes));
      for (const each of keys) this.#takenKeys.delete(each);
      if (writes.length > 0 && changed?.isChanged === true) onChanged();
      for (const { resolve } of writes) resolve();
      onWritten(changed?.record);
    } catch (error) {
      if (writes.length === 0) onFailure(error);
      // It may have been written all the same.
      else onChanged();
      for (const { reject } of writes) reject(error);
    }
  }
}

/** What a writer writes to. */
export interface WriterSite {
  readonly key: string;
  readonly store: TaskStore;
  readonly epochNow: () => number;
  /** Told when whoever looks at the task sees something new. */
  readonly onChanged: () => void;
}

/** Who is told what a write came to. */
export interface WriterObserver {
  /** The task as it is after a write; `undefined`: it is gone. */
  readonly onWritten: (record: TaskRecord | undefined) => void;
  /** A sign of life could not be written. */
  readonly onFailure: (error: unknown) => void;
}

function inTurn(changes: readonly TaskChange[]): TaskChange {
  return (record) => {
    let last = record;
    for (const change of changes) last = change(last) ?? last;
    return last === record ? undefined : last;
  };
}
