/** What may stand in a placeholder of {@link promptText}. */
export type PromptValue = string | number | boolean;

/** A text on one line that is no longer than this, in UTF-16 units, stays in its line. */
const MAX_INLINE_CHARS = 120;

const LINE_BREAK = /\r\n?/g;
// Characters that end a line somewhere, or have no place in a text: only an escape can say where they stood.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u;
// A tag, a token of a chat format, a fence, a quotation and a span of code begin or end with one of these.
const ESCAPED_INLINE = /[<>[\]`\u007f-\u009f\u2028\u2029]|'(?=')|(?<=')'/g;
const OPENING = /[<[]/g;
/** What ends a comment or a CDATA section wherever it stands, with the spaces that may be between. */
const CLOSING = /(--!?|\]\])( *>)/g;

/**
 * Writes the text of a prompt's message, and keeps what is inserted apart from the words around it. The words between
 * the placeholders are the author's and stay as they are. A value is written in one of two forms, which its content
 * chooses:
 *
 * - In its line: a JSON string, `"a \"b\""`, in which `<`, `>`, `[`, `]`, the backtick and apostrophes beside each
 *   other are escaped as well, so that no value ends a span of code, a fence, a tag or a comment, or is a token of a
 *   chat format. Texts of one line and at most 120 characters, and all that hold control characters.
 * - As a block: each line of the value behind `> `, on lines of their own, an empty line after them, and one space more
 *   behind each `<` and `[`, and before the `>` of `-->`, `--!>` and `]]>`. No line of the text then begins with
 *   anything of the value: no fence closes, no heading or role opens.
 *
 * From the result both the author's words and the values can be told, whatever the values hold: CR LF and CR become LF,
 * and nothing else is lost. Numbers and booleans are written as they are. The role of a message is chosen beside its
 * text, by the author alone.
 *
 * Spec: server/prompts#security (2026-07-28): injection through the arguments of prompts.
 *
 * @throws TypeError when a value is none of text, number and boolean: give an optional argument a default.
 */
export function promptText(words: TemplateStringsArray, ...values: readonly PromptValue[]): string {
  let text = words[0] ?? '';
  for (const [index, value] of values.entries()) {
    const after = words[index + 1] ?? '';
    text += written(value, index, text, after, index === values.length - 1) + after;
  }
  return text;
}

function written(value: PromptValue, index: number, before: string, after: string, isLast: boolean): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string')
    throw new TypeError(
      `the placeholder ${index + 1} of promptText got ${value === null ? 'null' : typeof value}: give it text, a number or a boolean`,
    );
  const lines = value.replace(LINE_BREAK, '\n');
  const isInline = !lines.includes('\n') && lines.length <= MAX_INLINE_CHARS;
  return isInline || UNSEEN.test(lines)
    ? inline(lines)
    : block(lines, before === '' || before.endsWith('\n'), missingBreaks(after, isLast));
}

function inline(text: string): string {
  return JSON.stringify(text).replace(
    ESCAPED_INLINE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function block(text: string, startsLine: boolean, breaks: string): string {
  const quoted = text.replace(OPENING, '$& ').replace(CLOSING, '$1 $2').replaceAll('\n', '\n> ');
  return `${startsLine ? '' : '\n'}> ${quoted}${breaks}`;
}

/**
 * The line breaks after a block that the words after it do not bring: an empty line ends it, and what comes is no part
 * of it.
 */
function missingBreaks(after: string, isLast: boolean): string {
  if (isLast && after === '') return '\n';
  if (after.startsWith('\n\n')) return '';
  return after.startsWith('\n') ? '\n' : '\n\n';
}
