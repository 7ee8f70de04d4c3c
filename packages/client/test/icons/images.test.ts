import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkIcon } from '../../src/icons/check-icon.ts';
import { whyUnsafeSvg } from '../../src/icons/check-svg.ts';
import { detectImageType } from '../../src/icons/image-format.ts';
import { measureImage } from '../../src/icons/image-size.ts';
import { gif, jpeg, png, svg, webp, webpData } from './images.ts';

const limits = { maxSide: 2048, maxFrames: 100, svg: 'safe' } as const;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const problemOf = (bytes: Uint8Array, ...declared: string[]): string | undefined => {
  const checked = checkIcon(bytes, declared, limits);
  return 'problem' in checked ? checked.problem : undefined;
};
const { lossy, lossless, extended, frame } = webpData;

describe('the type of an icon', () => {
  it.each([
    ['image/png', png(1, 1)],
    ['image/jpeg', jpeg(1, 1)],
    ['image/gif', gif(1, 1, [[1, 1]])],
    ['image/webp', webp(['VP8 ', lossy(1, 1)])],
    ['image/svg+xml', bytesOf(svg())],
    ['image/svg+xml', bytesOf(`${'<!-- -->\n<!---->'.repeat(100)}${svg()}`)],
    ['image/svg+xml', bytesOf(`\ufeff<?xml version="1.0"?>\n<!-- x -->\n${svg()}`)],
  ])('[ICON-01] [ICON-02] [ICON-09] is %s by its bytes', (type, bytes) => {
    expect(detectImageType(bytes)).toBe(type);
    expect(checkIcon(bytes, [type], limits)).toMatchObject({ type, bytes, isSafe: true });
  });

  it('[ICON-01] is JPEG under its other name', () => {
    expect(problemOf(jpeg(1, 1), 'image/jpg')).toBeUndefined();
  });

  it.each([
    ['text', bytesOf('hello')],
    ['HTML', bytesOf('<!doctype html><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a program', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46)],
    ['a bitmap', bytesOf('BM0000')],
    ['AVIF', Uint8Array.of(0, 0, 0, 32, ...bytesOf('ftypavif'))],
    ['nothing', new Uint8Array(0)],
    ['comments without end', bytesOf(`${'<!---->'.repeat(100)}<!--${svg()}`)],
    ['nothing behind comments', bytesOf(`${'<!---->'.repeat(500)}x`)],
    ['XML with a document type', bytesOf(`<!DOCTYPE svg [<!ENTITY a "b">]>${svg()}`)],
  ])('[ICON-09] is refused when it is %s', (_, bytes) => {
    expect(problemOf(bytes)).toMatch(/no PNG/);
  });

  it.each([
    ['image/png', jpeg(1, 1)],
    ['image/jpeg', bytesOf(svg())],
    ['text/html', png(1, 1)],
    ['text/html; charset=utf-8', bytesOf(svg())],
    ['application/pdf', png(1, 1)],
  ])('[ICON-09] is refused when it was said to be %s and is not', (declared, bytes) => {
    expect(problemOf(bytes, declared)).toMatch(/another type/);
  });

  it('[ICON-09] is what the list says where the server says nothing in particular', () => {
    expect(problemOf(png(1, 1), 'application/octet-stream', 'image/png')).toBeUndefined();
    expect(problemOf(png(1, 1), 'application/octet-stream', 'image/webp')).toMatch(/another type/);
    expect(problemOf(png(1, 1))).toBeUndefined();
  });
});

