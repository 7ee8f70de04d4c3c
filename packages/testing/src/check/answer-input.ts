import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import { objectsOf } from './seen.ts';

const answeredText = 'An answer for a check.';
/** Longest text and list that an answer is padded to: a server may ask for any length. */
const MAX_FILLED = 4_096;

/**
 * Answers a request for input with something that fits it: the smallest form that its schema takes, one text of a
 * model, one folder. `undefined` for a method that no client answers.
 */
export function answerInput(request: unknown): JsonObject | undefined {
  if (!isJsonObject(request)) return undefined;
  const params = isJsonObject(request['params']) ? request['params'] : {};
  switch (request['method']) {
    case 'elicitation/create':
      return params['mode'] === 'url'
        ? { action: 'accept' }
        : { action: 'accept', content: fillForm(params['requestedSchema']) };
    case 'sampling/createMessage':
      return {
        role: 'assistant',
        content: { type: 'text', text: answeredText },
        model: 'switchyard-check',
        stopReason: 'endTurn',
      };
    case 'roots/list':
      return { roots: [{ uri: 'file:///workspace', name: 'workspace' }] };
    default:
      return undefined;
  }
}

function fillForm(schema: unknown): JsonObject {
  const { properties, required } = isJsonObject(schema) ? schema : {};
  if (!isJsonObject(properties)) return {};
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const entries = Object.entries(properties).filter(([name]) => needed.has(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, valueFor(isJsonObject(member) ? member : {})]));
}

function valueFor(member: JsonObject): unknown {
  if (Object.hasOwn(member, 'default')) return member['default'];
  const choice = choicesOf(member)[0];
  if (choice !== undefined) return choice;
  switch (member['type']) {
    case 'boolean':
      return true;
    case 'integer':
      return Math.ceil(atLeast(member));
    case 'number':
      return atLeast(member);
    case 'array':
      return choicesOf(isJsonObject(member['items']) ? member['items'] : {}).slice(0, countOf(member['minItems'], 1));
    default:
      return textFor(member);
  }
}

function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): readonly unknown[] {
  if (Array.isArray(values)) return values as unknown[];
  return [...objectsOf(oneOf), ...objectsOf(anyOf)].map((choice) => choice['const']);
}

function atLeast({ minimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number') return minimum;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

const texts: { readonly [format: string]: string } = {
  email: 'check@example.com',
  uri: 'https://example.com/',
  date: '2026-07-28',
  'date-time': '2026-07-28T00:00:00Z',
};

function textFor({ format, minLength, maxLength }: JsonObject): string {
  const known = typeof format === 'string' && Object.hasOwn(texts, format) ? texts[format] : undefined;
  if (known !== undefined) return known;
  return 'check'.padEnd(Math.min(countOf(minLength, 5), MAX_FILLED), 'k').slice(0, countOf(maxLength, MAX_FILLED));
}

function countOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? value : otherwise;
}
