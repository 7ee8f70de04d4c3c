/** A clock that moves when the test says so. */
export interface ManualClock {
  now(): number;
  after(delayMs: number, task: () => void): () => void;
  /**
   * Lets time pass; tasks run in the order in which they fall due, and what each sets off comes to rest before the
   * next.
   */
  advance(ms: number): Promise<void>;
}

export function createManualClock(): ManualClock {
  const tasks = new Map<symbol, { readonly at: number; readonly task: () => void }>();
  let time = Date.UTC(2026, 0, 1);
  return {
    now: () => time,
    after(delayMs, task) {
      const key = Symbol('task');
      tasks.set(key, { at: time + delayMs, task });
      return () => tasks.delete(key);
    },
    async advance(ms) {
      const end = time + ms;
      await rest();
      for (;;) {
        const due = [...tasks].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)[0];
        if (due === undefined) break;
        tasks.delete(due[0]);
        time = due[1].at;
        due[1].task();
        await rest();
      }
      time = end;
      await rest();
    },
  };
}

/** Lets promises and immediates that are ready run. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
