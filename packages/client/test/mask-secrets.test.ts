import { describe, expect, it } from 'vitest';
import { createMask } from '../src/mask-secrets.ts';

describe('a mask', () => {
  const mask = createMask(['open-sesame', 'open-sesame-and-close', 'short', '']);

  it.each([
    ['wherever it stands', 'a open-sesame b open-sesame c', 'a [redacted] b [redacted] c'],
    ['the longer of two first', 'open-sesame-and-close', '[redacted]'],
    ['in a text of JSON', createMask(['a "quoted" one'])('{"key":"a \\"quoted\\" one"}'), '{"key":"[redacted]"}'],
    ['percent-encoded', createMask(['a/b c=d&e'])('at /?key=a%2Fb%20c%3Dd%26e'), 'at /?key=[redacted]'],
    [
      'of several lines, each by itself, in whatever way they are joined',
      createMask(['first line\r\n  second line\nend\n'])('first line, end, second line…, sec'),
      '[redacted], end, [redacted]…, sec',
    ],
    ['cut off by an ellipsis', '"open-ses…" and "open-…"', '"[redacted]…" and "[redacted]…"'],
    ['not a few characters of it', 'the ope…', 'the ope…'],
    ['not what is too short to be one', 'in short', 'in short'],
    ['with nothing to read into its replacement', createMask(['$& $1 $$ $`'])('<$& $1 $$ $`>'), '<[redacted]>'],
  ])('covers a secret %s', (_name, text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it('takes linear time in a text of nothing but starts', () => {
    const text = 'open-sesam…'.repeat(2000);
    const start = performance.now();
    expect(mask(text)).not.toContain('open');
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
