/**
 * Calls a callback of the caller, whose failure must not reach the read loop that it is called from: `onFailure` is
 * told of one that throws, and of one whose promise rejects. A promise is not waited for.
 */
export function callGuarded(callback: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const outcome = callback();
    if (outcome instanceof Promise) outcome.catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}
