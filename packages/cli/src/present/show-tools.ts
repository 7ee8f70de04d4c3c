import { isJsonObject, type Tool } from '@switchyard/protocol';
import { cleanLine, type Terminal } from '../terminal.ts';

const MAX_DESCRIPTION_CHARS = 100;
const MIN_DESCRIPTION_CHARS = 30;
const MAX_NAME_CHARS = 80;
const MAX_ARGUMENTS_CHARS = 60;

/** A tool as it is listed: its definition under the name that it is called by, and the server that it is of. */
export interface ListedTool {
  readonly server: string;
  readonly definition: Tool;
}

/**
 * Answers the tools of each server with their arguments (`[…]` around those that may be left out) and the first line of their
 * descriptions, which come from outside and are cleaned and cut to the width of the terminal.
 */
export function showTools(tools: readonly ListedTool[], terminal: Pick<Terminal, 'columns' | 'style'>): string {
  const sections = [...Map.groupBy(tools, ({ server }) => server)].map(([server, group]) => {
    const title = `${terminal.style('bold', cleanLine(server, MAX_NAME_CHARS))} (${countOf(group.length, 'tool')})`;
    return [title, ...group.map(({ definition }) => showTool(definition, terminal))].join('\n');
  });
  return sections.length === 0 ? 'No tools.' : sections.join('\n\n');
}

/** Answers a number with its noun: `1 tool`, `2 tools`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function showTool(
  { name, title, description, inputSchema }: Tool,
  { columns, style }: Pick<Terminal, 'columns' | 'style'>,
): string {
  const head = `  ${cleanLine(name, MAX_NAME_CHARS)} ${showArguments(inputSchema)}`.trimEnd();
  const room = columns === undefined ? MAX_DESCRIPTION_CHARS : Math.max(MIN_DESCRIPTION_CHARS, columns - 6);
  const text = shorten(cleanLine(firstLine(description ?? title ?? '')), room);
  return text === '' ? head : `${head}\n      ${style('dim', text)}`;
}

function showArguments(inputSchema: unknown): string {
  if (!isJsonObject(inputSchema) || !isJsonObject(inputSchema['properties'])) return '';
  const required: readonly unknown[] = Array.isArray(inputSchema['required'])
    ? (inputSchema['required'] as unknown[])
    : [];
  const names = Object.keys(inputSchema['properties']);
  const ordered = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  const shown = ordered.map((name) => (required.includes(name) ? `${name}=…` : `[${name}=…]`));
  return shorten(cleanLine(shown.join(' ')), MAX_ARGUMENTS_CHARS);
}

function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).trimEnd()}…`;
}

function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? '';
}
