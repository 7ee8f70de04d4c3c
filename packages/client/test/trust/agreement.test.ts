import type { ContentBlock } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { findDisagreement } from '../../src/index.ts';

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
});
