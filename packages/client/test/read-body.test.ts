import { describe, expect, it } from 'vitest';
import type { FetchBody, FetchBodyReader } from '../src/http/fetch.ts';
import { readBody } from '../src/http/read-body.ts';

const text = 'a body of some length, with ü and 漢 in it. '.repeat(500);
const whole = new TextEncoder().encode(text);

/** A body that comes in parts of `size` bytes, and the parts. */
function bodyOf(size: number): { readonly body: FetchBody; readonly parts: readonly Uint8Array[] } {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += size) parts.push(whole.slice(at, at + size));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return { body, parts };
}

describe('a body', () => {
  it.each([1, 2, 4095, 4096, 4097, 1_000_000])(
    'is the same in parts of %d bytes, which stay as they were',
    async (size) => {
      const { body, parts } = bodyOf(size);
      const before = parts.map((part) => part.slice());
      const { bytes, isCut } = await readBody(body, whole.length);
      expect(isCut).toBe(false);
      expect(new TextDecoder().decode(bytes)).toBe(text);
      expect(parts).toEqual(before);
    },
  );

  it.each([1, 2, 4097, 1_000_000])('is cut at the limit in parts of %d bytes', async (size) => {
    const { bytes, isCut } = await readBody(bodyOf(size).body, 5000);
    expect(isCut).toBe(true);
    expect(bytes).toEqual(whole.subarray(0, 5000));
  });

  it('keeps none of the parts after the first, which may be one byte each and then weigh more than the body', async () => {
    const part = new Uint8Array(1);
    let at = 0;
    const reader: FetchBodyReader = {
      read() {
        if (at === whole.length) return Promise.resolve({ done: true });
        const value = at === 0 ? new Uint8Array(1) : part;
        value[0] = whole[at] ?? 0;
        at += 1;
        return Promise.resolve({ done: false, value });
      },
      cancel: () => Promise.resolve(),
    };
    const { bytes } = await readBody({ getReader: () => reader, cancel: reader.cancel }, whole.length);
    expect(new TextDecoder().decode(bytes)).toBe(text);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(whole.length);
  });

  it('may be empty or absent', async () => {
    expect(await readBody(null, 10)).toEqual({ bytes: new Uint8Array(0), isCut: false });
    const empty = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(0));
        controller.close();
      },
    });
    expect(await readBody(empty, 10)).toEqual({ bytes: new Uint8Array(0), isCut: false });
  });
});
