import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** Words that ask for a secret wherever they stand in a name, a title, a description or a request. */
const SECRET = new RegExp(
  [
    // Also at the end of a longer word, as in `userpassword`.
    'pass ?(?:words?|wd|phrases?|codes?|keys?)|pwd|passwor[dt]|kennwort|secrets?|credentials?|api ?keys?|密码|密碼|パスワード|пароль',
    String.raw`(?<!\p{L})(?:${[
      'contrase(?:n|ñ)a|mot de passe|senha|private key|seed phrase|recovery (?:phrase|code)s?|mnemonic',
      '(?:access|secret|ssh|signing|encryption|license|master|account|service) ?keys?|bearer|jwt',
      '(?:access|auth|authentication|api|bearer|refresh|session|security|personal access|id|github|gitlab|bot) ?tokens?',
      '(?:one ?time|verification|authentication|security|auth|2fa|mfa|sms) ?codes?|otp|totp',
      '(?:credit|debit|payment|bank) ?cards?|card ?(?:number|no|holder)s?|cc ?num(?:ber)?',
      'cvv2?|cvc2?|iban|bic|swift code|routing number|account number|bank account|sort code',
      'ssn|social security|tax id|passport (?:number|no)|national id',
    ].join('|')})`,
  ]
    .map((words) => String.raw`(?:${words})(?!\p{L})`)
    .join('|'),
  'iu',
);
/** Further words that say enough as the last word of a name or title: `githubToken`, `Key`, `PIN`. */
const NAMED = /(?:^| )(?:token|key|pin|pan|auth|login code)$/i;
/** A request for it in the message above a field that is called something harmless. */
const ASKS_FOR =
  /\b(?:enter|provide|paste|type|give|send|supply|input|share|submit|confirm|tell|need|require|your|eingeben|geben)\b/i;

const MAX_LOOKED_AT = 2000;

/**
 * Answers the names of the fields of a form that look as if they asked for a password, a key, a token or payment data:
 * by name, title, description or format, or by a message that asks for such a thing. It is a guess, made to refuse
 * rather too much. What can only be chosen, ticked or counted is no secret, apart from numbers that are named as one.
 *
 * Spec: client/elicitation#user-interaction-model (2026-07-28).
 */
export function findSensitiveFields(message: string, properties: JsonObject): readonly string[] {
  const asked = plain(message);
  const isAsked = ASKS_FOR.test(asked) && SECRET.test(asked);
  return Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && isSensitive(name, schema, isAsked) ? [name] : [],
  );
}

function isSensitive(name: string, schema: JsonObject, isAsked: boolean): boolean {
  const { type, title, description, format, writeOnly } = schema;
  if (format === 'password' || writeOnly === true) return true;
  if (type === 'boolean' || type === 'array' || 'enum' in schema || 'oneOf' in schema) return false;
  const names = [plain(name), plain(title)];
  if (names.some((text) => SECRET.test(text))) return true;
  if (names.some((text) => NAMED.test(text))) return true;
  return SECRET.test(plain(description)) || (isAsked && type === 'string');
}

/** Words between single spaces, whether they were written in camel case, with underscores or in full width. */
function plain(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .slice(0, MAX_LOOKED_AT)
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
