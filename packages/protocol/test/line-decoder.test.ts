import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineDecoder } from '../src/line-decoder.ts';

interface Report {
  readonly lines: string[];
  /** The start and the end of each line over the limit. */
  readonly overflows: string[][];
  readonly invalid: Uint8Array[];
  /** What was reported, in order. */
  readonly order: string[];
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

function decode(chunks: Iterable<Uint8Array>, maxLineBytes = 1_000_000): Report {
  const report: Report = { lines: [], overflows: [], invalid: [], order: [] };
  const decoder = createLineDecoder({
    maxLineBytes,
    onLine: (text) => {
      report.lines.push(text);
      report.order.push(`line ${text}`);
    },
    onOverflow: (head) => {
      report.overflows.push([text(head)]);
      report.order.push('overflow');
    },
    onOverflowEnd: (tail) => report.overflows.at(-1)?.push(text(tail)),
    onInvalid: (bytes) => {
      report.invalid.push(bytes.slice());
      report.order.push(`invalid ${bytes.join()}`);
    },
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return report;
}

function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

describe('createLineDecoder', () => {
  test('keeps characters whole that straddle two chunks', () => {
    const chunks = [
      '7b226a736f6e727063223a22322e30222c226964223a342c22726573756c74223a7b22726573756c7454797065223a22636f6d706c657465222c22636f6e74656e74223a5b7b2274797065223a2274657874222c2274657874223a226e61c3af766520e2809420e9',
      'afa820f09f',
      '9bb6227d5d7d7d0a',
    ].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
    const all = Uint8Array.from(Buffer.concat(chunks));
    for (const pieces of [chunks, inPieces(all, 1)]) {
      const { lines } = decode(pieces);
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 4, result: { content: [{ text: 'naïve — 鯨 🛶' }] } });
    }
  });

  test('takes CR LF as a line ending wherever it is split, and skips the blank line', () => {
    const first = '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}';
    const second = '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}';
    expect(decode([`${first}\r\n`, `${second}\r`, '\n\r\n'].map(utf8)).order).toEqual([
      `line ${first}`,
      `line ${second}`,
    ]);
  });

  test.each([65_535, 65_536, 65_537, 1_500_000])('delivers a line with a text of %i characters whole', (length) => {
    const line = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"${'q'.repeat(length)}"}]}}`;
    expect(decode(inPieces(utf8(`${line}\n`), 65_536), 4_000_000).lines).toEqual([line]);
  });

  test('delivers a half-written line as it is and then the next one', () => {
    const broken = '{"jsonrpc":"2.0","id":1,"method":"tools/ca';
    const whole = '{"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}';
    expect(decode([broken, '\n', `${whole}\n`].map(utf8)).lines).toEqual([broken, whole]);
  });

  test('[STDIO-01] gives the same lines for any split', () => {
    const piece = fc.constantFrom('{"a":1}', 'é', '🛶', '\n', '\r\n', '\r', ' ', '\t', '\uFEFF', 'long '.repeat(8));
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((pieces) => utf8(pieces.join(''))),
      fc
        .array(fc.constantFrom(0x0a, 0x0d, 0x20, 0x41, 0xc3, 0xa9, 0xff), { maxLength: 60 })
        .map((codes) => Uint8Array.from(codes)),
    );
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(200), { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        (all, cuts, maxLineBytes) => {
          const whole = decode([all], maxLineBytes).order;
          const ends = [...cuts.map((cut) => Math.min(cut, all.length)), all.length].sort((a, b) => a - b);
          const chunks = ends.map((end, index) => all.slice(ends[index - 1] ?? 0, end));
          expect(decode(chunks, maxLineBytes).order).toEqual(whole);
          expect(decode(inPieces(all, 1), maxLineBytes).order).toEqual(whole);
        },
      ),
    );
  });

  test('gives back every line that holds no line ending', () => {
    const line = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/[\r\n\uFEFF]|^[ \t]*$/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, ending) => {
        expect(decode([utf8(lines.map((text) => text + ending).join(''))]).lines).toEqual(lines);
      }),
    );
  });

  test('strips one CR only, and only before the LF', () => {
    expect(decode([utf8('a\r\r\nb\rc\n')]).lines).toEqual(['a\r', 'b\rc']);
  });

  test.each(['\n', '\r\n', ' \n', '\t \r\n', '\n\n\n', '\uFEFF\n', '', '\r'])('skips blank lines: %j', (text) => {
    expect(decode([utf8(text)]).order).toEqual([]);
  });

  test('drops a byte order mark', () => {
    expect(decode([utf8('\uFEFF{"a":1}\n')]).lines).toEqual(['{"a":1}']);
  });

  test('reports bytes that are not UTF-8 and goes on with the next line', () => {
    const { order, invalid } = decode([
      Uint8Array.of(0x61, 0xff, 0x0d, 0x0a),
      Uint8Array.of(0xe2, 0x82, 0x0a),
      utf8('€\n'),
    ]);
    expect(order).toEqual(['invalid 97,255', 'invalid 226,130', 'line €']);
    expect(invalid).toEqual([Uint8Array.of(0x61, 0xff), Uint8Array.of(0xe2, 0x82)]);
  });

  test('does not carry a cut character into the next line', () => {
    expect(decode([Uint8Array.of(0xf0, 0x9f, 0x0a, 0x9b, 0xb6, 0x0a)]).order).toEqual([
      'invalid 240,159',
      'invalid 155,182',
    ]);
  });

  test('delivers an unterminated last line at the end', () => {
    expect(decode([utf8('a\nb')]).lines).toEqual(['a', 'b']);
    expect(decode([utf8('a\nb\r')]).lines).toEqual(['a', 'b']);
    expect(decode([utf8('a\nb\n')]).lines).toEqual(['a', 'b']);
    expect(decode([Uint8Array.of(0x61, 0x0a, 0xc3)]).order).toEqual(['line a', 'invalid 195']);
  });

  test('is as new after the end', () => {
    const lines: string[] = [];
    const overflows: string[] = [];
    const decoder = createLineDecoder({
      maxLineBytes: 4,
      onLine: (text) => lines.push(text),
      onOverflow: (head) => overflows.push(text(head)),
      onOverflowEnd: (tail) => overflows.push(text(tail)),
      onInvalid: () => lines.push('invalid'),
    });
    decoder.push(utf8('abcdefgh'));
    decoder.end();
    decoder.push(utf8('ab'));
    decoder.end();
    decoder.end();
    decoder.push(utf8('cd\n'));
    expect(lines).toEqual(['ab', 'cd']);
    expect(overflows).toEqual(['abcd', 'abcdefgh']);
  });

  test('copies what it keeps, so that a chunk may be reused', () => {
    const lines: string[] = [];
    const fail = (): void => expect.unreachable();
    const decoder = createLineDecoder({
      maxLineBytes: 100,
      onLine: (text) => lines.push(text),
      onOverflow: fail,
      onInvalid: fail,
    });
    const chunk = utf8('one');
    decoder.push(chunk);
    chunk.set(utf8('two'));
    decoder.push(chunk);
    decoder.push(utf8('\n'));
    expect(lines).toEqual(['onetwo']);
  });

  test('accepts empty chunks anywhere', () => {
    const empty = new Uint8Array(0);
    expect(decode([empty, utf8('a'), empty, utf8('b\n'), empty]).lines).toEqual(['ab']);
    expect(decode([empty]).order).toEqual([]);
  });

  test.each(['\n', '\r\n'])('allows exactly the limit, the line ending %j not counted', (ending) => {
    for (const size of [1, 3, 100]) {
      expect(decode(inPieces(utf8(`12345${ending}next${ending}`), size), 5).order).toEqual(['line 12345', 'line next']);
      expect(decode(inPieces(utf8(`123456${ending}next${ending}`), size), 5).order).toEqual(['overflow', 'line next']);
    }
  });

  test('reports a line over the limit once, before its end, and drops it up to its LF', () => {
    const { order, overflows } = decode([utf8('123'), utf8('456'), utf8('789'), utf8('0\nok\n')], 5);
    expect(order).toEqual(['overflow', 'line ok']);
    expect(overflows).toEqual([['12345', '1234567890']]);
  });

  test('hands over the first and the last 512 bytes of a line over the limit, however it is split', () => {
    const line = Array.from({ length: 3000 }, (_unused, index) => String.fromCharCode(0x21 + (index % 94))).join('');
    for (const size of [1, 7, 511, 512, 513, 1000, 5000]) {
      const { overflows, lines } = decode(inPieces(utf8(`${line}\nok\n${line}`), size), 2000);
      expect(overflows).toEqual([1, 2].map(() => [line.slice(0, 512), line.slice(-512)]));
      expect(lines).toEqual(['ok']);
    }
  });

  test('counts bytes, not characters', () => {
    expect(decode([utf8('ééé\n')], 6).order).toEqual(['line ééé']);
    expect(decode([utf8('ééé\n')], 5).order).toEqual(['overflow']);
  });

  test('reports overflow, invalid and valid lines in their order', () => {
    const chunk = Uint8Array.from([...utf8('aaaaaaaa\n'), 0xff, 0x0a, ...utf8('ok\nbbbbbbbb')]);
    expect(decode([chunk], 4).order).toEqual(['overflow', 'invalid 255', 'line ok', 'overflow']);
  });

  test('takes 50 MB in one line and in single bytes without a copy for each chunk', () => {
    const chunk = new Uint8Array(65_536).fill(0x71);
    const { lines } = decode([...Array<Uint8Array>(800).fill(chunk), utf8('\n')], 60_000_000);
    expect(lines.map((line) => line.length)).toEqual([800 * 65_536]);
    expect(decode(inPieces(new Uint8Array(500_000).fill(0x71), 1), 3_000_000).lines[0]).toHaveLength(500_000);
  });

  test('holds no more than the limit of a line that never ends', () => {
    const before = process.memoryUsage().arrayBuffers;
    const overflows: number[] = [];
    const decoder = createLineDecoder({
      maxLineBytes: 100_000,
      onLine: () => expect.unreachable(),
      onOverflow: (head) => overflows.push(head.length),
      onInvalid: () => expect.unreachable(),
    });
    const chunk = new Uint8Array(65_536).fill(0x71);
    for (let count = 0; count < 3200; count += 1) decoder.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    expect(overflows).toEqual([512]);
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity])('refuses a limit of %d', (maxLineBytes) => {
    const ignore = (): void => undefined;
    expect(() => createLineDecoder({ maxLineBytes, onLine: ignore, onOverflow: ignore, onInvalid: ignore })).toThrow(
      RangeError,
    );
  });
});
