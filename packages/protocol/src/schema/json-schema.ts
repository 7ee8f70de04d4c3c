/** A JSON Schema in its object form, as it stands in a tool definition. The boolean forms are `true` and `false`. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Says whether a value is a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
