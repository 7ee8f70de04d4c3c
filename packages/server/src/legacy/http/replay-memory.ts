/** What holds events, and can give the oldest of them up. */
export interface EventHolder {
  dropOldest(): void;
}

/** The memory that all streams share for events that a client may come back for. */
export interface ReplayMemory {
  /**
   * Counts bytes that a holder keeps from now on; what is over the bound, the holders that kept nothing new for longest
   * give up.
   */
  hold(holder: EventHolder, bytes: number): void;
  /** Counts bytes that a holder gave up, or forgets it when it holds nothing any more. */
  release(holder: EventHolder, bytes: number, isEmpty: boolean): void;
}

/** Makes a memory of `maxBytes`. */
export function createReplayMemory(maxBytes: number): ReplayMemory {
  // In the order in which they last kept something.
  const holders = new Set<EventHolder>();
  let held = 0;
  const isOver = (): boolean => held > maxBytes;
  return {
    hold(holder, bytes) {
      held += bytes;
      holders.delete(holder);
      holders.add(holder);
      for (const oldest of holders) {
        while (isOver() && holders.has(oldest)) oldest.dropOldest();
        if (!isOver()) return;
      }
    },
    release(holder, bytes, isEmpty) {
      held -= bytes;
      if (isEmpty) holders.delete(holder);
    },
  };
}
