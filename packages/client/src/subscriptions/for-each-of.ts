const AT_ONCE = 4;

/**
 * Runs work on each item, on four at once. With a failure it begins no more, and rejects with the first one when what is
 * under way is over.
 */
export async function forEachOf<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && failures.length === 0; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  if (failures.length > 0) throw failures[0];
}