describe('the size of an icon', () => {
  it.each([
    ['image/png', png(640, 480), { width: 640, height: 480, frames: 1 }],
    ['image/png', png(64, 48, 7), { width: 64, height: 48, frames: 7 }],
    ['image/jpeg', jpeg(640, 480), { width: 640, height: 480, frames: 1 }],
    [
      'image/gif',
      gif(64, 48, [
        [64, 48],
        [9000, 48],
      ]),
      { width: 9000, height: 48, frames: 2 },
    ],
    ['image/webp', webp(['VP8 ', lossy(640, 480)]), { width: 640, height: 480, frames: 1 }],
    ['image/webp', webp(['VP8L', lossless(640, 480)]), { width: 640, height: 480, frames: 1 }],
    [
      'image/webp',
      webp(['VP8X', extended(64, 48)], ['ALPH', [1]], ['VP8 ', lossy(640, 48)]),
      { width: 640, height: 48, frames: 1 },
    ],
    [
      'image/webp',
      webp(
        ['VP8X', extended(64, 48)],
        ['ANMF', frame(64, 48, lossless(64, 48))],
        ['ANMF', frame(64, 48, lossless(64, 900))],
      ),
      { width: 64, height: 900, frames: 2 },
    ],
  ] as const)('[ICON-06] is read from the headers of %s', (type, bytes, size) => {
    expect(measureImage(type, bytes)).toEqual(size);
  });

  it.each([
    ['a huge width', png(2049, 1), /2049 by 1/],
    ['a huge height', jpeg(1, 65_535), /65535/],
    ['no width', png(0, 1), /0 by 1/],
    ['a frame larger than its screen', gif(1, 1, [[60_000, 1]]), /60000/],
    [
      'too many frames',
      gif(
        1,
        1,
        Array.from({ length: 101 }, () => [1, 1] as const),
      ),
      /101 frames/,
    ],
    ['frames by the billion', png(1, 1, 4_000_000_000), /4000000000 frames/],
    ['no picture', gif(1, 1, []), /size/],
  ])('[ICON-06] [ICON-10] is refused with %s', (_, bytes, problem) => {
    expect(problemOf(bytes)).toMatch(problem);
  });

  it('[ICON-05] [ICON-06] of a file that is cut off anywhere is read, or the file refused, and nothing is thrown', () => {
    const files = [
      png(8, 8, 3),
      jpeg(8, 8),
      gif(8, 8, [[8, 8]]),
      webp(['VP8X', extended(8, 8)], ['ANMF', frame(8, 8, lossless(8, 8))]),
    ];
    for (const file of files) {
      for (let length = 0; length < file.length; length += 1) checkIcon(file.subarray(0, length), [], limits);
    }
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.nat(), fc.uint8Array({ maxLength: 40 }), (file, at, noise) => {
        const bytes = Uint8Array.from(file);
        bytes.set(
          noise.subarray(0, Math.max(0, bytes.length - 12)),
          12 + (at % Math.max(1, bytes.length - 12 - noise.length)),
        );
        checkIcon(bytes, [], limits);
      }),
      { numRuns: 300 },
    );
  });
});

/** A chain of patterns, each filled with the next one. */
function patterns(count: number, fill: (next: string, index: number) => string): string {
  const chain = Array.from({ length: count }, (_, at) => `<pattern id="p${at}">${fill(`p${at + 1}`, at)}</pattern>`);
  return `${chain.join('')}<pattern id="p${count}"/><rect fill="url(#p0)"/>`;
}

