import { MASK_SOURCE } from './mask.ts';

/** The longest private key that is followed: one of RSA with 16,384 bits has 200 lines. */
const MAX_KEY_LINES = 256;

/**
 * What may stand between the lines of a key: line ends, also escaped ones as in JSON, or the blanks that took their
 * place.
 */
const BREAK = String.raw`(?:\s|\\{1,8}[nrt]|["',])`;
const END_SOURCE = '-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5}';
const LETTER = '(?:[A-Za-z0-9+/_]|-(?!---))';
/** Of the body of a key in OpenPGP, on a line of its own behind it (RFC 9580, section 6.1). */
const CHECKSUM = `=${LETTER}{4}`;
const LAST = `(?:${LETTER}{1,15}={0,2}|${CHECKSUM})`;

const BORDER = /-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10} ?-{4,5}/g;
const END = new RegExp(END_SOURCE, 'y');
const BREAKS = new RegExp(`${BREAK}{0,1000}`, 'y');
/** A line in Base64, or masked already. Words of a language are hardly as long. */
const LINE = String.raw`(?:${LETTER}{16,20000}={0,2}(?=[\s\\"',…]|-{4}|$)|${MASK_SOURCE})`;
const FULL_LINE = new RegExp(LINE, 'y');
const ANY_LINE = new RegExp(`(?<![A-Za-z0-9+/_-])${LINE}`, 'g');
const HEADER =
  /(?:[A-Z][A-Za-z0-9]{0,30}-[A-Za-z-]{1,40}: [^\s\\"]{0,200}|(?:Comment|Version|Charset|Hash|MessageID): [^\r\n\\]{0,200})/y;
const LAST_LINE = new RegExp(`${LAST}(?=${BREAK}{0,50}(?:${CHECKSUM}${BREAK}{0,50})?${END_SOURCE})`, 'y');
const CUT_LINE = new RegExp(`${LAST}(?=${BREAK}{0,50}…?${BREAK}{0,50}$)`, 'y');
/** What a log writes before each line, where a long line of a key or its end comes after it. */
const PREFIX = new RegExp(
  String.raw`[^\r\n]{1,200}?(?<=[\s\]|:>])(?=${LETTER}{40,20000}={0,2}[ \t]{0,9}(?:[\r\n]|$)|${END_SOURCE})`,
  'y',
);
/** The rest of a line. */
const REST = new RegExp(String.raw`(?<=[\s\]|:>])${LETTER}{1,20000}={0,2}(?=[ \t]{0,9}(?:[\r\n]|$))`, 'y');
const NOTHING = /[ \t]{0,2}(?=[\r\n]|$)/y;
/** What is left of a key's first line, or of another one, at the beginning of a text that was cut there. */
const REMNANT = new RegExp(String.raw`^(?:[A-Z0-9 ]{0,50}-{1,5}|${LAST})?\s{0,9}$`);
/** The longest prefix of a log that is looked for. */
const MAX_COLUMN = 200;

/** A part of a text; UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A private key that goes on after the end of a text. */
export interface OpenKey {
  /** How many further lines are taken for its own. */
  readonly linesLeft: number;
  /** Where the last line stood, after what a log writes before each. */
  readonly column: number;
  readonly hasBody: boolean;
}

interface Followed {
  readonly end: number;
  readonly isClosed: boolean;
  /** Where the text ends within the key. */
  readonly open: OpenKey | undefined;
}

/**
 * Finds the private keys in a text, in PEM and its like, also without their beginning or end. Only what looks like the
 * lines of one belongs to it, so that a text that names such a border hides nothing. `open` is the key that the text
 * before this one ended in. Takes linear time.
 */
export function findPrivateKeys(text: string, open?: OpenKey): { keys: readonly Span[]; open: OpenKey | undefined } {
  const keys: Span[] = [];
  let floor = 0;
  let stillOpen: OpenKey | undefined;

  if (open !== undefined) {
    const followed = follow(text, 0, open);
    stillOpen = followed.open;
    take(0, followed.end);
  }
  const border = new RegExp(BORDER);
  border.lastIndex = floor;
  for (let found = border.exec(text); found !== null; found = border.exec(text)) {
    const after = found.index + found[0].length;
    if (found[1] === 'BEGIN') {
      const column = columnOf(text, found.index);
      const followed = follow(text, after, { linesLeft: MAX_KEY_LINES, column, hasBody: false });
      stillOpen = followed.open;
      // Without a line of a key it is only mentioned, unless the text ends here.
      if (followed.end > after || followed.open !== undefined) take(found.index, followed.end);
    } else {
      const start = startBefore(text, floor, found.index);
      if (start !== undefined) take(start, after);
    }
    floor = Math.max(floor, after);
    border.lastIndex = floor;
  }
  return { keys, open: stillOpen };

  function take(start: number, end: number): void {
    if (end > start) keys.push({ start, end });
    floor = Math.max(floor, end);
  }
}

/** Answers where the key begins whose last line stands at `index`, not before `floor`. */
function startBefore(text: string, floor: number, index: number): number | undefined {
  const before = text.slice(floor, index);
  const lines = new RegExp(ANY_LINE);
  let start: number | undefined;
  for (let found = lines.exec(before); found !== null && start === undefined; found = lines.exec(before)) {
    const at = floor + found.index;
    const followed = follow(text, at, { linesLeft: MAX_KEY_LINES, column: columnOf(text, at), hasBody: true });
    if (followed.isClosed) start = at;
    // From any line on the way it is the same way.
    else lines.lastIndex = Math.max(lines.lastIndex, followed.end - floor);
  }
  const first = start ?? index;
  return floor === 0 && first > 0 && first < 100 && REMNANT.test(text.slice(0, first)) ? 0 : start;
}

/** Follows the lines of a key as long as they look like some. */
function follow(text: string, from: number, { linesLeft, ...key }: OpenKey): Followed {
  let { column, hasBody } = key;
  let end = from;
  for (let left = linesLeft; left > 0; left -= 1) {
    let at = past(BREAKS, text, end) ?? end;
    if (at === text.length)
      return { end, isClosed: false, open: { linesLeft: end === from ? left - 1 : left, column, hasBody } };
    // A text begins with a line, whatever blanks that begins with.
    const isNewLine = end === 0 || /[\r\n]/.test(text.slice(end, at));
    let next = past(FULL_LINE, text, at) ?? past(HEADER, text, at) ?? past(LAST_LINE, text, at);
    if (next === undefined && hasBody) next = past(CUT_LINE, text, at);
    if (next === undefined && isNewLine && past(END, text, at) === undefined) {
      const aligned = at - columnOf(text, at) + column;
      const prefixed = past(PREFIX, text, at);
      if (prefixed === undefined && aligned > at)
        next = past(HEADER, text, aligned) ?? past(NOTHING, text, aligned - 1);
      at = prefixed ?? Math.max(at, aligned);
      if (prefixed !== undefined || hasBody) next ??= past(REST, text, at);
    }
    const closed = past(END, text, at);
    if (closed !== undefined) return { end: closed, isClosed: true, open: undefined };
    if (next === undefined) break;
    if (isNewLine) column = columnOf(text, at);
    hasBody = true;
    end = next;
  }
  return { end, isClosed: false, open: undefined };
}

/** Answers how far a position stands from the beginning of its line, at most as far as a prefix of a log reaches. */
function columnOf(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - MAX_COLUMN), at);
  return before.length - (before.lastIndexOf('\n') + 1);
}

/** Answers where a match at a position ends. */
function past(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : undefined;
}
