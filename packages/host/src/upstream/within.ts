import type { Surroundings } from '../surroundings.ts';

/** Waits for `work`, but no longer than `ms`; what becomes of it later counts no more. Rejects as the work does. */
export async function within(after: Surroundings['after'], ms: number, work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = after(ms, over.resolve);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    cancel();
  }
}
