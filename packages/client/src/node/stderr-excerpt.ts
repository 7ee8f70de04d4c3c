import { cleanText, redactSecrets, type ServerProcess } from '@switchyard/guards';

const maxLines = 20;
const maxChars = 2048;
const lookedAtChars = 64 * 1024;

/** Answers the last lines of a child's stderr as a message may show them: at most 20 lines and 2 KiB, without secrets. */
export function stderrExcerpt(server: Pick<ServerProcess, 'stderrTail'>): string {
  const tail = server.stderrTail(maxLines).slice(-lookedAtChars);
  // Masked before it is cut, so that no secret loses the name that tells it.
  const clean = redactSecrets(cleanText(tail, { maxChars: lookedAtChars, keepNewlines: true })).trimEnd();
  if (clean.length <= maxChars) return clean;
  const cut = clean.slice(-maxChars);
  const lineStart = cut.indexOf('\n');
  return lineStart === -1 || lineStart === cut.length - 1 ? cut : cut.slice(lineStart + 1);
}
