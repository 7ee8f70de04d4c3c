import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { displayText } from './display-text.ts';
import type { FormField } from './form-fields.ts';
import { withoutLookAlikes } from './look-alikes.ts';

/** Words for secrets that also end longer ones, as in `userpassword`. */
const ENDINGS =
  'pass(?:words?|wd|phrases?|codes?|keys?)|pwd|passw(?:or[dt]|örter)|kennw(?:ort|örter)|secrets?|credentials?|api ?keys?';
/** Words for secrets that stand by themselves. */
const WORDS = [
  'pass (?:words?|wd|phrases?|codes?|keys?)',
  'contrase(?:n|ñ)as?|mots? ?de ?passe|senhas?|парол(?:ь|я|ю|е|и|ей|ем)|wachtwoord|lösenord|adgangskode|passord',
  'salasana|hasło|heslo|jelszó|şifre|parola d ordine|geheimzahl|kontonummer|kreditkarten?(?: ?nummer)?',
  '(?:private|access|secret|ssh|signing|encryption|license|master|account|service) ?keys?',
  '(?:seed|recovery|backup|mnemonic) ?(?:phrases?|codes?|keys?|words?)|mnemonics?|bearer|jwt',
  '(?:access|auth|authentication|oauth|api|bearer|refresh|session|security|personal access|id|github|gitlab|bot) ?tokens?',
  '(?:one ?time|verification|authentication|authenticator|security|auth|2fa|mfa|two ?factor|sms) ?(?:codes?|numbers?)',
  'security ?answers?|answers? to (?:\\p{L}+ )?security question',
  '(?:pin|[im]?tan) ?(?:codes?|numbers?|values?|entry|confirmation)|(?:sms|push|mobile) ?tan',
  '(?:[ht]?otp|cvv2?|cvc2?|iban|bic|ssn)(?: ?(?:codes?|numbers?|values?))?',
  '(?:credit|debit|payment|bank) ?cards?|card ?holders?|(?:cc|card|account|acct) ?(?:numbers?|num|no(?= ?\\d|$))',
  '(?:digits|numbers?) on the (?:front|back)|swift code|routing number|bank account|sort code',
  'social ?security|tax id|national id',
].join('|');
/** Words for secrets in languages that are written without spaces. */
const UNSPACED =
  '密码|密碼|口令|验证码|驗證碼|私钥|私鑰|助记词|助記詞|パスワード|パスコード|パスフレーズ|暗証番号|認証コード|秘密鍵|비밀번호|암호|인증번호';
const SECRET = new RegExp(String.raw`(?:${ENDINGS}|(?<!\p{L})(?:${WORDS}))(?!\p{L})|${UNSPACED}`, 'iu');
/** Names of secrets that are common words when they are not written like this: `a pin on the map`, `a tan coat`. */
const ACRONYM = /(?<!\p{L})(?:PIN|[im]?TAN)s?(?!\p{L})/u;
/** A key, unless it is one of those that nobody keeps secret. */
const KEY = '(?<!(?:primary|foreign|public|sort|partition|cache) )key';
/** Further words that say enough as the last word of a name or title: `githubToken`, `Key`, `pin2`. */
const NAMED = new RegExp(String.raw`(?:^| )(?:token|${KEY}|pin|[im]?tan|pan|auth|login code)(?: ?\d+)?$`, 'i');
/** A request in one text for what is typed into a field with a harmless name. */
const ASKS_FOR = new RegExp(
  String.raw`\b(?:${[
    'enter|provide|paste|type|write|give|send|supply|input|share|submit|confirm|tell|need|require|your|eingeben|geben',
    'saisir|saisissez|entrez|introduce|introduzca|introduza|ingrese|ingresa|escriba|escribe|digite|insira|inserisci',
  ].join('|')})\b|输入|輸入|入力|입력|введите`,
  'i',
);
/** The words of {@link NAMED} within such a request, where they are not followed by what they might belong to. */
const ASKS_FOR_NAMED = new RegExp(
  String.raw`\b(?:enter|provide|paste|type|write|give|submit|confirm|your|the) (?:\w+ )?(?:token|${KEY}|pin|pan)` +
    String.raw`(?=$| (?:to|for|below|here|in|into|now|and|or|before|again|please)\b)|\byour pin\b`,
  'i',
);

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
  if (names.some((text) => namesSecret(text) || NAMED.test(text))) return true;
  return [...shown(schema['description']), ...textsOf(field)].flatMap(readings).some(namesSecret);
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
  return (ASKS_FOR.test(text) && namesSecret(text)) || ASKS_FOR_NAMED.test(text);
}

function namesSecret(text: string): boolean {
  return SECRET.test(text) || ACRONYM.test(text);
}

/**
 * The ways in which a text can be read: as it is, with a word after capitals apart, by the looks of its letters, and with
 * spaced letters as words.
 */
function readings(text: string): readonly string[] {
  const words = plain(text.normalize('NFKC'));
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
