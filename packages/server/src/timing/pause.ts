/** Resolves after some milliseconds, or when the signal aborts: whoever waits looks at it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
    // It tells nobody who comes late.
    if (signal?.aborted === true) wake();
  });
}
