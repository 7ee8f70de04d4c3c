import { redactSecrets } from '@switchyard/guards';
import { clip } from '@switchyard/protocol';

const DEFAULT_MAX_LENGTH = 200;

/**
 * Answers the beginning of a text from outside in a form that is fit for a message: on one line, without control
 * characters or bidirectional overrides, with everything masked that looks like a credential, at most `maxLength`
 * characters (200 by default) and an ellipsis where more was there.
 */
export function excerpt(text: string, maxLength: number = DEFAULT_MAX_LENGTH): string {
  // Only the part that can end up in the answer is looked at, whatever the length of the text.
  const head = text.slice(0, maxLength * 4);
  const line = head
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  // Masked before it is cut, so that no secret loses the name or the end that tells it.
  const clean = redactSecrets(line);
  const isWhole = head.length === text.length && clean.length <= maxLength;
  return isWhole ? clean : clip(`${clean}…`, maxLength + 1);
}

/** Answers {@link excerpt} of a name in quotes. */
export function quoted(name: string): string {
  return `"${excerpt(name, 80)}"`;
}
