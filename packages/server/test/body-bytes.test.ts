import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { BodyBytes } from '../src/exchange/body-bytes.ts';

describe('the bytes of a body', () => {
  it('are those of its chunks in their order, however it is cut, and no chunk is written to', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 6_000 }), { maxLength: 8 }), (chunks) => {
        const before = chunks.map((chunk) => Uint8Array.from(chunk));
        const whole = Buffer.concat(chunks);
        const body = new BodyBytes(whole.length);
        for (const chunk of chunks) expect(body.add(chunk)).toBe(true);
        expect(Buffer.from(body.all()).equals(whole)).toBe(true);
        expect(chunks).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  it('take no more memory than twice their length when they come one by one, and never more than the limit', () => {
    const maxBytes = 100_000;
    const body = new BodyBytes(maxBytes);
    for (let length = 1; length <= maxBytes; length += 1) {
      body.add(Uint8Array.of(length % 251));
      const { buffer } = body.all();
      if (length > 1) expect(buffer.byteLength).toBeLessThanOrEqual(Math.min(maxBytes, Math.max(4_096, 2 * length)));
    }
    expect(body.all()).toHaveLength(maxBytes);
    expect(body.all()[250]).toBe(0);
  });

  it('are dropped once they pass the limit', () => {
    const body = new BodyBytes(10);
    expect(body.add(new Uint8Array(10))).toBe(true);
    expect(body.add(new Uint8Array(0))).toBe(true);
    expect(body.add(new Uint8Array(1))).toBe(false);
    expect(body.all()).toHaveLength(0);
    expect(body.add(new Uint8Array(1))).toBe(false);
    expect(body.all()).toHaveLength(0);
  });
});
