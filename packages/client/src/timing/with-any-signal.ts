/**
 * Runs work under a signal that aborts with the first of several, for its reason. In contrast to `AbortSignal.any`
 * nothing of it stays behind at signals that live long.
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const listening: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) controller.abort(signal.reason);
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    listening.push(() => signal.removeEventListener('abort', onAbort));
  }
  try {
    return await run(controller.signal);
  } finally {
    for (const stop of listening) stop();
  }
}
