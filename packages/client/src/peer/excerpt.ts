import { redactSecrets } from '@switchyard/guards';
import { clip } from '@switchyard/protocol';

const DEFAULT_MAX_LENGTH = 200;

/**
 * Answers the beginning of a text from outside in a form that is fit for a message: on one line, without control
 * characters or bidirectional overrides, with everything masked that looks like a credential, at most `maxLength`
 * characters (200 by default) and an ellipsis where more was there.
 */
export function excerpt(text: string, maxLength: number = DEFAULT_MAX_LENGTH): string {
  return excerptWith(redactSecrets, text, maxLength);
}

/** Answers {@link excerpt} of a name in quotes. */
export function quoted(name: string): string {
  return `"${excerpt(name, 80)}"`;
}

/**
 * Answers {@link excerpt} of what a server wrote, without what `mask` masks. That goes first: a redactor guesses where a
 * secret ends, and would leave the rest of one that is known.
 */
export function maskedExcerpt(
  { mask }: { readonly mask: (text: string) => string },
  text: string,
  maxLength?: number,
): string {
  return excerptWith((head) => redactSecrets(mask(head)), text, maxLength);
}

function excerptWith(clean: (head: string) => string, text: string, maxLength: number = DEFAULT_MAX_LENGTH): string {
  // Only the part that can end up in the answer is looked at, whatever the length of the text.
  const head = text.slice(0, maxLength * 4);
  // Masked before it is cut or joined to one line, so that no secret loses the name, the end or the lines that tell it.
  const line = clean(head.replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, ''))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const isWhole = head.length === text.length && line.length <= maxLength;
  return isWhole ? line : clip(`${line}…`, maxLength + 1);
}
