/** Waits until everything that waits now had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until something is so; a test that waits in vain fails by its time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}
