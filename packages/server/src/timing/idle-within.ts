const CHECK_MS = 10;

/**
 * Waits until something is idle, at most `ms` milliseconds. Nothing tells when that is, so it is looked at every 10 ms.
 */
export function idleWithin(isBusy: () => boolean, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      clearInterval(check);
      clearTimeout(timer);
      resolve();
    };
    const look = (): void => {
      if (!isBusy()) stop();
    };
    const check = setInterval(look, CHECK_MS);
    const timer = setTimeout(stop, ms);
    look();
  });
}
