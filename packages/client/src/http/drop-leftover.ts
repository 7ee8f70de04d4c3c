import type { PeerContext } from '../peer/peer-context.ts';
import type { FetchBodyReader } from './fetch.ts';

/** As much of a body that nobody waits for is read, so that its socket can be used again. */
export const MAX_LEFTOVER_BYTES = 64 * 1024;
const LEFTOVER_MS = 1000;

/**
 * Lets a stream end by itself after its answer, so that its socket can be used again; one that goes on for a second or
 * 64 KiB is cut off. It never rejects.
 */
export async function dropLeftover(reader: FetchBodyReader, context: PeerContext): Promise<void> {
  const cancel = (): void => {
    reader.cancel().catch(() => {
      // The stream is over either way, and nobody waits for it.
    });
  };
  const stop = context.clock.after(LEFTOVER_MS, cancel);
  try {
    let left = MAX_LEFTOVER_BYTES;
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value?.length ?? 0;
    }
    cancel();
  } catch {
    // As above: the answer is complete, so how the stream ends changes nothing.
  } finally {
    stop();
  }
}
