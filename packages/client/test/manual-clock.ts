import type { Clock } from '../src/index.ts';

/** A clock that moves when the test says so. */
export interface ManualClock extends Clock {
  /** Lets time pass; tasks that fall due run in order, and what they set off comes to rest in between. */
  advance(ms: number): Promise<void>;
}

export function createManualClock(): ManualClock {
  const tasks = new Map<number, { readonly at: number; readonly task: () => void }>();
  let time = 0;
  let nextKey = 0;
  return {
    now: () => time,
    after(delayMs, task) {
      nextKey += 1;
      const key = nextKey;
      tasks.set(key, { at: time + delayMs, task });
      return () => tasks.delete(key);
    },
    async advance(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const due = [...tasks].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
        if (due === undefined) break;
        const [key, { at, task }] = due;
        tasks.delete(key);
        time = at;
        task();
        await settle();
      }
      time = end;
    },
  };
}

/** Lets everything that is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
