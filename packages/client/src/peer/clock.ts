/** Where a client takes time from, so that a test can move it. */
export interface Clock {
  /** Milliseconds that only ever grow; the origin does not matter. */
  now(): number;
  /** Runs `task` once after `delayMs`; the answer calls it off. */
  after(delayMs: number, task: () => void): () => void;
}

/** The clock of the platform. A waiting timer keeps the process alive, because a call is waiting for it. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
