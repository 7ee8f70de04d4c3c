import { untilAborted } from '../timing/until-aborted.ts';

/** Lets a number of tasks run at a time. */
export interface Slots {
  /** Runs a task when its turn comes, in the order of asking; rejects with the signal's reason when that comes first. */
  run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

/** Creates slots for `max` tasks. */
export function createSlots(max: number): Slots {
  const waiting = new Set<() => void>();
  let running = 0;

  return {
    async run(signal, task) {
      if (running >= max) await turn(signal);
      else running += 1;
      try {
        return await task();
      } finally {
        // The slot goes from hand to hand, so that nobody can take it in between.
        const [next] = waiting;
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };

  async function turn(signal: AbortSignal): Promise<void> {
    const come = Promise.withResolvers<void>();
    let hasTurn = false;
    const take = (): void => {
      waiting.delete(take);
      hasTurn = true;
      come.resolve();
    };
    waiting.add(take);
    try {
      await untilAborted(signal, come.promise);
    } catch (error) {
      waiting.delete(take);
      const [next] = waiting;
      if (hasTurn) {
        if (next === undefined) running -= 1;
        else next();
      }
      throw error;
    }
  }
}
