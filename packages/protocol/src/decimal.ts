const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/;
const MAX_DECIMAL_LENGTH = 1024;

/**
 * Whether a text is a decimal number of exactly the given finite value: `42.0`, `042` and `4.2e1` are 42, and
 * `42.00000000000000000001` is not, though it rounds to it. Anything else is unequal: the empty text, hexadecimal, a
 * plus sign in front, spaces, more than 1,024 characters.
 */
export function isSameDecimal(text: string, value: number): boolean {
  const canonical = canonicalDecimal(text);
  return canonical !== undefined && canonical === canonicalDecimal(String(value));
}

/** Writes a decimal as sign, digits without outer zeros and an exponent, so that equal numbers have equal texts. */
function canonicalDecimal(text: string): string | undefined {
  const match = text.length > MAX_DECIMAL_LENGTH ? null : DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
