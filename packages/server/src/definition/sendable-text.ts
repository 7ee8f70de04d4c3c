/**
 * The longest text that is sent, in characters. From 2^27 on, `JSON.stringify` of V8 14 ends the process, past all
 * `catch`, for text outside Latin-1 that needs escapes.
 */
const MAX_TEXT_CHARS = 128_000_000;

/** Answers whether a text can be written as JSON without danger to the process. */
export function isSendableText(text: string): boolean {
  return text.length <= MAX_TEXT_CHARS;
}

/** Answers the text of a handler. @throws TypeError when it is longer than 128,000,000 characters. */
export function sendableText(text: string): string {
  if (isSendableText(text)) return text;
  throw new TypeError(`the handler returned ${text.length} characters; at most ${MAX_TEXT_CHARS} are sent`);
}
