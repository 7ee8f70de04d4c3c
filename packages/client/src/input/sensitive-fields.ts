import type { JsonObject } from '@switchyard/protocol';
import { displayText } from './display-text.ts';
import type { FormField } from './form-fields.ts';
import { fieldSchema } from './field-schema.ts';
import { withoutLookAlikes } from './look-alikes.ts';
import {
  ACRONYM,
  ASKS_FOR,
  ASKS_FOR_NAMED,
  BANK,
  MENTION,
  NAMED,
  NEUTRAL,
  PIN,
  PLACE,
  REFERS_BACK,
  SECRET,
} from './secret-words.ts';

/** How much of a text is judged at least, in characters: no less of any is shown. */
const MAX_SHOWN = 4000;
/** How long a text may be, in characters, that asks for a secret by no more than its name. */
const MAX_SHORT = 80;

/**
 * Answers the names of the fields of a form that look as if they asked for a password, a key, a token or payment data:
 * by name, title, description or format, or because some text of the form asks for such a thing. `message` and `fields`
 * are what is shown, and so what is judged. It is a guess, made to refuse rather too much. What can only be chosen or
 * ticked is no secret.
 *
 * Spec: client/elicitation#user-interaction-model (2026-07-28).
 */
export function findSensitiveFields(
  message: string,
  fields: readonly FormField[],
  requestedSchema: JsonObject,
): readonly string[] {
  const { title, description } = requestedSchema;
  const texts = new Set([message, ...shown(title, description), ...fields.flatMap(textsOf)]);
  const readingsOf = readerOf([...texts, ...fields.map(({ name }) => name)]);
  const isName = once((text) => readingsOf(text).some((reading) => namesSecret(reading) || NAMED.test(reading)));
  const tells = once((text) => readingsOf(text).map(withoutMentions).some(namesSecret));
  const typed = fields.filter(isTyped);
  const isNamed =
    typed.length === 1 && typed.every(isNeutral) && briefly(message).flatMap(readingsOf).some(isNameOfSecret);
  const isAsked = isNamed || [...texts].some((text) => readingsOf(text).some(asksForSecret));
  return fields.filter(isSensitive).map(({ name }) => name);

  function isSensitive(field: FormField): boolean {
    const schema = fieldSchema(field.name, requestedSchema) ?? {};
    if (schema['format'] === 'password' || schema['writeOnly'] === true) return true;
    if (!isTyped(field)) return false;
    if (isAsked) return true;
    const own = [...shown(field.name, schema['title']), field.title];
    return own.some(isName) || [...shown(schema['description']), field.description ?? ''].some(tells);
  }
}

/** Many fields may have the same text, through one definition, and each is judged once. */
function once(judge: (text: string) => boolean): (text: string) => boolean {
  const judged = new Map<string, boolean>();
  return (text) => {
    const known = judged.get(text) ?? judge(text);
    judged.set(text, known);
    return known;
  };
}

function isTyped({ type }: FormField): boolean {
  return type === 'string' || type === 'number' || type === 'integer';
}

function isNeutral({ name, title }: FormField): boolean {
  return NEUTRAL.test(plain(name)) && NEUTRAL.test(plain(title));
}

/** What a user reads of a field beside its name. */
function textsOf({ title, description = '', options = [], default: preset }: FormField): readonly string[] {
  const values = options.flatMap((option) =>
    option.value === option.title ? [option.title] : [option.title, option.value],
  );
  return [title, description, ...shown(preset, ...values)];
}

/** What a user would read of the schema itself, where somebody shows that. */
function shown(...texts: readonly unknown[]): readonly string[] {
  return texts.flatMap((text) => (typeof text === 'string' ? [displayText(text, MAX_SHOWN)] : []));
}

/** The parts of a message in which the name of a secret is a question: `GitHub password:`. */
function briefly(message: string): readonly string[] {
  if (message.length <= MAX_SHORT) return [message];
  return message.split(/\n|(?<=[.!?:。！？：])\s+/).filter((part) => /[?:？：]$/.test(part));
}

function isNameOfSecret(text: string): boolean {
  const asked = withoutMentions(text);
  return namesSecret(asked) || NAMED.test(asked);
}

function asksForSecret(text: string): boolean {
  const asked = withoutMentions(text);
  if (ASKS_FOR_NAMED.test(asked)) return true;
  return ASKS_FOR.test(asked) && (namesSecret(asked) || (asked !== text && REFERS_BACK.test(asked)));
}

function withoutMentions(text: string): string {
  return text.replace(MENTION, ' ');
}

function namesSecret(text: string): boolean {
  return SECRET.test(text) || ACRONYM.test(text);
}

/** Answers how to read the texts of a form: in one that is about places, a PIN is no secret. */
function readerOf(texts: readonly string[]): (text: string) => readonly string[] {
  const all = plain(texts.join(' '));
  const isOfPlaces = PLACE.test(all) && !BANK.test(all);
  return (text) => (isOfPlaces ? readings(text).map((reading) => reading.replace(PIN, '').trim()) : readings(text));
}

/**
 * The ways in which a text can be read: as it is, with a word after capitals apart, by the looks of its letters, and with
 * spaced letters as words.
 */
function readings(text: string): readonly string[] {
  // One character may stand for many.
  const words = plain(text.normalize('NFKC').slice(0, MAX_SHOWN));
  const looks = plain(withoutLookAlikes(apart(text)));
  const afterCapitals = words.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return [...new Set([words, afterCapitals, looks, together(words), together(looks)])];
}

function together(words: string): string {
  return words.replace(/(?<!\p{L})\p{L}(?: \p{L}(?!\p{L}))+/gu, (letters) => letters.replaceAll(' ', ''));
}

function apart(text: string): string {
  return text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2');
}

/** Words between single spaces, whether they were written in camel case, with underscores or in full width. */
function plain(text: string): string {
  return apart(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
