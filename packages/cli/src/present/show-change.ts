import { cleanLine } from '../terminal.ts';

const CONTEXT = 3;
const MAX_LINES = 60;

/**
 * Answers how a text changed, line by line, from the first line that differs to the last: what was there after `-`,
 * what is there now after `+`, with a few lines around it, at most 60 of each.
 */
export function showChange(name: string, before: string, after: string): string {
  const [left, right] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const around = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${cleanLine(line)}`);
  return [
    `${cleanLine(name)} differs from line ${start + 1} on:`,
    ...around(left.slice(Math.max(0, start - CONTEXT), start)),
    ...signed('-', left.slice(start, left.length - end)),
    ...signed('+', right.slice(start, right.length - end)),
    ...around(left.slice(left.length - end, left.length - end + CONTEXT)),
  ].join('\n');
}

function signed(sign: string, lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => `${sign} ${cleanLine(line)}`);
  return lines.length > MAX_LINES ? [...shown, `${sign} … ${lines.length - MAX_LINES} more lines`] : shown;
}
