import { type JsonObject, parseJson } from '@switchyard/protocol';

import { detailedTaskText } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

/** How often tasks are looked at that nobody told news of, in milliseconds: of a process that is gone nobody does. */
const LOOK_MS = 5_000;

/** Tells one subscriber of tasks: what each is when it begins to watch, and what it becomes. */
export class TaskWatch {
  readonly #store: TaskStore;
  /** The id of each watched task by its key. */
  readonly #ids: Map<string, string>;
  /** What was told last of each task that may have more news. */
  readonly #told = new Map<string, string>();
  readonly #toLookAt = new Set<string>();
  readonly #onFailure: (error: unknown) => void;
  #tell: ((task: JsonObject) => void) | undefined;
  #isLooking = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(store: TaskStore, ids: ReadonlyMap<string, string>, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#ids = new Map(ids);
    this.#onFailure = onFailure;
  }

  /** The tasks that are there, and the caller's. */
  get ids(): readonly string[] {
    return [...this.#ids.values()];
  }

  /** Begins to tell: every task as it is, then each change. */
  begin(tell: (task: JsonObject) => void): void {
    if (this.#ids.size === 0) return;
    this.#tell = tell;
    this.#timer = setInterval(() => this.changed(undefined), LOOK_MS);
    this.changed(undefined);
  }

  /** The task under a key may have changed; `undefined`: any may have. */
  changed(key: string | undefined): void {
    if (key === undefined) for (const each of this.#ids.keys()) this.#toLookAt.add(each);
    else if (this.#ids.has(key)) this.#toLookAt.add(key);
    if (!this.#isLooking && this.#tell !== undefined) void this.#look();
  }

  /** Ends the watch. */
  end(): void {
    this.#tell = undefined;
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    // A set hands out what is added while it is walked.
    for (const key of this.#toLookAt) {
      this.#toLookAt.delete(key);
      if (this.#tell === undefined) break;
      try {
        await this.#lookAt(key);
      } catch (error) {
        this.#onFailure(error);
      }
    }
    this.#isLooking = false;
  }

  async #lookAt(key: string): Promise<void> {
    const id = this.#ids.get(key);
    if (id === undefined) return;
    const record = await this.#store.read(key);
    // What has ended, and what is gone, has no more news.
    if (record?.end !== undefined || record === undefined) this.#ids.delete(key);
    const last = this.#told.get(key);
    this.#told.delete(key);
    if (record === undefined) return;
    const text = detailedTaskText(id, record);
    if (record.end === undefined) this.#told.set(key, text);
    if (last === text) return;
    this.#tell?.(parseJson(text, { exactIntegers: true }) as JsonObject);
  }
}
