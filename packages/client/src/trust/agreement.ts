import { type ContentBlock, isTextDeeperThan, MAX_MESSAGE_DEPTH, parseJson, stringifyJson } from '@switchyard/protocol';
import { comparableText } from './comparable-text.ts';
import { createComparison } from './comparison.ts';

/** A structured form over this has too many parts. */
const MAX_CHARS_IN_PARTS = 256 * 1024;
/** More texts that look like JSON nobody sends, and to read ones that are none takes long. */
const MAX_TEXTS = 50_000;
/** What texts with the parts of a form may have together: with indentation and `null`, they have more than the form. */
const MAX_CHARS_OF_PARTS = 8 * MAX_CHARS_IN_PARTS;

/**
 * Answers whether the text of a result says something else than its structured form: the index of the first text block
 * that does, or `undefined`.
 *
 * Free text agrees with everything. A text that is a JSON object or array must equal the structured form or a part of
 * it: a member of it, or an item of it or of one of its members, which is how servers send a file's text or one block
 * for each item; a structured form of more than 256 Ki characters is only compared whole and with its text members,
 * because looking at every part takes long, and so it is with all texts beyond the first 2 Mi characters of such parts;
 * of 50,000 texts that may be JSON the next one agrees with nothing, and of lines that may be as many are parts. Of a
 * structured form that is neither object nor array, a text that is any JSON value must equal it. Members that are `null`
 * count as absent, and space around a text as none; of a text member with several lines each one is a part, since one
 * JSON value a line is how lists are written. `exactIntegers` says how
 * the structured form was read; it is nested 512 levels deep at most. It takes time in proportion to the result, not much
 * more than to read it.
 *
 * Spec: server/tools#structured-content (2026-07-28).
 */
export function findDisagreement(
  content: readonly ContentBlock[],
  structured: unknown,
  { exactIntegers }: { readonly exactIntegers: boolean },
): number | undefined {
  const forms = formsOf(structured);
  const isSame = createComparison(structured);
  let texts = 0;
  let charsOfParts = 0;
  for (const [index, block] of content.entries()) {
    if (block.type !== 'text' || !mayBeSerialised(block.text, structured)) continue;
    const { text } = block;
    if (text === forms.written()) continue;
    texts += 1;
    if (texts > MAX_TEXTS) return index;
    const reading = readText(text, exactIntegers);
    if (reading === undefined) continue;
    if (reading === 'too-deep') return index;
    if (isSame(reading.value) || forms.texts().has(text.trim())) continue;
    charsOfParts += text.length;
    if (forms.written().length > MAX_CHARS_IN_PARTS || charsOfParts > MAX_CHARS_OF_PARTS) return index;
    const said = comparableText(reading.value);
    if (!forms.parts().has(said) && !forms.parts().has(comparableText(text))) return index;
  }
  return undefined;
}

/** Answers the JSON value of a text, or `undefined` for free text. */
function readText(text: string, exactIntegers: boolean): { readonly value: unknown } | 'too-deep' | undefined {
  if (isTextDeeperThan(text, MAX_MESSAGE_DEPTH)) return 'too-deep';
  try {
    return { value: parseJson(text, { exactIntegers }) };
  } catch {
    // Not JSON: free text.
    return undefined;
  }
}

function mayBeSerialised(text: string, structured: unknown): boolean {
  const start = text.trimStart()[0];
  return start === '{' || start === '[' || typeof structured !== 'object' || structured === null;
}

/** The forms in which a text may say what the structured form says, each made when it is first needed. */
function formsOf(structured: unknown) {
  let written: string | undefined;
  let texts: ReadonlySet<string> | undefined;
  let parts: ReadonlySet<string> | undefined;
  return {
    written: () => (written ??= stringifyJson(structured)),
    texts: () => (texts ??= textsOf(structured)),
    parts: () => (parts ??= partsOf(structured)),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The texts in the structured form, and of their lines those that may be compared, without the space around them. */
function textsOf(structured: unknown): ReadonlySet<string> {
  const texts = new Set<string>();
  let lines = 0;
  for (const text of [structured, ...membersOf(structured)]) {
    if (!isText(text)) continue;
    texts.add(text.trim());
    // A text of a few characters a line has millions of them, of which hardly any is JSON.
    for (let start = 0; start < text.length && lines < MAX_TEXTS;) {
      const end = text.indexOf('\n', start);
      const line = text.slice(start, end === -1 ? undefined : end).trim();
      if (mayBeSerialised(line, structured)) {
        texts.add(line);
        lines += 1;
      }
      start = end === -1 ? text.length : end + 1;
    }
  }
  return texts;
}

/** The members of the structured form, its items and its members' items, each in a comparable form. */
function partsOf(structured: unknown): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const member of membersOf(structured)) {
    parts.add(comparableText(member));
    if (Array.isArray(member)) for (const item of member) parts.add(comparableText(item));
  }
  return parts;
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
