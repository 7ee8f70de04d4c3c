import { clip, type Logger } from '@switchyard/protocol';

/**
 * The logger of last resort, where nobody chose one and nothing else would tell why a handler failed: errors and
 * warnings go to the console, as one sentence with what it is about and the stack; `info` lines are dropped. Pass
 * `silentLogger` for none at all.
 */
export const consoleLogger: Logger = {
  info: () => undefined,
  // oxlint-disable-next-line no-console -- The console is the only output that every runtime has.
  warn: (fields, message) => console.warn(lineOf('warning', fields, message)),
  // oxlint-disable-next-line no-console -- See `warn`.
  error: (fields, message) => console.error(lineOf('error', fields, message)),
};

/** Longest line with its causes, in characters. */
const MAX_LINE_CHARS = 16_000;
const MAX_CAUSES = 5;

function lineOf(level: 'warning' | 'error', fields: object, message: string): string {
  const { err, ...about } = fields as { readonly err?: unknown };
  const shown = Object.keys(about).length === 0 ? '' : ` ${JSON.stringify(about)}`;
  const line = `[switchyard] ${level}: ${message}${shown}${err === undefined ? '' : `\n${stackOf(err)}`}`;
  return withoutControls(clip(line, MAX_LINE_CHARS));
}

/** The stack of an error, with those of its causes. */
function stackOf(thrown: unknown): string {
  const stacks: string[] = [];
  let cause = thrown;
  while (cause !== undefined && stacks.length <= MAX_CAUSES) {
    stacks.push(textOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return stacks.join('\ncaused by: ');
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? String(thrown.stack) : String(thrown);
}

/** What a caller wrote must not act on the terminal of whoever reads the log. */
function withoutControls(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
