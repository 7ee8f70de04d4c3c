import { usageFailure } from '../failure.ts';

/**
 * Splits one text into a program and its arguments as a shell would: at spaces, with '…' and "…" around what belongs
 * together, and a backslash before a space, a quote or a backslash that is meant literally (any other backslash stays,
 * so that Windows paths do). There is no shell: variables, wildcards, pipes and redirections are plain text.
 *
 * Throws a usage failure for an empty text, for a quote that does not end, and for a variable before the program.
 */
export function splitCommand(text: string): { readonly command: string; readonly args: readonly string[] } {
  const [command, ...args] = splitWords(text);
  if (command === undefined || command === '') {
    throw usageFailure(`--server is empty. Give a command line, such as 'node server.js', or a URL.`);
  }
  if (VARIABLE.test(command) && args.length > 0) {
    const name = command.slice(0, command.indexOf('='));
    throw usageFailure(
      `--server begins with the variable ${name}, and no shell runs that would set it. Give it as --env '${name}=…', and the program first.`,
    );
  }
  return { command, args };
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*=/;

function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    const next = text[at + 1];
    if (character === '\\' && quote !== "'" && next !== undefined && isEscapable(next, quote)) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) throw usageFailure(`The quote ${quote} in --server does not end: ${JSON.stringify(text)}`);
  if (word !== undefined) words.push(word);
  return words;
}

function isEscapable(next: string, quote: string | undefined): boolean {
  return next === '\\' || next === '"' || (quote === undefined && (next === "'" || /\s/.test(next)));
}
