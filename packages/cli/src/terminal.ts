import { styleText } from 'node:util';
import { cleanText, createLineRedactor } from '@switchyard/guards';
import { present, stringifyJson } from '@switchyard/protocol';
import type { Failure } from './failure.ts';
import type { Output, Surroundings } from './surroundings.ts';

const MAX_LINE_CHARS = 2000;
const MAX_SEARCHED_CHARS = 16 * 1024;
// JSON escapes C0 by itself; these are DEL, C1, line separators and what turns the direction of writing.
const ACTS_ON_TERMINALS = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const CLEAR_LINE = '\r\u001b[2K';

/** A style of text on a terminal. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** How a verb speaks: results on standard output, everything else on standard error. */
export interface Terminal {
  /** Whether `--json` was given: standard output then holds exactly one JSON document. */
  readonly isJson: boolean;
  /** Columns of standard output where it is a terminal. */
  readonly columns: number | undefined;
  /** Writes the result: as JSON with `--json`, else as the text that `render` answers, which must be clean. */
  result(value: unknown, render: () => string): void;
  /** Writes a line to standard error, unless `--json` was given. The text must be clean. */
  note(text: string): void;
  /** Writes a warning to standard error. The text may come from outside and may have several lines. */
  warn(text: string): void;
  /**
   * Writes lines from outside to standard error under a heading, marked as quoted and with credentials masked; nothing
   * where there are none.
   */
  quote(heading: string, lines: readonly string[]): void;
  /** Writes a line from outside to standard error, behind the name of whoever said it. */
  relay(name: string, line: string): void;
  /** Tells of a failure: as JSON on standard output with `--json`, and as text on standard error otherwise. */
  fail(failure: Failure): void;
  /** Shows how far a call has come, on one line of standard error that is overwritten; only on a terminal. */
  progress(text: string): void;
  /** Runs what talks to a person by itself: no progress is shown meanwhile. */
  dialog<T>(work: () => Promise<T>): Promise<T>;
  /** Styles text for standard output, where that is a terminal that wants colours. */
  style(style: Style, text: string): string;
}

/** Creates the terminal of one run. */
export function createTerminal({ stdout, stderr, env }: Surroundings, isJson: boolean): Terminal {
  let showsProgress = false;
  let dialogs = 0;

  function writeError(text: string): void {
    if (showsProgress) stderr.write(CLEAR_LINE);
    showsProgress = false;
    stderr.write(`${text}\n`);
  }

  /** Masked before they are cut, so that no secret loses the end that tells it. */
  function writeQuoted(lines: readonly string[]): void {
    const redactLine = createLineRedactor();
    for (const line of lines) {
      const masked = redactLine(cleanLine(line, MAX_SEARCHED_CHARS));
      writeError(`  ${paint(stderr, env, 'dim', '|')} ${cleanLine(masked)}`);
    }
  }

  return {
    isJson,
    columns: stdout.isTerminal ? stdout.columns : undefined,
    result(value, render) {
      if (showsProgress) stderr.write(CLEAR_LINE);
      showsProgress = false;
      stdout.write(isJson ? jsonLine(value) : withNewline(render()));
    },
    note(text) {
      if (!isJson) writeError(text);
    },
    warn(text) {
      writeError(`${paint(stderr, env, 'yellow', 'warning:')} ${indented(text)}`);
    },
    quote(heading, lines) {
      if (lines.length === 0) return;
      writeError(heading);
      writeQuoted(lines);
    },
    relay(name, line) {
      writeError(`${paint(stderr, env, 'dim', `${cleanLine(name)} |`)} ${cleanLine(line)}`);
    },
    fail(failure) {
      if (isJson) {
        stdout.write(jsonLine({ error: toErrorDocument(failure) }));
        writeQuoted(failure.lines);
        return;
      }
      writeError(`${paint(stderr, env, 'red', 'error:')} ${indented(failure.message)}`);
      writeQuoted(failure.lines);
      if (failure.paste !== undefined) writeError(`\n${failure.paste}`);
    },
    progress(text) {
      if (!stderr.isTerminal || dialogs > 0) return;
      const room = Math.max(10, (stderr.columns ?? 80) - 1);
      stderr.write(CLEAR_LINE + cleanText(text, { maxChars: room }));
      showsProgress = true;
    },
    async dialog(work) {
      dialogs += 1;
      try {
        return await work();
      } finally {
        dialogs -= 1;
      }
    },
    style: (style, text) => paint(stdout, env, style, text),
  };
}

/** Answers a text from outside as one line that is safe to show. */
export function cleanLine(text: string, maxChars: number = MAX_LINE_CHARS): string {
  return cleanText(text, { maxChars });
}

/** Answers clean lines, all but the first indented, so that none of them can pose as a message of its own. */
function indented(text: string): string {
  const lines = text.split('\n').map((line) => cleanLine(line));
  return lines.join('\n  ');
}

/**
 * JSON text on one line. What a terminal could act on is written as an escape, which means the same to every reader.
 */
function jsonLine(value: unknown): string {
  const text = stringifyJson(value).replace(
    ACTS_ON_TERMINALS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}

function toErrorDocument({ kind, message, code, server }: Failure): object {
  return { kind, message, ...present({ code, server }) };
}

function paint(output: Output, env: Surroundings['env'], style: Style, text: string): string {
  const wantsColour = output.isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return wantsColour ? styleText(style, text, { validateStream: false }) : text;
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
