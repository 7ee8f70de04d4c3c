import { cleanText } from './clean-text.ts';
import { redactSecrets } from './redact.ts';

/** How much more than the excerpt is looked at. */
const LOOKED_AT = 8;

/**
 * The beginning of a text from outside, cleaned as by `cleanText` on one line and with its credentials masked as by
 * `redactSecrets`, at most `maxChars` long. It is masked before it is cut, so that no secret loses the end or the name
 * that tells it. Takes time in proportion to `maxChars`.
 */
export function redactedExcerpt(text: string, maxChars: number): string {
  // Line by line, as a private key is told by what stands before each of its lines.
  const lines = cleanText(text, { maxChars: LOOKED_AT * maxChars, keepNewlines: true });
  return cleanText(redactSecrets(lines), { maxChars });
}
