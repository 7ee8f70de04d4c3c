import { cleanLine, type Terminal } from '../terminal.ts';
import { countOf } from './count-of.ts';

const MAX_DESCRIPTION_CHARS = 100;
const MIN_DESCRIPTION_CHARS = 30;
const MAX_NAME_CHARS = 80;

/** An entry of a list: its definition, which comes from outside, and the server that it is of. */
export interface Listed<Definition> {
  readonly server: string;
  readonly definition: Definition;
}

/** How the entries of one kind are shown. */
export interface Showing<Definition> {
  /** What one entry is, such as `tool`. */
  readonly noun: string;
  /** What an entry is asked for by, and with what; cleaned by who writes it. */
  headOf(definition: Definition): string;
  /** What it does, in words. */
  textOf(definition: Definition): string | undefined;
}

/**
 * Answers the entries of each server, one line for what to write and one for the first line of the description, cleaned
 * and cut to the width of the terminal.
 */
export function showList<Definition>(
  listed: readonly Listed<Definition>[],
  { noun, headOf, textOf }: Showing<Definition>,
  { columns, style }: Pick<Terminal, 'columns' | 'style'>,
): string {
  const room = columns === undefined ? MAX_DESCRIPTION_CHARS : Math.max(MIN_DESCRIPTION_CHARS, columns - 6);
  const show = ({ definition }: Listed<Definition>): string => {
    const text = shorten(cleanLine(firstLine(textOf(definition) ?? '')), room);
    return text === '' ? `  ${headOf(definition)}` : `  ${headOf(definition)}\n      ${style('dim', text)}`;
  };
  const sections = [...Map.groupBy(listed, ({ server }) => server)].map(([server, group]) => {
    const title = `${style('bold', cleanLine(server, MAX_NAME_CHARS))} (${countOf(group.length, noun)})`;
    return [title, ...group.map((entry) => show(entry))].join('\n');
  });
  return sections.length === 0 ? `No ${noun}s.` : sections.join('\n\n');
}

/** Answers a text of at most so many characters, with an ellipsis where it was cut. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).trimEnd()}…`;
}

function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? '';
}
