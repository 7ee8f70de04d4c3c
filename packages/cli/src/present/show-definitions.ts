import { isJsonObject, type Prompt, type Resource, type ResourceTemplate, type Tool } from '@switchyard/protocol';
import { cleanLine } from '../terminal.ts';
import { shorten, type Showing } from './show-list.ts';

const MAX_NAME_CHARS = 80;
const MAX_URI_CHARS = 200;
const MAX_ARGUMENTS_CHARS = 60;

/** Shows a tool by its name and arguments, `[…]` around those that may be left out. */
export const toolShowing: Showing<Tool> = {
  noun: 'tool',
  headOf: ({ name, inputSchema }) => headOf(name, argumentsOf(inputSchema)),
  textOf: ({ title, description }) => description ?? title,
};

/** Shows a prompt in the same way. */
export const promptShowing: Showing<Prompt> = {
  noun: 'prompt',
  headOf: ({ name, arguments: declared = [] }) =>
    headOf(
      name,
      declared.map((argument) => ({ name: argument.name, isRequired: argument.required === true })),
    ),
  textOf: ({ title, description }) => description ?? title,
};

/** Shows a resource by its URI, or a template by that of all its resources. */
export const resourceShowing: Showing<Resource | ResourceTemplate> = {
  noun: 'resource',
  headOf: (definition) => cleanLine('uri' in definition ? definition.uri : definition.uriTemplate, MAX_URI_CHARS),
  textOf: ({ name, title, description }) => description ?? title ?? name,
};

interface ShownArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

function headOf(name: string, declared: readonly ShownArgument[]): string {
  const ordered = [...declared.filter((each) => each.isRequired), ...declared.filter((each) => !each.isRequired)];
  const shown = ordered.map((each) => (each.isRequired ? `${each.name}=…` : `[${each.name}=…]`)).join(' ');
  return `${cleanLine(name, MAX_NAME_CHARS)} ${shorten(cleanLine(shown), MAX_ARGUMENTS_CHARS)}`.trimEnd();
}

function argumentsOf(inputSchema: unknown): readonly ShownArgument[] {
  if (!isJsonObject(inputSchema) || !isJsonObject(inputSchema['properties'])) return [];
  const { required } = inputSchema;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return Object.keys(inputSchema['properties']).map((name) => ({ name, isRequired: isRequired(name) }));
}
