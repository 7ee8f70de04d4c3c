import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStderrRing } from '../src/node/stderr-ring.ts';

describe('the ring of stderr', () => {
  it('gives the same lines wherever the bytes are split', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '€', '𐍈', '\n', '\r\n', '\t')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (written, cuts) => {
        const bytes = Buffer.from(written);
        const lines: string[] = [];
        const ring = createStderrRing(1_000_000, (line) => lines.push(line));
        let start = 0;
        for (const cut of cuts.toSorted((left, right) => left - right)) {
          ring.push(bytes.subarray(start, cut));
          start = Math.max(start, Math.min(cut, bytes.length));
        }
        ring.push(bytes.subarray(start));
        ring.end();
        const expected = written.split(/\r?\n/);
        if (expected.at(-1) === '') expected.pop();
        expect(lines).toEqual(expected);
        expect(ring.tail(Infinity)).toBe(written.replace(/\r?\n$/, '').replaceAll('\r\n', '\n'));
      }),
    );
  });

  it('keeps the last bytes only, and no part of a character or of a line that it has cut', () => {
    const ring = createStderrRing(20);
    for (let line = 0; line < 100; line += 1) ring.push(Buffer.from(`€€ ${line}\n`));
    expect(ring.tail(10)).toBe('€€ 99');
    const single = createStderrRing(7);
    single.push(Buffer.from('€'.repeat(1000)));
    expect(single.tail(10)).toBe('€€');
  });

  it('keeps nothing when it has no room', () => {
    const ring = createStderrRing(0);
    ring.push(Buffer.from('a\nb\n'));
    expect(ring.tail(10)).toBe('');
  });

  it('gives as many lines as are asked for, while the stream goes on', () => {
    const ring = createStderrRing(1000);
    ring.push(Buffer.from('1\n2\n3\n4'));
    expect([ring.tail(2), ring.tail(0), ring.tail(99)]).toEqual(['3\n4', '', '1\n2\n3\n4']);
    ring.push(Buffer.from('5\n'));
    expect(ring.tail(2)).toBe('3\n45');
  });

  it.each([7, 1013, 16_384, 1_000_000])(
    'hands the beginning of a long line on and nothing after it, which could begin within a secret (%i bytes at once)',
    (size) => {
      const lines: string[] = [];
      const ring = createStderrRing(10, (line) => lines.push(line));
      const pairs = '𐍈'.repeat(50_000);
      const written = [
        pairs,
        `a${pairs}`,
        'b'.repeat(16_384),
        `${'b'.repeat(16_384)}\r`,
        'b'.repeat(16_385),
        '',
        pairs,
      ];
      const bytes = Buffer.from(written.join('\n'));
      for (let start = 0; start < bytes.length; start += size) ring.push(bytes.subarray(start, start + size));
      ring.end();
      const whole = 'b'.repeat(16_384);
      expect(lines).toEqual(['𐍈'.repeat(8192), `a${'𐍈'.repeat(8191)}`, whole, whole, whole, '', '𐍈'.repeat(8192)]);
    },
  );
});
