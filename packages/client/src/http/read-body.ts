import type { FetchBody } from './fetch.ts';

/** The bytes of a body, or as many as were allowed. */
interface ReadBody {
  readonly bytes: Uint8Array;
  /** Whether there was more, which was not read. */
  readonly isCut: boolean;
}

/** Reads a body up to `maxBytes`; what lies beyond is given up, not read. Rejects as the body's reader does. */
export async function readBody(body: FetchBody | null, maxBytes: number): Promise<ReadBody> {
  if (body === null) return { bytes: new Uint8Array(0), isCut: false };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(chunks, length), isCut: false };
    if (value === undefined) continue;
    chunks.push(value);
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return { bytes: joined(chunks, length).subarray(0, maxBytes), isCut: true };
    }
  }
}

/**
 * Reads the beginning of a body that is only told of, such as an error page. Where it breaks off there is nothing to tell; it
 * never rejects.
 */
export async function readBeginning(body: FetchBody | null, maxBytes: number): Promise<ReadBody> {
  try {
    return await readBody(body, maxBytes);
  } catch {
    // The status, which has come, says more than how the body ended.
    return { bytes: new Uint8Array(0), isCut: true };
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
