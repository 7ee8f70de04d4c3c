import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue, HeaderValueError } from '../src/header-value.ts';

describe('encodeHeaderValue', () => {
  test.each([
    ['us-west1', 'us-west1'],
    ['', ''],
    ['two words', 'two words'],
    ['file:///srv/a?b#c', 'file:///srv/a?b#c'],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
  ])('[HDR-16] sends printable ASCII as it is: %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });

  test.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ['日本語', '=?base64?5pel5pys6Kqe?='],
    ['zählen', '=?base64?esOkaGxlbg==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    [' us-west1', '=?base64?IHVzLXdlc3Qx?='],
    ['us-west1 ', '=?base64?dXMtd2VzdDEg?='],
    [' ', '=?base64?IA==?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['line1\r\nline2', '=?base64?bGluZTENCmxpbmUy?='],
    ['\tindented', '=?base64?CWluZGVudGVk?='],
    ['tab\tinside', '=?base64?dGFiCWluc2lkZQ==?='],
    ['nul\0', '=?base64?bnVsAA==?='],
    ['\u007f', '=?base64?fw==?='],
    ['lamp\r\nX-Admin: 1', '=?base64?bGFtcA0KWC1BZG1pbjogMQ==?='],
    ['\uFEFFmark', '=?base64?77u/bWFyaw==?='],
  ])('[HDR-16] [HDR-17] wraps what a header cannot carry: %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });

  test.each([
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64?cGx1bQ==?=', '=?base64?PT9iYXNlNjQ/Y0d4MWJRPT0/PQ==?='],
    ['=?base64??=', '=?base64?PT9iYXNlNjQ/Pz0=?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
  ])('[HDR-18] wraps plain text that looks like the wrapper: %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });

  test.each(['\ud800', 'a\udc00b', '\ud83d!'])(
    'refuses an unpaired surrogate, which would share a header with U+FFFD: %j',
    (value) => {
      expect(() => encodeHeaderValue(value)).toThrow(HeaderValueError);
    },
  );

  test('writes nothing but printable ASCII, from which the value comes back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^(?! )[\x20-\x7e]*(?<! )$/);
        expect(decodeHeaderValue(header)).toBe(value);
      }),
    );
  });

  test('encodes values of more than a call can take arguments', () => {
    const value = 'ü'.repeat(200_000);
    expect(decodeHeaderValue(encodeHeaderValue(value))).toBe(value);
  });
});

describe('decodeHeaderValue', () => {
  test.each([
    ['  sum  ', 'sum'],
    ['\t sum\t', 'sum'],
    [' =?base64?SGVsbG8=?= ', 'Hello'],
    [' \t', ''],
    ['in  side', 'in  side'],
    ['tab\tinside', 'tab\tinside'],
  ])('[HDR-13] strips spaces and tabs round the value: %j', (raw, value) => {
    expect(decodeHeaderValue(raw)).toBe(value);
  });

  test.each([
    ['=?base64?esOkaGxlbg==?=', 'zählen'],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['=?base64??=', ''],
    ['=?base64?IHBhZGRlZCA=?=', ' padded '],
    ['=?base64?77u/bWFyaw==?=', '\uFEFFmark'],
    ['=?base64?PT9iYXNlNjQ/SGVsbG8=?=', '=?base64?Hello'],
    ['=?base64?PT9iYXNlNjQ/eD89?=', '=?base64?x?='],
  ])('[HDR-19] decodes the wrapper once: %j', (raw, value) => {
    expect(decodeHeaderValue(raw)).toBe(value);
  });

  test.each([
    'SGVsbG8=',
    'T3Nsbw==',
    '=?base64?SGVsbG8=',
    'SGVsbG8=?=',
    '=?BASE64?SGVsbG8=?=',
    '=?Base64?eA==?=',
    'x=?base64?eA==?=',
  ])('[HDR-21] takes a value without prefix or suffix literally: %j', (raw) => {
    expect(decodeHeaderValue(raw)).toBe(raw);
  });

  test.each([
    ['padding missing', '=?base64?SGVsbG8?='],
    ['padding missing', '=?base64?T3NsbyE?='],
    ['too much padding', '=?base64?SGVsbG8==?='],
    ['padding alone', '=?base64?====?='],
    ['padding inside', '=?base64?SG=VsbG8?='],
    ['foreign characters', '=?base64?SGVs!!!bG8=?='],
    ['percent signs', '=?base64?%%%?='],
    ['URL alphabet', '=?base64?_-_-?='],
    ['whitespace inside', '=?base64?SGVs bG8=?='],
    ['whitespace round it', '=?base64? SGVsbG8= ?='],
    ['trailing bits set', '=?base64?SGVsbG9=?='],
    ['one character', '=?base64?S?='],
    ['prefix and suffix overlap', '=?base64?='],
  ])('[HDR-20] answers undefined to Base64 that is not canonical, %s: %j', (_, raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined();
  });

  test.each([
    ['a lone lead byte', '=?base64?w+==?='],
    ['a cut sequence', '=?base64?4pw=?='],
    ['an overlong form', '=?base64?wIA=?='],
    ['an encoded surrogate', '=?base64?7aCA?='],
    ['no text at all', '=?base64?/////w==?='],
  ])('[HDR-20] answers undefined to bytes that are not UTF-8, %s: %j', (_, raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined();
  });

  test.each(['z\u00e4hlen', 'a\0b', 'a\nb', 'a\r\nb', '\u007f', '\u00a0x', 'x\u00ff', '\u4e16', '=?base64?\u00e4?='])(
    '[HDR-15] answers undefined to invalid characters: %j',
    (raw) => {
      expect(decodeHeaderValue(raw)).toBeUndefined();
    },
  );

  test('gives the same value for no two wrapped texts', () => {
    fc.assert(
      fc.property(fc.base64String(), (text) => {
        const value = decodeHeaderValue(`=?base64?${text}?=`);
        if (value !== undefined)
          expect(`=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`).toBe(`=?base64?${text}?=`);
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isWrapped) => {
        decodeHeaderValue(isWrapped ? `=?base64?${text}?=` : text);
      }),
    );
  });

  test('takes time that grows with the length, for padding of any length', () => {
    expect(decodeHeaderValue(`${' '.repeat(300_000)}x${'\t'.repeat(300_000)}y`)).toHaveLength(300_002);
  });
});
