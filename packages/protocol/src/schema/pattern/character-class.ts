/** An inclusive range of code points. */
export type CodeRange = readonly [first: number, last: number];

const lastCodePoint = 0x10ffff;

/** White space and line ends as ECMAScript counts them, which are more than those of RE2. */
const whiteSpace: readonly CodeRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

const digits: readonly CodeRange[] = [[0x30, 0x39]];

const wordCharacters: readonly CodeRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** What `.` leaves out. */
export const lineEnds: readonly CodeRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** The ranges behind `\d`, `\s`, `\w` and their capital opposites; undefined for every other letter. */
export function classEscape(letter: string): readonly CodeRange[] | undefined {
  const ranges = { d: digits, s: whiteSpace, w: wordCharacters }[letter.toLowerCase()];
  if (ranges === undefined) return undefined;
  return letter === letter.toLowerCase() ? ranges : complement(ranges);
}

/** Writes ranges as the inside of an RE2 class, every code point by its number, so that none of them can be syntax. */
export function writeRanges(ranges: readonly CodeRange[]): string {
  return ranges
    .map(([first, last]) => (first === last ? codePoint(first) : `${codePoint(first)}-${codePoint(last)}`))
    .join('');
}

/** Writes one code point by its number. */
export function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

/** Everything and nothing as RE2 classes: an empty class is not allowed there. */
export const anything = `[\\x{0}-${codePoint(lastCodePoint)}]`;
export const nothing = `[^\\x{0}-${codePoint(lastCodePoint)}]`;

const longCategories: { readonly [long: string]: string } = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Other: 'C',
  Control: 'Cc',
  Format: 'Cf',
};

/**
 * Writes a Unicode property, as it stands between the braces of `\p{…}`, the way RE2 names it: categories by their
 * short names, scripts by their own. Undefined for what is neither.
 */
export function propertyName(property: string): string | undefined {
  const [, key, value] = /^(?:(General_Category|gc|Script|sc)=)?(\w+)$/.exec(property) ?? [];
  if (value === undefined) return undefined;
  if (key === 'Script' || key === 'sc') return value;
  const category = Object.hasOwn(longCategories, value) ? longCategories[value] : value;
  return category !== undefined && (key === undefined || /^[A-Z][a-z]?$/.test(category)) ? category : undefined;
}

function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const gaps: CodeRange[] = [];
  let from = 0;
  for (const [first, last] of ranges) {
    if (first > from) gaps.push([from, first - 1]);
    from = last + 1;
  }
  gaps.push([from, lastCodePoint]);
  return gaps;
}
