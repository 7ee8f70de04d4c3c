import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/**
 * Answers the JSON pointer of the first member that a closed schema does not know, or `undefined`. It follows `properties` and
 * `items`, which is where deriving a schema closes it.
 */
export function unknownMember(schema: JsonObject, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? unknownInItems(schema, value) : unknownInMembers(schema, value as JsonObject);
}

function unknownInItems({ items }: JsonObject, values: readonly unknown[]): string | undefined {
  if (!isJsonObject(items)) return undefined;
  for (const [index, value] of values.entries()) {
    const found = unknownMember(items, value);
    if (found !== undefined) return `/${index}${found}`;
  }
  return undefined;
}

function unknownInMembers({ properties, additionalProperties }: JsonObject, value: JsonObject): string | undefined {
  if (!isJsonObject(properties)) return undefined;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) {
      const schema = properties[key];
      const found = isJsonObject(schema) ? unknownMember(schema, value[key]) : undefined;
      if (found !== undefined) return `/${pointerPart(key)}${found}`;
    } else if (additionalProperties === false) return `/${pointerPart(key)}`;
  }
  return undefined;
}

function pointerPart(key: string): string {
  return (key.length > 64 ? `${key.slice(0, 64)}…` : key).replaceAll('~', '~0').replaceAll('/', '~1');
}
