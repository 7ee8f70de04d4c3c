import type { CallToolResult } from '@switchyard/protocol';

const TIME =
  /\btime[ds]?[\s-]?out\b|ETIMEDOUT|ESOCKETTIMEDOUT|deadline exceeded|took too long|gateway time|UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT/i;

/** Whether a text says that something did not answer in time. */
export function speaksOfTime(text: string): boolean {
  return TIME.test(text);
}

/** Answers the texts of a result as one. */
export function textOf({ content }: CallToolResult): string {
  const texts = content.flatMap((block) => ('text' in block ? [block.text] : []));
  return texts.length === 0 ? '(no text)' : texts.join(' ');
}
