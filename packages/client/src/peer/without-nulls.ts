import type { JsonObject } from '@switchyard/protocol';

/** Answers an object without those of `names` that are `null`: serialisers that write absent members so are common. */
export function withoutNulls(object: JsonObject, names: readonly string[] = Object.keys(object)): JsonObject {
  const absent = new Set(names.filter((name) => object[name] === null));
  if (absent.size === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !absent.has(name)));
}
