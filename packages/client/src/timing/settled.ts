/** Resolves when work is over, however it ended: whoever else waits for it gets the reason. */
export async function settled(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch {
    // See above.
  }
}
