import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../src/cursor.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('cursor', () => {
  test('[PAG-07] comes back as it was, for any key and order', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, text, (after, order) => {
        const cursor = encodeCursor({ after, order });
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor)).toEqual({ after, order });
      }),
    );
  });

  test('keeps unpaired surrogates of a key apart', () => {
    const cursors = ['\ud800', '\udc00', '\ufffd'].map((after) => encodeCursor({ after, order: 'name' }));
    expect(new Set(cursors).size).toBe(3);
    expect(cursors.map((cursor) => decodeCursor(cursor)?.after)).toEqual(['\ud800', '\udc00', '\ufffd']);
  });

  test.each([
    ['a number', 7],
    ['null', null],
    ['the empty string', ''],
    ['plain text', 'zzz'],
    ['an index', '10'],
    ['padding', `${encode([1, 'a', 'name'])}==`],
    ['another alphabet', 'WzEsIj8/Pz4iLCJuYW1lIl0+/'],
    ['no JSON', Buffer.from('[1,').toString('base64url')],
    ['no UTF-8', Buffer.from([0x5b, 0xff, 0x5d]).toString('base64url')],
    ['an object', encode({ after: 'a', order: 'name' })],
    ['another version', encode([2, 'a', 'name'])],
    ['a version as text', encode(['1', 'a', 'name'])],
    ['a member too few', encode([1, 'a'])],
    ['a member too many', encode([1, 'a', 'name', 'x'])],
    ['a key that is no string', encode([1, 7, 'name'])],
    ['an order that is no string', encode([1, 'a', null])],
    ['whitespace', Buffer.from('[1, "a", "name"]').toString('base64url')],
    ['needless escapes', Buffer.from('[1,"\\u0061","name"]').toString('base64url')],
    ['a byte order mark', Buffer.from('\uFEFF[1,"a","name"]').toString('base64url')],
  ])('[PAG-08] reads %s as no cursor', (_, text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });

  test('[PAG-08] reads no cursor that differs in one character', () => {
    const cursor = encodeCursor({ after: 'get_order', order: 'name' });
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_=+/ %'), (index, character) => {
        const changed = cursor.slice(0, index) + character + cursor.slice(index + 1);
        const decoded = decodeCursor(changed);
        if (decoded !== undefined) expect(encodeCursor(decoded)).toBe(changed);
      }),
    );
  });

  test('never throws on any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void decodeCursor(text)));
  });

  test('is at most 4,096 characters long, in both directions', () => {
    const longest = { after: 'a'.repeat(3063), order: '' };
    expect(encodeCursor(longest)).toHaveLength(4096);
    expect(decodeCursor(encodeCursor(longest))).toEqual(longest);
    expect(() => encodeCursor({ after: 'a'.repeat(3064), order: '' })).toThrow(RangeError);
    expect(decodeCursor(encode([1, 'a'.repeat(3064), '']))).toBeUndefined();
  });
});
