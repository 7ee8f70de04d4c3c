import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/**
 * Answers the JSON pointer of the first member that a closed schema does not know, or `undefined`. It follows `properties` and
 * `items`, which is where deriving a schema closes it.
 */
export function unknownMember(schema: JsonObject, value: unknown, at = ''): string | undefined {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isJsonObject(items)) return undefined;
    for (const [index, item] of value.entries()) {
      const found = unknownMember(items, item, `${at}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const { properties } = schema;
  if (!isJsonObject(value) || !isJsonObject(properties)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key);
    if (!known && schema['additionalProperties'] === false) return `${at}/${pointerPart(key)}`;
    const inner = known ? properties[key] : undefined;
    const found = isJsonObject(inner) ? unknownMember(inner, member, `${at}/${pointerPart(key)}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function pointerPart(key: string): string {
  return (key.length > 64 ? `${key.slice(0, 64)}…` : key).replaceAll('~', '~0').replaceAll('/', '~1');
}
