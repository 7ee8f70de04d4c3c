import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { displayText } from './display-text.ts';
import type { FormField } from './form-fields.ts';
import { withoutLookAlikes } from './look-alikes.ts';

/** Words that ask for a secret wherever they stand in a name, a title, a description or a request. */
const SECRET = new RegExp(
  [
    // Also at the end of a longer word, as in `userpassword`.
    'pass ?(?:words?|wd|phrases?|codes?|keys?)|pwd|passwor[dt]|kennwort|secrets?|credentials?|api ?keys?|密码|密碼|パスワード|пароль',
    String.raw`(?<!\p{L})(?:${[
      'contrase(?:n|ñ)a|mot de passe|senha|private key|seed phrase|recovery (?:phrase|code)s?|mnemonic',
      '(?:access|secret|ssh|signing|encryption|license|master|account|service) ?keys?|bearer|jwt',
      '(?:access|auth|authentication|api|bearer|refresh|session|security|personal access|id|github|gitlab|bot) ?tokens?',
      '(?:one ?time|verification|authentication|security|auth|2fa|mfa|sms|pin) ?(?:codes?|numbers?)|otp|totp',
      '(?:credit|debit|payment|bank) ?cards?|card ?(?:number|no|holder)s?|cc ?num(?:ber)?',
      '(?:digits|numbers?) on the (?:front|back)|cvv2?|cvc2?|iban|bic|swift code|routing number|account number',
      'bank account|sort code|ssn|social security|tax id|passport (?:number|no)|national id',
    ].join('|')})`,
  ]
    .map((words) => String.raw`(?:${words})(?!\p{L})`)
    .join('|'),
  'iu',
);
/** Further words that say enough as the last word of a name or title: `githubToken`, `Key`, `PIN`. */
const NAMED = /(?:^| )(?:token|key|pin|pan|auth|login code)$/i;
/** A request in one text for what is typed into a field with a harmless name. */
const ASKS_FOR =
  /\b(?:enter|provide|paste|type|write|give|send|supply|input|share|submit|confirm|tell|need|require|your|eingeben|geben)\b/i;
/** The words of {@link NAMED} within such a request, where they are not followed by what they might belong to. */
const ASKS_FOR_NAMED =
  /\b(?:enter|provide|paste|type|write|give|submit|confirm|your|the) (?:\w+ )?(?:token|key|pin|pan)(?=$| (?:to|for|below|here|in|into|now|and|or|before|again|please)\b)|\byour pin\b/i;

/** How much of a text is judged at least, in characters: no less of any is shown. */
const MAX_SHOWN = 4000;

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
  const { title, description, properties } = requestedSchema;
  const texts = [message, ...shown(title, description), ...fields.flatMap(textsOf)];
  const isAsked = texts.flatMap(readings).some(asksForSecret);
  return fields
    .filter((field) => {
      const schema = isJsonObject(properties) ? properties[field.name] : undefined;
      return isSensitive(field, isJsonObject(schema) ? schema : {}, isAsked);
    })
    .map(({ name }) => name);
}

function isSensitive(field: FormField, schema: JsonObject, isAsked: boolean): boolean {
  const { name, type, title } = field;
  if (schema['format'] === 'password' || schema['writeOnly'] === true) return true;
  if (type !== 'string' && type !== 'number' && type !== 'integer') return false;
  if (isAsked) return true;
  const names = [...shown(name, schema['title']), title].flatMap(readings);
  if (names.some((text) => SECRET.test(text) || NAMED.test(text))) return true;
  return [...shown(schema['description']), ...textsOf(field)].flatMap(readings).some((text) => SECRET.test(text));
}

/** What a user reads of a field beside its name. */
function textsOf({ title, description = '', options = [] }: FormField): readonly string[] {
  return [title, description, ...options.map((option) => option.title)];
}

/** What a user would read of the schema itself, where somebody shows that. */
function shown(...texts: readonly unknown[]): readonly string[] {
  return texts.flatMap((text) => (typeof text === 'string' ? [displayText(text, MAX_SHOWN)] : []));
}

function asksForSecret(text: string): boolean {
  return (ASKS_FOR.test(text) && SECRET.test(text)) || ASKS_FOR_NAMED.test(text);
}

/** The ways in which a text can be read: as it is, by the looks of its letters, and with spaced letters as words. */
function readings(text: string): readonly string[] {
  const words = plain(text.normalize('NFKC'));
  const looks = plain(withoutLookAlikes(apart(text)));
  return [...new Set([words, looks, together(words), together(looks)])];
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
