import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** All values that a schema allows at most. */
export interface ClosedList {
  /** The keyword that says so. */
  readonly rule: 'const' | 'enum' | 'oneOf' | 'anyOf';
  readonly values: readonly unknown[];
}

/** Answers the closed list of a schema: `const`, `enum`, or alternatives with a `const` each; `undefined` without one. */
export function closedListOf(schema: JsonObject): ClosedList | undefined {
  if (Object.hasOwn(schema, 'const')) return { rule: 'const', values: [schema['const']] };
  if (Array.isArray(schema['enum'])) return { rule: 'enum', values: schema['enum'] };
  for (const rule of ['oneOf', 'anyOf'] as const) {
    const alternatives: unknown = schema[rule];
    if (!Array.isArray(alternatives) || !alternatives.every(isConstant)) continue;
    const values = alternatives.map((each) => each['const']);
    return { rule, values: rule === 'oneOf' ? onlyOnce(values) : values };
  }
  return undefined;
}

/** Answers a schema that allows the same, with an `enum` in place of titled choices: each of those is a subschema. */
export function untitled(schema: JsonObject): JsonObject {
  const list = closedListOf(schema);
  if (list?.rule !== 'oneOf' && list?.rule !== 'anyOf') return schema;
  const { [list.rule]: alternatives, ...others } = schema;
  const isExact = (alternatives as readonly JsonObject[]).every((each) => Object.keys(each).every(isAnnotation));
  return isExact ? { ...others, enum: list.values } : schema;
}

function isConstant(alternative: unknown): alternative is JsonObject {
  return isJsonObject(alternative) && Object.hasOwn(alternative, 'const');
}

function isAnnotation(keyword: string): boolean {
  return keyword === 'const' || keyword === 'title' || keyword === 'description';
}

/** What is in a `oneOf` twice matches more than one of it. */
function onlyOnce(values: readonly unknown[]): readonly unknown[] {
  const [seen, repeated] = [new Set(), new Set()];
  for (const value of values) (seen.has(value) ? repeated : seen).add(value);
  return values.filter((value) => !repeated.has(value));
}
