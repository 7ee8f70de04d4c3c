import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url, encodeThroughText } from '../src/base64.ts';

describe('base64', () => {
  test('writes what Node writes, in both alphabets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeThroughText(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      }),
    );
  });

  test('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  test('reads only texts that it would write', () => {
    const text = fc.string({ unit: fc.constantFrom(...'AQZg9+/-_= '), maxLength: 9 });
    fc.assert(
      fc.property(text, (candidate) => {
        const bytes = decodeBase64(candidate);
        if (bytes !== undefined) expect(encodeBase64(bytes)).toBe(candidate);
        const urlBytes = decodeBase64Url(candidate);
        if (urlBytes !== undefined) expect(encodeBase64Url(urlBytes)).toBe(candidate);
      }),
    );
  });

  test.each(['A', 'AA', 'AAA', 'A===', '=', 'AB==', 'AA==AA==', 'AA= =', 'AA\n=='])('refuses %j', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  test.each(['A', 'AA==', 'AB', '+A', 'A A'])('refuses %j as Base64url', (text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });
});
