/** Answers a timer that does not keep the process alive, where the runtime has such. */
export function unheld<T extends ReturnType<typeof setTimeout>>(timer: T): T {
  (timer as { unref?: () => unknown }).unref?.();
  return timer;
}
