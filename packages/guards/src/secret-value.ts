import { MASK_SOURCE } from './mask.ts';

/** What stands between the entries of a list, also in a text of JSON that stands in another one. */
const BREAK = String.raw`(?:\s|\\{1,8}[nrt]){0,64}`;

/** The quote of a name, also escaped, where there is one. */
export const QUOTE = String.raw`(?:\\{0,8}["'])?`;
/**
 * What may stand between the name of a value and the value itself: also a comparison, and the two colons of LDIF, but not
 * those within a name of a language.
 */
export const SEPARATOR = String.raw`\s{0,4}(?::=|=>|={1,3}|::(?=\s)|:(?!:))\s{0,4}`;
/** What a value may begin with. A mask is no list. */
export const OPENING = String.raw`(?:(?!${MASK_SOURCE})\[${BREAK})?${QUOTE}`;

/** Backslashes before a quote in a text, in JSON, in JSON within JSON, and so on. */
const ESCAPES = [0, 1, 3, 7];

/**
 * Makes an expression for what stands within quotes, after `before`: up to the closing one, or to the end of the line
 * where the text was cut there. In a list it goes up to the last quote of the list. It takes linear time: each character
 * has one way to be taken, and nothing after it can fail.
 */
export function quotedValue(before = ''): string {
  const forms = ESCAPES.flatMap((escapes) => ['"', "'"].map((quote) => ({ escapes, quote })));
  const expressions = forms.flatMap(({ escapes, quote }) => {
    const open = String.raw`\\{${escapes}}${quote}`;
    const close = String.raw`(?:\\{${2 * (escapes + 1)}})*${open}`;
    const content = String.raw`(?:[^\\${quote}\r\n]|(?!${close})\\+(?!\\)${quote}?)+`;
    const isFirst = `(?<=(?<!\\\\)${open}${before})`;
    const isInList = `(?<=\\[${BREAK}${open}${before})`;
    return [`${isFirst}${isInList}${content}(?:${close}${BREAK},${BREAK}${open}${content})*`, `${isFirst}${content}`];
  });
  // In quotes that are escaped in another way.
  return [...expressions, String.raw`(?<=\\["']${before})[^"'\\\r\n]+`].join('|');
}

/** Further keys behind a comma, as a variable of several holds them. */
const MORE_KEYS = String.raw`(?:,[\w+/-]{20,}={0,2}(?=[\s"',;]|$))*`;

/** A value without quotes: in a list up to the end of that, else up to what can end one in a shell, a URL or a header. */
export const BARE_VALUE =
  String.raw`(?<=\[${BREAK})[^\s"'{}[\]\\][^"'{}[\]\\\r\n]*|` +
  String.raw`(?<!["']|\[${BREAK})(?!(?!${MASK_SOURCE})\[)[^\s"'&;,<>(){}|]+${MORE_KEYS}`;

/** The rest of a line, with its quoted parameters, up to the quote that the whole stands in. */
export const REST_OF_LINE = String.raw`(?<!["'[])(?:[^"'\\\r\n]|\\(?![nrtu"'\\])|(?<==)\\{0,8}["'][^"'\r\n]*["']?)+`;
