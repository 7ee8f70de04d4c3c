import type { Clock } from '../peer/clock.ts';
import { untilAborted } from '../timing/until-aborted.ts';

/** Waits that can be cut short. */
export interface Alarm {
  /** Ends the wait that is on, or else the next one. */
  ring(): void;
  /** Waits for `ms`, for a ring, or until `signal` aborts; then it rejects with its reason. One wait at a time. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Creates one. */
export function createAlarm(clock: Clock): Alarm {
  let bell = Promise.withResolvers<void>();
  return {
    ring: () => bell.resolve(),
    async wait(ms, signal) {
      const stop = clock.after(ms, () => bell.resolve());
      try {
        await untilAborted(signal, bell.promise);
      } finally {
        stop();
        bell = Promise.withResolvers<void>();
      }
    },
  };
}
