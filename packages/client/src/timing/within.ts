import type { Clock } from '../peer/clock.ts';

/** Answers what `work` comes to, or `undefined` when that takes longer than `ms`. Rejects as the work does. */
export async function within<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const stop = clock.after(ms, () => over.resolve(undefined));
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    stop();
  }
}
