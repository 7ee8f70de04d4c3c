import { nearestNames } from '@switchyard/config';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { usageFailure } from '../failure.ts';
import { exactJson, typedArray, typedValue } from './typed-value.ts';

/** One argument of a call as it stands on the command line. */
interface Pair {
  readonly key: string;
  readonly text: string;
  /** Written `key:=json`. */
  readonly isJson: boolean;
}

/**
 * Answers the arguments of a tool from `key=value` pairs, typed by the tool's input schema, and `key:=json`, which is
 * JSON whatever the schema says. A key that is given several times makes an array. Without a schema every value is a
 * text.
 *
 * Throws a usage failure for what is no pair, for JSON that is none, and for a key that the schema does not declare,
 * naming the nearest one; a schema that says `additionalProperties: true` takes any key, and `key:=json` is never
 * refused.
 */
export function parseArguments(texts: readonly string[], inputSchema?: unknown): JsonObject {
  const properties =
    isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : undefined;
  const values = new Map<string, unknown>();
  for (const [key, pairs] of Map.groupBy(texts.map(parsePair), (pair) => pair.key)) {
    const schema = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (schema === undefined && pairs.some(({ isJson }) => !isJson)) assertOpen(key, inputSchema, properties);
    values.set(key, valueOf(key, pairs, schema, inputSchema));
  }
  return Object.fromEntries(values);
}

/**
 * Answers the arguments of a prompt, which are texts. Throws a usage failure for what is no pair, or is given twice.
 */
export function parsePromptArguments(texts: readonly string[]): { readonly [name: string]: string } {
  const values = new Map<string, string>();
  for (const { key, text, isJson } of texts.map(parsePair)) {
    if (values.has(key)) throw usageFailure(`The argument ${key} is given twice; a prompt takes one text for each.`);
    const value = isJson ? jsonOf(key, text) : text;
    if (typeof value !== 'string') throw usageFailure(`The argument ${key} of a prompt must be a text: write ${key}=…`);
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

/**
 * Answers the arguments that stand in one JSON object, as `--args` gives it. Throws a usage failure for anything else.
 */
export function parseArgumentObject(text: string): JsonObject {
  return parseObject('--args', text);
}

/** Answers the JSON object that an option gives. Throws a usage failure for anything else. */
export function parseObject(option: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = exactJson(text);
  } catch (error) {
    throw usageFailure(`${option} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) throw usageFailure(`${option} must be a JSON object, such as '{"order_id":"A-104"}'.`);
  return value;
}

function parsePair(text: string): Pair {
  const equals = text.indexOf('=');
  const isJson = equals > 0 && text[equals - 1] === ':';
  const key = text.slice(0, isJson ? equals - 1 : equals);
  if (equals < 0 || key === '') {
    throw usageFailure(
      `Expected key=value, but got ${JSON.stringify(text)}. Write key=value, key:=json, or use --args JSON.`,
    );
  }
  return { key, text: text.slice(equals + 1), isJson };
}

function valueOf(key: string, pairs: readonly Pair[], schema: unknown, root: unknown): unknown {
  const [only] = pairs;
  if (only !== undefined && pairs.length === 1)
    return only.isJson ? jsonOf(key, only.text) : typedValue(only.text, schema, root);
  const texts = pairs.filter(({ isJson }) => !isJson).map(({ text }) => text);
  const typed = typedArray(texts, schema, root);
  if (typed === undefined)
    throw usageFailure(`The argument ${key} is given ${pairs.length} times, but takes no array.`);
  const values = typed.values();
  return pairs.map(({ isJson, text }): unknown => (isJson ? jsonOf(key, text) : values.next().value));
}

function jsonOf(key: string, text: string): unknown {
  try {
    return exactJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageFailure(`The value of ${key}:= is not JSON: ${why}. Write ${key}=… for a text.`);
  }
}

/**
 * A schema without `additionalProperties` takes any key, but on a command line an undeclared one is a slip far more
 * often.
 */
function assertOpen(key: string, schema: unknown, properties: JsonObject | undefined): void {
  if (!isJsonObject(schema) || properties === undefined) return;
  const { additionalProperties, patternProperties } = schema;
  if (additionalProperties === true || isJsonObject(additionalProperties) || patternProperties !== undefined) return;
  const names = Object.keys(properties);
  if (names.length === 0 && additionalProperties !== false) return;
  const [near] = nearestNames(key, names, 1);
  const known = names.length === 0 ? 'It takes no arguments.' : `Its arguments are ${names.join(', ')}.`;
  const mending = near === undefined ? known : `Did you mean ${near}?`;
  throw usageFailure(`The tool has no argument ${JSON.stringify(key)}. ${mending}`);
}
