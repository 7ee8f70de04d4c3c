import { describe, expect, it } from 'vitest';
import { createMask } from '../src/peer/mask-secrets.ts';

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

  it.each([
    ['starts', 'open-sesam…'],
    ['other starts', 'open…'],
    ['ellipses', '…'],
    ['what could begin a start', 'open-open-'],
    ['percent signs', '%25'],
    ['backslashes', '\\'],
    ['plus signs', '+'],
    ['characters of JSON that were cut off', '\\u00…'],
  ])('takes time in proportion to a text of nothing but %s, however many secrets there are', (_of, part) => {
    const lines = Array.from({ length: 100 }, (_, at) => `open-${at}-${'x'.repeat(60)}`);
    const many = createMask(['open-sesame', lines.join('\n')]);
    const start = performance.now();
    expect(many(`${part.repeat(200_000 / part.length)} open-sesame`)).not.toContain('open-sesa');
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it.each([0, 1, 2, 3, 4])('covers a secret in Base64 and Base64url of a text, behind %d bytes', (lead) => {
    // Its bytes are written with both characters in which the two differ, wherever they stand.
    const sought = '\u{ffbfe}>?~>?~>?~';
    const bytes = Buffer.from(`${'a'.repeat(lead)}${sought} and more`);
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = bytes.toString(encoding);
      const end = lead + Buffer.byteLength(sought);
      const [from, to] = [Math.ceil((lead * 8) / 6), Math.floor((end * 8) / 6)];
      expect(createMask([sought])(text)).toBe(`${text.slice(0, from)}[redacted]${text.slice(to)}`);
    }
  });

  it('covers a secret that is given in an encoded form, and said without it', () => {
    expect(createMask(['ab\\/cd\\/ef-gh'])('no to ab/cd/ef-gh!')).toBe('no to [redacted]!');
    expect(createMask(['ab%2Fcd%2Fef-gh'])('no to ab/cd/ef-gh!')).toBe('no to [redacted]!');
  });

  it('looks for what is shorter where that is asked for', () => {
    expect(createMask(['k7Wq2x', 'abc'], { minChars: 4 })('in k7Wq2x and abc')).toBe('in [redacted] and abc');
  });

  it('shows the borders of a private key, by which a redactor finds another one', () => {
    const key = (body: string) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
    const masked = createMask([key('a-line-of-a-key')]);
    expect(masked(key('another-line'))).toBe(key('another-line'));
    expect(masked('at a-line-of-a-key')).toBe('at [redacted]');
  });

  it('masks a start of a longer secret where a shorter one is its beginning', () => {
    expect(mask('open-sesame-and…')).toBe('[redacted]…');
  });

  it('masks a secret that holds an ellipsis as a whole', () => {
    expect(createMask(['before…after'])('a before…after b')).toBe('a [redacted] b');
  });

  const secret = 'a/b c"d&e<f\\+!é%41\r\nand a second line';
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);

  it.each([
    ['a URL in lower case', percent.replace(/%../g, (byte) => byte.toLowerCase())],
    ['a form', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['a URL within a URL', encodeURIComponent(percent)],
    ['JSON that is careful with HTML', json.replace(/[&<]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
    ['JSON with escaped slashes', json.replaceAll('/', '\\/')],
    ['JSON of ASCII', json.replace('é', '\\u00E9')],
    ['JSON within JSON', JSON.stringify(json).slice(1, -1)],
    ['JSON within JSON within JSON', JSON.stringify(JSON.stringify(json).slice(1, -1)).slice(1, -1)],
    ['JSON within a URL', encodeURIComponent(json)],
    ['a URL that was cut off', `${percent.toLowerCase().slice(0, 18)}…`],
    ['JSON that was cut off', `${json.replace('&', '\\u0026').slice(0, 14)}…`],
  ])('covers a secret in %s, and nothing but that', (_where, text) => {
    const end = text.endsWith('…') ? '…' : '';
    const masked = createMask([secret])(`{"key":"${text}","x":"\\"100%+\\""}`);
    expect(masked).toBe(`{"key":"[redacted]${end}","x":"\\"100%+\\""}`);
  });
});
