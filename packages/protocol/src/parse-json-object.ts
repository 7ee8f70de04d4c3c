import { isJsonObject, type JsonObject } from './shape.ts';

/** Answers the JSON object that a text is, or `undefined` for a text that is none. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
