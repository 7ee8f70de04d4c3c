/**
 * Waits for what may never settle, at most `ms` milliseconds; it must not reject. The timer holds the process: left
 * with nothing but a promise to wait for, Node would end it with code 13.
 */
export function waitAtMost(settled: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void settled.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
