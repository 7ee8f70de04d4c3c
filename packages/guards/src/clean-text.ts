/** How `cleanText` shortens and what it leaves in. */
export interface CleanTextOptions {
  /** Longest result in UTF-16 code units, the note about what was cut included. */
  readonly maxChars: number;
  /**
   * True keeps line ends, as LF. Default false: each becomes a space, so that a text cannot pose as a second log line.
   */
  readonly keepNewlines?: boolean;
  /** True keeps tabs. Default false: each becomes a space. */
  readonly keepTabs?: boolean;
}

// ESC ] and its kin (titles, links, clipboard), up to BEL or the string terminator. The body excludes what could start
// another sequence, so that a scan never goes over the same characters twice.
const CONTROL_STRING = /(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)/;
// ESC [ (colours, cursor, erasing).
const CONTROL_SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/;
// ESC and one character, perhaps with intermediates (character sets, reset).
const SHORT_ESCAPE = /\x1b[ -/]*[0-~]/;
const ESCAPES = new RegExp(`${CONTROL_STRING.source}|${CONTROL_SEQUENCE.source}|${SHORT_ESCAPE.source}`, 'g');

const LINE_ENDS = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;
// What remains of C0 and C1, and what is invisible or turns the direction of writing: zero-width characters,
// bidirectional
// overrides and isolates, tags, variation selectors, interlinear annotation.
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * A text from outside in a form that is safe to show in an error message, a log or a terminal: without control
 * characters (C0 and C1), terminal escape sequences, characters that are invisible or that change the direction of
 * writing, and without lone surrogates (each becomes U+FFFD). At most `maxChars` long; a longer one ends in `… [N more
 * characters]` where that fits, else in `…`, and is never cut inside a surrogate pair.
 *
 * N counts what the cleaned text would have had more, except that in a very long text only the start is cleaned and the
 * rest counted as it is. Takes time in proportion to `maxChars`, not to the text. Emoji that are joined by invisible
 * characters fall apart into their members.
 */
export function cleanText(
  text: string,
  { maxChars, keepNewlines = false, keepTabs = false }: CleanTextOptions,
): string {
  const limit = Math.max(0, Math.trunc(maxChars) || 0);
  // Enough for a text in which most characters go; a peer that hides more than that is not read further.
  const looked = wholeStart(text, limit * 8 + 4096);
  const cleaned = looked
    .replace(ESCAPES, '')
    .replace(LINE_ENDS, keepNewlines ? '\n' : ' ')
    .replace(/\t/g, keepTabs ? '\t' : ' ')
    .replace(INVISIBLE, '')
    .replace(LONE_SURROGATE, '\ufffd');
  const unseen = text.length - looked.length;
  if (cleaned.length <= limit && unseen === 0) return cleaned;
  return shorten(cleaned, limit, unseen);
}

function shorten(text: string, limit: number, unseen: number): string {
  const noteFor = (kept: number): string => `… [${text.length - kept + unseen} more characters]`;
  // The note for nothing kept has the most digits, so the real one is never longer.
  const room = limit - noteFor(0).length;
  if (room < 1) return limit === 0 ? '' : `${wholeStart(text, limit - 1)}…`;
  const start = wholeStart(text, room);
  return start + noteFor(start.length);
}

/** The first `length` code units of `text`, one less where the last would be the first half of a surrogate pair. */
function wholeStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const isSplit = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, length - 1), length + 1));
  return text.slice(0, isSplit ? length - 1 : length);
}
