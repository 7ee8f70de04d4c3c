import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import { InputError } from './input-error.ts';

/**
 * The keywords that a form member of each type may carry; whatever else a schema says is checked on the answer alone.
 */
const keywords: { readonly [type: string]: readonly string[] } = {
  string: ['type', 'title', 'description', 'minLength', 'maxLength', 'format', 'default', 'enum', 'enumNames', 'oneOf'],
  number: ['type', 'title', 'description', 'minimum', 'maximum', 'default'],
  integer: ['type', 'title', 'description', 'minimum', 'maximum', 'default'],
  boolean: ['type', 'title', 'description', 'default'],
  array: ['type', 'title', 'description', 'minItems', 'maxItems', 'items', 'default'],
};

const formats = new Set(['email', 'uri', 'date', 'date-time']);

/** The `requestedSchema` of a form. */
export interface FormSchema extends JsonObject {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: JsonObject };
  readonly required?: readonly string[];
}

/**
 * Turns a JSON Schema into what a form may carry: a flat object of strings, numbers, integers, booleans, choices and
 * lists of choices. Rules that a form has no word for (a pattern, a multiple) are left out, and hold when the answer is
 * checked.
 *
 * Spec: client/elicitation#requested-schema (2026-07-28).
 *
 * @throws InputError `question` for a schema that is no flat object, and for members whose names ask for a secret:
 *   those belong into a page of your own (URL mode).
 */
export function toFormSchema(schema: JsonObject): FormSchema {
  const { type, properties, required } = schema;
  if (type !== 'object' || !isJsonObject(properties))
    throw new InputError('question', 'the schema of a form must be an object with properties');
  const members: [string, JsonObject][] = [];
  for (const [name, member] of Object.entries(properties)) {
    if (asksForSecret(name)) {
      throw new InputError(
        'question',
        `the form member "${name}" asks for a secret, which would pass through the client: ask with \`url\` for a page of your own`,
      );
    }
    members.push([name, toMember(name, member)]);
  }
  const needed = Array.isArray(required) ? (required as readonly string[]) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

function toMember(name: string, given: unknown): JsonObject {
  if (!isJsonObject(given)) throw unfit(name);
  const member = asChoice(given);
  const { type } = member;
  const known = typeof type === 'string' && Object.hasOwn(keywords, type) ? keywords[type] : undefined;
  if (known === undefined) throw unfit(name);
  if (type === 'array' && !isChoiceList(member['items'])) throw unfit(name);
  if (member['oneOf'] !== undefined && !isTitledChoice(member['oneOf'])) throw unfit(name);
  return Object.fromEntries(
    Object.entries(member).filter(
      ([key, value]) => known.includes(key) && (key !== 'format' || formats.has(value as string)),
    ),
  );
}

/** Libraries write one string, or a union of strings, as constants: a form knows them as a choice. */
function asChoice(member: JsonObject): JsonObject {
  const { const: only, anyOf, ...rest } = member;
  if (typeof only === 'string') return { ...rest, type: 'string', enum: [only] };
  if (!Array.isArray(anyOf)) return member;
  const constants = anyOf.map((option: unknown) => (isJsonObject(option) ? option['const'] : undefined));
  return constants.every((value) => typeof value === 'string') ? { ...rest, type: 'string', enum: constants } : member;
}

function isChoiceList(items: unknown): boolean {
  if (!isJsonObject(items)) return false;
  return isTitledChoice(items['anyOf']) || (items['type'] === 'string' && Array.isArray(items['enum']));
}

function isTitledChoice(options: unknown): boolean {
  return (
    Array.isArray(options) &&
    options.every(
      (option) => isJsonObject(option) && typeof option['const'] === 'string' && typeof option['title'] === 'string',
    )
  );
}

function unfit(name: string): InputError {
  return new InputError(
    'question',
    `the form member "${name}" is of a type that no form has: use strings, numbers, integers, booleans, choices (enum, or oneOf with const and title) and lists of choices`,
  );
}

const SECRET =
  /(?:^|_)(?:password|passphrase|passwd|secret|cvv|cvc|pin|(?:api|private|secret)_?key|(?:access|auth|bearer)_?token|(?:credit_?)?card_?number)$/;

/**
 * Whether the name of a member says that it takes a password, a key or a card. Spec:
 * client/elicitation#security-considerations (2026-07-28).
 */
function asksForSecret(name: string): boolean {
  return SECRET.test(
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replaceAll(/[^a-zA-Z0-9]+/g, '_')
      .toLowerCase(),
  );
}
