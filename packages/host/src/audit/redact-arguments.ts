import { isJsonObject, type JsonObject } from '@switchyard/protocol';

const MAX_NAMES = 100;
const MAX_NAME_CHARS = 128;

/** What is recorded of one argument: its JSON type, and its size in characters, items or members where it has one. */
export interface RedactedArgument {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';
  readonly size?: number;
}

/** What is recorded of the arguments of a call: no values, and no names that the caller made up. */
export interface RedactedArguments {
  /** The arguments whose names the definition declares, the first 100 of them. */
  readonly declared: { readonly [name: string]: RedactedArgument };
  /** How many others there were. */
  readonly others: number;
}

/**
 * Answers what may be recorded of arguments. Only names in `declared` are kept, because a name that a caller makes up
 * can hold data as well as a value can.
 */
export function redactArguments(args: JsonObject, declared: ReadonlySet<string>): RedactedArguments {
  const names = Object.keys(args);
  const kept = names.filter((name) => declared.has(name) && name.length <= MAX_NAME_CHARS).slice(0, MAX_NAMES);
  return {
    declared: Object.fromEntries(kept.map((name) => [name.toWellFormed(), describe(args[name])])),
    others: names.length - kept.length,
  };
}

/** Answers the names that an input schema declares at its top level. */
export function declaredNames(inputSchema: JsonObject): ReadonlySet<string> {
  const { properties } = inputSchema;
  return new Set(isJsonObject(properties) ? Object.keys(properties) : []);
}

function describe(value: unknown): RedactedArgument {
  if (typeof value === 'string') return { type: 'string', size: value.length };
  if (Array.isArray(value)) return { type: 'array', size: value.length };
  if (typeof value === 'bigint') return { type: 'integer' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  return isJsonObject(value) ? { type: 'object', size: Object.keys(value).length } : { type: 'null' };
}
