import { cleanText } from '@switchyard/guards';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const wide = { maxChars: 10_000 };
const ESC = '\x1b';

// What a text to be shown must never hold, first and last code point, written out apart from the source's own
// expression.
const FORBIDDEN: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

function isForbidden(character: string): boolean {
  const codePoint = character.codePointAt(0) ?? 0;
  return FORBIDDEN.some(([first, last]) => codePoint >= first && codePoint <= last);
}

const nasty = fc.oneof(
  fc.constantFrom(
    ESC,
    '\x9b',
    '\x9d',
    '\x90',
    '\x9c',
    '\x07',
    '\\',
    '[',
    ']',
    '0;1',
    'm',
    'P',
    '^',
    '_',
    'X',
    '(B',
    '\n',
    '\r',
    '\t',
    '\x00',
    '\x7f',
    '\x85',
    '\u2028',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u{e0041}',
    '\u{e0101}',
    '\ufe0f',
    '\ud83d',
    '\ude00',
    '😀',
    'é',
    'a',
  ),
  fc.string({ unit: 'binary' }),
);
const nastyText = fc.array(nasty, { maxLength: 60 }).map((parts) => parts.join(''));

describe('cleaning a text from outside', () => {
  it.each([
    ['colours', `${ESC}[1;31mred${ESC}[0m text`, 'red text'],
    ['cursor movement and erasing', `a${ESC}[2J${ESC}[1;1H${ESC}[?25lb`, 'ab'],
    ['a window title', `${ESC}]0;title\x07text`, 'text'],
    ['a link', `${ESC}]8;;https://evil.example${ESC}\\here${ESC}]8;;${ESC}\\`, 'here'],
    ['a write to the clipboard', `x${ESC}]52;c;Y3VybA==\x07y`, 'xy'],
    [
      'device control and private messages',
      `a${ESC}Pq#0${ESC}\\b${ESC}^m${ESC}\\c${ESC}_k${ESC}\\d${ESC}Xs${ESC}\\e`,
      'abcde',
    ],
    ['8-bit sequences', 'a\x9b31mb\x9d0;t\x9cc\x90q\x9cd', 'abcd'],
    ['character sets and reset', `a${ESC}(Bb${ESC}cc${ESC}#8d`, 'abcd'],
    ['a sequence without end, whose text stays', `a${ESC}]0;still shown`, 'a0;still shown'],
    ['a lone escape character at the end', `a${ESC}`, 'a'],
    ['a backspace that would overwrite', 'safe\b\b\b\bevil', 'safeevil'],
    ['line ends that would start a log line', 'a\r\nINFO b\nc\rd\u2028e\x85f', 'a INFO b c d e f'],
    ['tabs', 'a\tb', 'a b'],
    ['bidirectional overrides and isolates', 'user\u202e\u2066// admin\u2069 \u2066', 'user// admin '],
    ['zero-width characters', 'pay\u200b\u200c\u200d\u2060\ufeff\u00adpal', 'paypal'],
    ['tag characters', `ok\u{e0069}\u{e0067}\u{e007f}`, 'ok'],
    ['variation selectors', 'ok\ufe0f\u{e0101}\u{e01ef}', 'ok'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ])('takes out %s', (_kind, text, expected) => {
    expect(cleanText(text, wide)).toBe(expected);
  });

  it.each(['', 'plain', 'Größe: 5 €', '日本語', 'مرحبا', 'नमस्ते', '😀', '[31m is no escape', 'a  b', 'C:\\x'])(
    'leaves %j as it is',
    (text) => {
      expect(cleanText(text, wide)).toBe(text);
    },
  );

  it('keeps line ends and tabs where it is told to', () => {
    const text = 'a\r\nb\rc\n\td';
    expect(cleanText(text, { ...wide, keepNewlines: true })).toBe('a\nb\nc\n d');
    expect(cleanText(text, { ...wide, keepTabs: true })).toBe('a b c \td');
    expect(cleanText(text, { ...wide, keepNewlines: true, keepTabs: true })).toBe('a\nb\nc\n\td');
  });

  it.each([
    ['a'.repeat(30), 30, 'a'.repeat(30)],
    ['a'.repeat(60), 40, `${'a'.repeat(18)}… [42 more characters]`],
    ['a'.repeat(31), 30, `${'a'.repeat(8)}… [23 more characters]`],
    ['😀'.repeat(50), 31, `${'😀'.repeat(4)}… [92 more characters]`],
    ['a'.repeat(1_000_000), 40, `${'a'.repeat(13)}… [999987 more characters]`],
    ['abcdef', 3, 'ab…'],
    ['😀😀', 3, '😀…'],
    ['😀😀', 2, '…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['', 0, ''],
    ['abc', NaN, ''],
    ['abc', -5, ''],
  ])('shortens to a limit and says how much is missing (row %#)', (text, maxChars, expected) => {
    expect(cleanText(text, { maxChars })).toBe(expected);
  });

  it('shows nothing harmful, is never too long and always well-formed', () => {
    fc.assert(
      fc.property(nastyText, fc.nat(80), fc.boolean(), fc.boolean(), (text, maxChars, keepNewlines, keepTabs) => {
        const cleaned = cleanText(text, { maxChars, keepNewlines, keepTabs });
        expect(Array.from(cleaned).filter(isForbidden)).toEqual([]);
        expect(cleaned.includes('\n') && !keepNewlines).toBe(false);
        expect(cleaned.includes('\t') && !keepTabs).toBe(false);
        expect(cleaned.length).toBeLessThanOrEqual(maxChars);
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing a second time', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const cleaned = cleanText(text, wide);
        expect(cleanText(cleaned, wide)).toBe(cleaned);
      }),
    );
  });

  it('keeps every visible character of a text without escape sequences, in order', () => {
    const calm = fc.string({ unit: 'grapheme' }).filter((text) => !/[\x1b\x80-\x9f]/.test(text));
    fc.assert(
      fc.property(calm, (text) => {
        const lines = text.replace(/\r\n/g, '\n');
        const visible = Array.from(lines, (character) =>
          /[\n\r\t\v\f\u2028\u2029]/.test(character) ? ' ' : character,
        );
        expect(cleanText(text, wide)).toBe(visible.filter((character) => !isForbidden(character)).join(''));
      }),
    );
  });

  it.each([`${ESC}]`, `${ESC}[`, '\x9d', `${ESC}[1`, ESC, `${ESC}P1;`, '\u200b', '\ud800'])(
    'comes to an end with a text of very many times %j',
    (part) => {
      const cleaned = cleanText(part.repeat(300_000), { maxChars: 20_000_000 });
      expect(cleaned).not.toMatch(/[\x1b\x9d\u200b]/);
    },
  );
});
