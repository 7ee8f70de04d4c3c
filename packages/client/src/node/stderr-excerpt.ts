import { cleanText, redactSecrets } from '@switchyard/guards';
import type { ServerProcess } from '@switchyard/guards/node';

const MAX_LINES = 20;
const MAX_CHARS = 2048;
const LOOKED_AT_CHARS = 64 * 1024;

/**
 * Answers the last lines of a child's stderr as a message may show them: at most 20 lines and 2 KiB, without secrets.
 */
export function stderrExcerpt(server: Pick<ServerProcess, 'stderrTail'>): string {
  const tail = server.stderrTail(MAX_LINES).slice(-LOOKED_AT_CHARS);
  // Masked before it is cut, so that no secret loses the name that tells it.
  const clean = redactSecrets(cleanText(tail, { maxChars: LOOKED_AT_CHARS, keepNewlines: true })).trimEnd();
  if (clean.length <= MAX_CHARS) return clean;
  const cut = clean.slice(-MAX_CHARS);
  const lineStart = cut.indexOf('\n');
  return lineStart === -1 || lineStart === cut.length - 1 ? cut : cut.slice(lineStart + 1);
}