describe('an SVG', () => {
  it.each([
    '<g fill="url(#a)"><path d="M0 0"/></g><defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs>',
    '<title>A &amp; B &#169; script</title><rect width="1" height="1" style="fill:#fff;stroke:url(#a)"/>',
    '<use href="#a"/><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#b"/>',
    `<linearGradient id="a"><stop/></linearGradient><mask id="m"><use href="#p"/></mask>${'<path id="p" fill="url(#a)"/>'.repeat(500)}`,
    '<g fill="url(#a)"><defs><linearGradient id="a"><stop/></linearGradient></defs><g mask="url(#m)"><mask id="m"><path/></mask></g></g>',
    '<text aria-label="Description of an image">javascript</text><!-- <script> -->',
  ])('[ICON-02] passes when it only draws: %s', (body) => {
    expect(whyUnsafeSvg(svg(body))).toBeUndefined();
  });

  it.each([
    '<script>alert(1)</script>',
    '<SCRIPT/>',
    '<x:script xmlns:x="http://www.w3.org/2000/svg"/>',
    '<g onload="alert(1)"/>',
    "<g ONCLICK = 'alert(1)'/>",
    '<a href="https://evil.example"><path/></a>',
    '<a xlink:href="javascript:alert(1)"/>',
    '<use href="https://evil.example/x.svg#a"/>',
    '<use href="data:image/svg+xml;base64,PHN2Zy8+"/>',
    '<image href="https://evil.example/pixel.png"/>',
    '<feImage href="https://evil.example/pixel.png"/>',
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>',
    '<animate attributeName="href" values="javascript:alert(1)"/>',
    '<set attributeName="onload" to="x"/>',
    '<style>@import url(https://evil.example)</style>',
    '<rect style="fill:url(https://evil.example/a)"/>',
    '<rect fill="url(//evil.example/a#b)"/>',
    '<rect style="background:image-set(&quot;a&quot; 1x)"/>',
    '<rect style="fill:u\\72l(x)"/>',
    '<rect fill="&#117;rl(https://evil.example)"/>',
    '<g xml:base="https://evil.example"/>',
    '<g xmlns="http://www.w3.org/1999/xhtml"/>',
    '<![CDATA[<script/>]]>',
    '<?xml-stylesheet href="https://evil.example"?>',
    '<!ENTITY a "b">',
    '&a;',
    '<g title="a>b"/>',
    '<path d="M0 0"',
    '<iframe src="x"/>',
    '<use href="#a"/>'.repeat(17),
    '<g/>'.repeat(5001),
    '<g></svg><g></g>',
    '<g>',
    `${'<g>'.repeat(300)}${'</g>'.repeat(300)}`,
    '<title>\u001b$B</title>',
    patterns(12, (next) => `<rect fill="url(#${next})"/>`.repeat(20)),
    patterns(30, (next) => `<g style="fill:url('#${next}')">${'<rect/>'.repeat(100)}</g>`),
    patterns(
      12,
      (next, index) => `<use href="#g${index}"/><g id="g${index}" fill="url(#${next})">${'<g/>'.repeat(50)}</g>`,
    ),
    '<pattern id="a"><rect fill="url(#a)"/></pattern><rect fill="url(#a)"/>',
    '<g fill="url(#a)"><rect/><pattern id="a"><rect/></pattern></g>',
  ])('[ICON-05] [ICON-09] is refused when it may run, load or grow: %.60s', (body) => {
    expect(whyUnsafeSvg(svg(body))).toBeTypeOf('string');
    expect(problemOf(bytesOf(svg(body)), 'image/svg+xml')).toBeTypeOf('string');
  });

  it('[ICON-10] is given out as unsafe only on request, and not at all on request', () => {
    const bytes = bytesOf(svg('<script/>'));
    expect(checkIcon(bytes, [], { ...limits, svg: 'untrusted' })).toMatchObject({
      type: 'image/svg+xml',
      isSafe: false,
    });
    expect(checkIcon(bytesOf(svg()), [], { ...limits, svg: 'untrusted' })).toMatchObject({ isSafe: true });
    expect(checkIcon(bytesOf(svg()), [], { ...limits, svg: 'refuse' })).toMatchObject({ problem: 'it is an SVG' });
  });

  it('[ICON-06] of a mebibyte is looked at in time, whatever it holds', () => {
    const bodies = ['<', '&', '<!--', '<g ', '<g a="', ' a="b"', '<g a="b"', 'x', '<g/>', '--'];
    for (const body of bodies) {
      const before = performance.now();
      whyUnsafeSvg(svg(body.repeat(1_000_000 / body.length)));
      expect(performance.now() - before).toBeLessThan(1500);
    }
  });

  it.each([
    'encoding="iso-2022-jp"',
    "encoding = 'UTF-7'",
    'encoding="utf-16"',
    'encoding="x" encoding="utf-8"',
    'a="b"',
  ])('[ICON-09] that declares %s is refused, since a reader would go by it', (declared) => {
    const bytes = bytesOf(`<?xml version="1.0" ${declared}?>${svg()}`);
    expect(problemOf(bytes)).toBeTypeOf('string');
    expect(problemOf(bytesOf(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>${svg()}`))).toBeUndefined();
  });

  it('[ICON-09] in another encoding is refused', () => {
    const utf16 = Uint8Array.from(Buffer.from(svg('<script/>'), 'utf16le'));
    expect(problemOf(utf16)).toBeTypeOf('string');
    expect(problemOf(Uint8Array.of(...bytesOf('<svg xmlns="http://www.w3.org/2000/svg">'), 0xff))).toMatch(/UTF-8/);
  });
});
