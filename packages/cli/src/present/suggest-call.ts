import type { ExposedTool } from '@switchyard/host';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** Names of text arguments for which any word will do. */
const FREE_TEXT = new Set(['message', 'text', 'query', 'name', 'input', 'prompt']);

/** What no shell takes apart. */
const PLAIN_WORD = /^[A-Za-z0-9._:/-]{1,40}$/;

/**
 * Answers arguments of the command that call a tool through the running gateway: a tool that says it only reads and
 * whose required arguments can be made up from its schema. Where there is none, they list the tools.
 */
export function suggestCall(tools: readonly ExposedTool[], url: string): string {
  const safe = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  for (const { name, inputSchema } of safe.toSorted((one, other) => showsMore(other) - showsMore(one))) {
    const pairs = madeUpPairs(inputSchema);
    if (pairs !== undefined) return ['call', '--url', url, name, ...pairs].join(' ');
  }
  return `tools --url ${url}`;
}

/** A call with arguments shows more than one without. */
function showsMore({ inputSchema }: ExposedTool): number {
  const { required }: JsonObject = inputSchema;
  return listOf(required).length > 0 ? 1 : 0;
}

function madeUpPairs({ required, properties }: JsonObject): readonly string[] | undefined {
  const known = isJsonObject(properties) ? properties : {};
  const pairs = listOf(required).map((name) => {
    const value = typeof name === 'string' ? madeUpValue(name, known[name]) : undefined;
    return value === undefined ? undefined : `${String(name)}=${value}`;
  });
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

/** A value that the schema itself offers, or any word for free text. */
function madeUpValue(name: string, schema: unknown): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(name) || !isJsonObject(schema)) return undefined;
  const { type, examples, enum: values, default: fallback, minimum } = schema;
  const offered: readonly unknown[] = [
    fallback,
    ...listOf(examples),
    ...listOf(values),
    type === 'integer' ? minimum : undefined,
  ];
  const value = offered.find((each) => isPlain(each));
  if (value !== undefined) return `${value}`;
  return type === 'string' && FREE_TEXT.has(name) ? 'hello' : undefined;
}

function isPlain(value: unknown): value is string | number | boolean {
  return (
    (typeof value === 'string' && PLAIN_WORD.test(value)) || typeof value === 'number' || typeof value === 'boolean'
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
