import { cleanText, redactSecrets } from '@switchyard/guards';
import type { ServerProcess } from '@switchyard/guards/node';

const MAX_LINES = 20;
const MAX_CHARS = 2048;
const LOOKED_AT_CHARS = 64 * 1024;

/**
 * Answers the last lines of a child's stderr as a message may show them: at most 20 lines and 2 KiB, without what looks
 * like a credential and without what `mask` masks.
 */
export function stderrExcerpt(server: Pick<ServerProcess, 'stderrTail'>, mask: (text: string) => string): string {
  const kept = server.stderrTail(Infinity).slice(-LOOKED_AT_CHARS);
  // Masked before it is cut, so that no secret loses its beginning, its other lines or the name that tells it.
  // What is known to be secret goes first: a redactor guesses where a secret ends, and would leave the rest of it.
  const masked = redactSecrets(mask(cleanText(kept, { maxChars: LOOKED_AT_CHARS, keepNewlines: true })));
  const clean = masked.trimEnd().split('\n').slice(-MAX_LINES).join('\n');
  if (clean.length <= MAX_CHARS) return clean;
  const cut = clean.slice(-MAX_CHARS);
  const lineStart = cut.indexOf('\n');
  return lineStart === -1 || lineStart === cut.length - 1 ? cut : cut.slice(lineStart + 1);
}
