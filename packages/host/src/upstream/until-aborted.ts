/**
 * Waits for `work`, without a signal for as long as it takes. When `signal` aborts first it rejects with the signal's
 * reason, and what becomes of the work counts no more.
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  work.catch(ignore);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function ignore(): void {
  // The caller gets the failure, unless the signal came first; here it must only not count as unhandled.
}
