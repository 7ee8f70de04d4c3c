/** How much of a body is read. */
export interface ChunkBounds {
  readonly maxBytes: number;
  /** Asked before each chunk: whether what was made of those before is already too much. */
  readonly isFull: () => boolean;
  /** Makes the error for a body that has more. */
  readonly tooLarge: () => Error;
}

/** Yields a body chunk by chunk. What is left when the reader stops, or when it is too much, is cancelled. */
export async function* boundedChunks(
  body: ReadableStream<Uint8Array>,
  { maxBytes, isFull, tooLarge }: ChunkBounds,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      bytes += value?.length ?? 0;
      if (bytes > maxBytes || isFull()) throw tooLarge();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
