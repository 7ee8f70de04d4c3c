/** What the name of an HTTP header looks like (a token of RFC 9110), as a pattern of the published schema. */
export const HEADER_NAME_PATTERN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

const HEADER_NAME = new RegExp(HEADER_NAME_PATTERN);
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Answers whether a text can be the name of an HTTP header. */
export function isHeaderName(text: string): boolean {
  return HEADER_NAME.test(text);
}

/** Answers whether an HTTP header can carry a text as its value: visible characters of Latin-1, spaces and tabs. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}
