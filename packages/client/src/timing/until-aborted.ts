/**
 * Waits for a promise that others may wait for, too, until `signal` aborts; then it rejects with its reason. Without a
 * signal it waits for as long as it takes.
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, shared: Promise<T>): Promise<T> {
  if (signal === undefined) return shared;
  shared.catch(() => {
    // Whoever else waits sees the failure; here it must not count as unhandled when the signal wins.
  });
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([shared, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
