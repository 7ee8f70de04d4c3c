/**
 * A URI as characters, each one number: its code point, plus `ESCAPED` where it is a reserved character (or `%`) that
 * stood as an escape. RFC 3986 gives escaped and plain spelling the same meaning for all other characters and no
 * others, so equal numbers are equal characters.
 */
export type Characters = Int32Array;

const ESCAPED = 1 << 21;
const PERCENT = 0x25;
const HEX_DIGIT = /[0-9A-Fa-f]/;
const RESERVED = ":/?#[]@!$&'()*+,;=";
/** What no URI or IRI holds unescaped. */
const EXCLUDED = /[\p{Cc} "<>\\^`{|}]/u;

const isReserved = new Uint8Array(128);
for (const character of `${RESERVED}%`) isReserved[character.charCodeAt(0)] = 1;

/** A set of unescaped reserved characters, for `isAllowed`. */
export type CharacterSet = Uint8Array;

/** The set of characters that may stand unescaped, beside letters, digits, `-._~` and non-ASCII, which always may. */
export function createCharacterSet(reserved: string): CharacterSet {
  const set = new Uint8Array(128).map((_, code) => (isReserved[code] === 1 ? 0 : 1));
  for (const character of reserved) set[character.charCodeAt(0)] = 1;
  return set;
}

/** Whether a character may stand there: escaped ones may everywhere. */
export function isAllowed(character: number | undefined, set: CharacterSet): boolean {
  return character !== undefined && (character >= 128 || set[character] === 1);
}

/**
 * Reads a URI (RFC 3986) or IRI (RFC 3987) and answers `undefined` where it is none: an incomplete escape, escapes that
 * are not UTF-8, a space, a control character, one of "<>\^`{|}, an unpaired surrogate.
 */
export function readUri(uri: string): Characters | undefined {
  return EXCLUDED.test(uri) ? undefined : readText(uri);
}

/**
 * Reads the literal text of a template likewise, with the characters that expansion escapes as if they were escaped.
 */
export function readText(text: string): Characters | undefined {
  const characters = new Int32Array(text.length);
  let length = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.codePointAt(index) ?? 0;
    if (code === PERCENT) {
      const escape = readEscape(text, index);
      if (escape === undefined) return undefined;
      characters[length] = isReserved[escape.code] === 1 ? escape.code | ESCAPED : escape.code;
      index = escape.end;
    } else {
      if (code >= 0xd800 && code <= 0xdfff) return undefined;
      characters[length] = code;
      index += code > 0xffff ? 2 : 1;
    }
    length += 1;
  }
  return characters.subarray(0, length);
}

/** The decoded text of a range. */
export function decodeRange(characters: Characters, start: number, end: number): string {
  let text = '';
  for (let index = start; index < end; index += 1) text += String.fromCodePoint((characters[index] ?? 0) & ~ESCAPED);
  return text;
}

/** Reads the escapes of one UTF-8 sequence, in its one valid form. */
function readEscape(text: string, start: number): { code: number; end: number } | undefined {
  const lead = readOctet(text, start);
  if (lead < 0x80) return lead < 0 ? undefined : { code: lead, end: start + 3 };
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return undefined;
  let code = lead & (0xff >> (size + 1));
  for (let octet = 1; octet < size; octet += 1) {
    const next = readOctet(text, start + 3 * octet);
    if (next < 0x80 || next > 0xbf) return undefined;
    code = (code << 6) | (next & 0x3f);
  }
  const isShortest = code >= (size === 4 ? 0x1_0000 : size === 3 ? 0x800 : 0x80);
  const isScalar = code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
  return isShortest && isScalar ? { code, end: start + 3 * size } : undefined;
}

/** The octet that an escape stands for, or -1 where there is no escape. */
function readOctet(text: string, index: number): number {
  const high = text.charAt(index + 1);
  const low = text.charAt(index + 2);
  return text.charCodeAt(index) === PERCENT && HEX_DIGIT.test(high) && HEX_DIGIT.test(low)
    ? Number.parseInt(high + low, 16)
    : -1;
}
