/** The bytes of a body as they come. */
export interface BodyBytes {
  /** Takes the next bytes and answers whether the body is still within its limit; past it, nothing is kept. */
  add(chunk: Uint8Array): boolean;
  /** Everything that was added. */
  all(): Uint8Array;
}

const firstCapacityBytes = 4096;

/**
 * Collects a body of at most `maxBytes`. Further chunks are copied together, since a chunk of one byte costs a hundred bytes of
 * memory: whoever sends a body byte by byte must not take more memory than one who sends it at once.
 */
export function createBodyBytes(maxBytes: number): BodyBytes {
  let held: Uint8Array = new Uint8Array(0);
  let length = 0;
  return {
    add(chunk) {
      const start = length;
      length += chunk.length;
      if (length > maxBytes) {
        held = new Uint8Array(0);
        return false;
      }
      if (start === 0) {
        held = chunk;
        return true;
      }
      if (length > held.length) {
        const grown = new Uint8Array(Math.min(Math.max(length, start * 2, firstCapacityBytes), maxBytes));
        grown.set(held.subarray(0, start));
        held = grown;
      }
      held.set(chunk, start);
      return true;
    },
    all: () => held.subarray(0, length),
  };
}
