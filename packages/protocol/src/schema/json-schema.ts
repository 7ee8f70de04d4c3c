import type { JsonObject } from '../shape.ts';

/** A JSON Schema in its object form, as it stands in a tool definition. The boolean forms are `true` and `false`. */
export type JsonSchema = JsonObject;
