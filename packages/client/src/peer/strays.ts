import { maskedExcerpt } from './excerpt.ts';

/** What a server wrote that nobody can use, for the error of a call whose answer may be among it. */
export interface Strays {
  /** How many there were so far. */
  count(): number;
  /** Takes one: what it is, in a few words, and its text. */
  note(what: string, text: string): void;
  /** Answers a sentence about those that came after the first `before`, or nothing where there were none. */
  describe(before: number): string;
}

/** More is never shown. */
const MAX_KEPT_CHARS = 1000;

/** Creates what remembers the last one. A note costs next to nothing, as a server can write without end. */
export function createStrays(mask: (text: string) => string): Strays {
  let count = 0;
  let last = { what: '', text: '' };
  return {
    count: () => count,
    note(what, text) {
      count += 1;
      last = { what, text: text.length > MAX_KEPT_CHARS ? copyOfHead(text) : text };
    },
    describe(before) {
      const many = count - before;
      if (many <= 0) return '';
      const what = many === 1 ? 'something' : `${many} things`;
      return (
        ` Meanwhile it wrote ${what} that could not be used, ${many === 1 ? '' : 'the last '}${last.what}: ` +
        `${maskedExcerpt({ mask }, last.text)}. Its answer may be among that: a message is one line of JSON in UTF-8, with ` +
        'nothing else on it and with the id that was sent.'
      );
    },
  };
}

/** A part of a text keeps the whole of it in memory. */
function copyOfHead(text: string): string {
  return Array.from(text.slice(0, MAX_KEPT_CHARS)).join('');
}
