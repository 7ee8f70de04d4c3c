import { growsWithoutBound, type SvgAttribute, type SvgElement, svgElement } from './svg-growth.ts';

/** Elements that draw, and no other: nothing that runs, loads, links, or holds another language. */
const elements: ReadonlySet<string> = new Set(
  (
    'svg g defs title desc symbol use path rect circle ellipse line polyline polygon text tspan linearGradient ' +
    'radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite ' +
    'feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG ' +
    'feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight ' +
    'feTile feTurbulence'
  ).split(' '),
);
const MAX_ELEMENTS = 5000;
const MAX_NESTING = 200;

/** A reader that goes by another declared encoding would see another image than is looked at here. */
const PROLOG =
  /^\ufeff?\s*(?:<\?xml\s+version\s*=\s*["']1\.0["'](?:\s+encoding\s*=\s*["']utf-8["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>)?/i;
/** With such some encodings change their meaning in the middle of a text. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const COMMENT = /^<!--(?:(?!--)[\s\S])*-->$/;
const REFERENCE = /^&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});/;
const END = /^<\/([A-Za-z]+)\s*>$/;
const START = /^<([A-Za-z]+)((?:\s+[A-Za-z_][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>$/;
const ATTRIBUTE = /([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** What a namespace may be declared as; other ones are inert in elements without a prefix. */
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/**
 * Answers in one clause why an SVG is not safe to show, or `undefined`. Safe is only what is made of elements that draw,
 * with attributes that refer to the image itself: no script, handler, style sheet, animation, link, foreign content,
 * entity or document type, nothing that would be loaded, and nothing that draws others time and again without bound. What
 * is no well-formed XML in its plain form, in UTF-8, is not safe either.
 *
 * Spec: basic/index#icons (2026-07-28).
 */
export function whyUnsafeSvg(text: string): string | undefined {
  if (CONTROL.test(text)) return 'it holds control characters';
  const drawing: SvgElement[] = [];
  const open: SvgElement[] = [];
  for (let at = nextMark(text, PROLOG.exec(text)?.[0].length ?? 0); at < text.length; at = nextMark(text, at)) {
    const mark = markAt(text, at);
    const [, name, attributes = ''] = START.exec(mark) ?? [];
    const ended = END.exec(mark)?.[1];
    const isPlain =
      [name, ended].some((each) => each !== undefined) || [COMMENT, REFERENCE].some((form) => form.test(mark));
    if (!isPlain) return 'it holds something else than plain elements';
    at += mark.length;
    if (ended !== undefined && open.pop()?.name !== ended) return 'its elements do not end as they begin';
    if (name === undefined) continue;
    if (!elements.has(name)) return `it holds an element ${name.slice(0, 40)}`;
    if (open.length === 0 && drawing.length > 0) return 'it holds more than one picture';
    const given = attributesIn(attributes);
    const problem = whyUnsafeAttributes(given);
    if (problem !== undefined) return problem;
    const element = svgElement(name, given, open.at(-1));
    drawing.push(element);
    if (!mark.endsWith('/>')) open.push(element);
    if (drawing.length > MAX_ELEMENTS || open.length > MAX_NESTING) return 'it holds too many elements';
  }
  if (open.length > 0) return 'its elements do not end as they begin';
  return growsWithoutBound(drawing) ? 'it draws too much out of copies' : undefined;
}

/** Answers where the next tag or reference begins, or the length of the text. */
function nextMark(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '<' && text[at] !== '&') at += 1;
  return at;
}

/** Answers a tag, comment or reference whole; empty where it does not end. */
function markAt(text: string, at: number): string {
  if (text[at] === '&') return REFERENCE.exec(text.slice(at, at + 12))?.[0] ?? '';
  const [close, length] = text.startsWith('<!--', at) ? ['-->', 3] : ['>', 1];
  const end = text.indexOf(close, at);
  return end < 0 ? '' : text.slice(at, end + length);
}

function attributesIn(text: string): readonly SvgAttribute[] {
  return Array.from(text.matchAll(ATTRIBUTE), ([, name = '', double, single = '']) => ({
    name,
    value: double ?? single,
  }));
}

function whyUnsafeAttributes(attributes: readonly SvgAttribute[]): string | undefined {
  for (const { name, value } of attributes) {
    if (name === 'xmlns') {
      if (value !== SVG_NAMESPACE) return 'it holds another namespace';
    } else if (/^on/i.test(name)) return 'it holds an event handler';
    else if (/(?:^|:)(?:href|src|base)$/i.test(name)) {
      if (!/^#[\w.-]+$/.test(value)) return 'it refers to something outside of it';
    } else if (!name.startsWith('xmlns:') && refersOutside(value)) return 'it refers to something outside of it';
  }
  return undefined;
}

/** Whether a value, as CSS or as it is, may name anything that would be loaded or run. */
function refersOutside(value: string): boolean {
  const withoutOwn = value.replaceAll(/url\(\s*(?:#[\w.-]+|'#[\w.-]+'|"#[\w.-]+")\s*\)/gi, '');
  return /[\\&@]|(?:url|image|image-set|src|expression)\(|javascript:|\/\/|\/\*/i.test(withoutOwn);
}
