import { propertyName } from './character-class.ts';

/** A cursor over the text of a pattern; each `take` moves past what it recognises or stays where it is. */
export class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Takes the first key that stands here and answers its value. */
  takeOneOf(choices: { readonly [text: string]: string }): string | undefined {
    for (const [text, value] of Object.entries(choices)) if (this.take(text)) return value;
    return undefined;
  }

  /** Takes `*`, `+`, `?` or `{…}`, lazy or not. */
  takeRepeat(): { readonly min: number; readonly max: number } | undefined {
    const match = this.#match(/(?:([*+?])|\{(\d{1,6})(?:(,)(\d{0,6}))?\})\??/y);
    if (match === undefined) return undefined;
    const [, sign, least, comma, most] = match;
    if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const min = Number(least);
    if (comma === undefined) return { min, max: min };
    return { min, max: most === undefined || most === '' ? Infinity : Number(most) };
  }

  /** Takes the `?<name>` of a group. */
  takeGroupName(): boolean {
    return this.#match(/\?<[\p{ID_Start}$_][\p{ID_Continue}$]*>/uy) !== undefined;
  }

  /** Takes `p{…}` or `P{…}`, the rest of an escaped property, and answers it as RE2 writes it. */
  takeProperty(): string | undefined {
    const [, letter, property = ''] = this.#match(/([pP])\{([\w=]{1,60})\}/y) ?? [];
    if (letter === undefined) return undefined;
    if (property === 'ASCII') return letter === 'p' ? '\\x{0}-\\x{7f}' : '\\x{80}-\\x{10ffff}';
    return `\\${letter}{${propertyName(property) ?? property}}`;
  }

  takeCodePoint(): number | undefined {
    const code = this.#source.codePointAt(this.#at);
    if (code !== undefined) this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  /** Takes the rest of an escape that stands for one character. Undefined for a letter or digit without a meaning. */
  takeEscapedCodePoint(): number | undefined {
    const simple = this.takeOneOf({ t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' });
    if (simple !== undefined) return simple.codePointAt(0);
    if (this.#match(/0(?!\d)/y) !== undefined) return 0;
    const [, control] = this.#match(/c([A-Za-z])/y) ?? [];
    if (control !== undefined) return (control.codePointAt(0) ?? 0) % 32;
    const pair = this.#match(/u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/y);
    if (pair !== undefined) return String.fromCharCode(parseHex(pair[1]), parseHex(pair[2])).codePointAt(0);
    const hex = this.#match(/x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,6})\}/y);
    if (hex !== undefined) {
      const code = parseHex(hex[1] ?? hex[2] ?? hex[3]);
      return code <= 0x10ffff ? code : undefined;
    }
    return /[\p{L}\p{N}]/u.test(this.#source.charAt(this.#at)) ? undefined : this.takeCodePoint();
  }

  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }
}

function parseHex(digits = ''): number {
  return Number.parseInt(digits, 16);
}
