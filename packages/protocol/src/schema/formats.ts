import type { Format } from 'ajv';
import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js';

/**
 * The formats that are checked: those that JSON Schema defines and ajv-formats implements, and the number formats of
 * OpenAPI. `url`, whose expression is quadratic, and the formats that mean nothing to JSON are left out; a format that
 * is not here is an annotation only.
 */
const checkedFormats: readonly FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
  'int32',
  'int64',
  'float',
  'double',
];

/** The checked formats by their names, for ajv. */
export const formats: { readonly [name: string]: Format } = Object.fromEntries(
  checkedFormats.map((name) => [name, fullFormats[name]]),
);
