const AT_ONCE = 4;

/** Runs work on each item, on four at once. Rejects with the first failure, and begins no more then. */
export async function forEachOf<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && !hasFailed; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
