import type { ContentBlock } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDisagreement } from '../../src/index.ts';
import { comparableText } from '../../src/trust/comparable-text.ts';
import { createComparison } from '../../src/trust/comparison.ts';

const text = (...texts: string[]): ContentBlock[] => texts.map((each) => ({ type: 'text', text: each }));
const inexact = { exactIntegers: false };

describe('text and structured form', () => {
  it.each([
    ['the same object in another order and spacing', ['{ "b": [1.0, 2],\n"a": "ä" }'], { a: 'ä', b: [1, 2] }],
    ['free text', ['3 orders', '7', 'null', 'true', '{not json', ''], { count: 3 }],
    ['a member', ['{"id":1}'], { order: { id: 1 }, note: 'x' }],
    ['one block for each item of a member', ['{"id":1}', '{"id":2}'], { result: [{ id: 1 }, { id: 2 }] }],
    ['one block for each item', ['{"id":1}', '{"id":2}'], [{ id: 1 }, { id: 2 }]],
    ['a file’s text that is JSON', ['{"version":"1.0.0"}'], { content: '{"version":"1.0.0"}' }],
    ['a scalar', ['7'], 7],
    ['a string and its own text', ['seven'], 'seven'],
    ['a string that looks like JSON', ['[1]'], '[1]'],
    ['an integer too large for a double, both rounded', ['{"id":9007199254740993}'], { id: 9_007_199_254_740_992 }],
    [
      'a member of many that is the text itself',
      ['[7]'],
      { rows: Array.from({ length: 99_999 }, (_, row) => `[${row}]`), content: '[7]' },
    ],
    ['null for a member that is absent', ['{"a":null}'], {}],
    ['members that are null left out, at any depth', ['{"a":1,"b":{}}'], { a: 1, b: { c: null }, d: null }],
    ['nothing but null left out', ['{}'], { a: null }],
    ['space around a text member', ['{"v":1}\n'], { content: '{"v":1}' }],
    ['space around the text of a text member', ['{"v":1}'], { content: ' {"v":1}\r\n' }],
    ['one block for each line of a text', ['[1]', '[2]'], { content: '[1]\n[2]\r\n' }],
    ['a lone surrogate in both', ['{"a":"\\ud800"}'], { a: '\ud800' }],
  ])('agree: %s', (_name, texts, structured) => {
    expect(findDisagreement(text(...texts), structured, inexact)).toBeUndefined();
  });

  it.each([
    ['another value', ['{"approved":true}'], { approved: false }, 0],
    ['a member more', ['{"a":1,"b":2}'], { a: 1 }, 0],
    ['a member less', ['{"a":1}'], { a: 1, b: 2 }, 0],
    ['another type of number', ['{"a":"1"}'], { a: 1 }, 0],
    ['the second block', ['{"a":1}', '{"a":2}'], { a: 1 }, 1],
    ['an array for an object', ['[]'], {}, 0],
    ['null for a member that has a value', ['{"a":null}'], { a: 1 }, 0],
    ['null for an item', ['[1]'], [1, null], 0],
    ['a line that is in no text', ['[3]'], { content: '[1]\n[2]' }, 0],
    ['another scalar', ['8'], 7, 0],
    ['an object for a scalar', ['{"n":7}'], 7, 0],
    ['something for null', ['0'], null, 0],
    [
      'a part of a form too large to look at every part',
      ['[7]'],
      { rows: Array.from({ length: 99_999 }, (_, row) => [row]) },
      0,
    ],
    ['a very deep text', [`${'['.repeat(100_000)}${']'.repeat(100_000)}`], [], 0],
  ])('disagree: %s', (_name, texts, structured, index) => {
    expect(findDisagreement(text(...texts), structured, inexact)).toBe(index);
  });

  it('disagree where big integers are kept and differ in the last digit', () => {
    const structured = { id: 9_007_199_254_740_993n };
    expect(findDisagreement(text('{"id":9007199254740993}'), structured, { exactIntegers: true })).toBeUndefined();
    expect(findDisagreement(text('{"id":9007199254740992}'), structured, { exactIntegers: true })).toBe(0);
  });

  it.each([
    ['1e30', 10n ** 30n],
    ['-1.5e+30', -15n * 10n ** 29n],
    ['1e21', 10n ** 21n],
    [`1${'0'.repeat(21)}`, 1e21],
    ['123456789e12', 123456789n * 10n ** 12n],
  ])('agree where big integers are kept and one is written in another notation: %s', (written, id) => {
    expect(findDisagreement(text(`{"id":${written}}`), { id }, { exactIntegers: true })).toBeUndefined();
    expect(findDisagreement(text(`{"id":${written}}`), { rows: [{ id }] }, { exactIntegers: true })).toBeUndefined();
    expect(findDisagreement(text(`{"id":1${written.replace('-', '')}}`), { id }, { exactIntegers: true })).toBe(0);
  });

  it('are compared in the same way as wholes and as parts', () => {
    const member = fc.oneof(fc.constant(null), fc.integer({ max: 3 }), fc.bigInt(), fc.constant(1e21));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        member,
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(createComparison(other)(one)).toBe(comparableText(one) === comparableText(other));
        expect(createComparison(one)(structuredClone(one))).toBe(true);
      }),
    );
  });

  it('are read no further than 50,000 texts that may be JSON', () => {
    const content = text(...Array.from({ length: 50_002 }, () => '{not json'));
    expect(findDisagreement(content, { a: 1 }, inexact)).toBe(50_000);
    expect(findDisagreement(content.slice(0, 50_000), { a: 1 }, inexact)).toBeUndefined();
  });

  it('are compared by the first 50,000 lines that may be JSON', () => {
    const content = Array.from({ length: 50_001 }, (_, line) => `[${line}]`).join('\n');
    expect(findDisagreement(text('[49999]'), { content: `a\n${content}` }, inexact)).toBeUndefined();
    expect(findDisagreement(text('[50000]'), { content }, inexact)).toBe(0);
  });

  it('are read no further than 2 Mi characters that may be parts', () => {
    const padded = `{"a":1,"b":null}${' '.repeat(1024 * 1024)}`;
    expect(findDisagreement(text(padded), { rows: [{ a: 1 }] }, inexact)).toBeUndefined();
    expect(findDisagreement(text(padded, padded), { rows: [{ a: 1 }] }, inexact)).toBe(1);
    expect(findDisagreement(text(padded, padded, padded), { a: 1 }, inexact)).toBeUndefined();
  });

  it('are compared without counting a wide form for each text', () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, null]));
    let looks = 0;
    const form = new Proxy(wide, { ownKeys: (target) => ((looks += 1), Reflect.ownKeys(target)) });
    const isSame = createComparison(form);
    expect([{}, {}, {}].map(isSame)).toEqual([true, true, true]);
    expect(looks).toBe(1);
  });
});
