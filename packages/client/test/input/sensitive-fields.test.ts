import { describe, expect, it } from 'vitest';
import { readFormFields } from '../../src/input/form-fields.ts';
import { findSensitiveFields } from '../../src/input/sensitive-fields.ts';

/** Whether a form with one field, of type string where nothing else is given, seems to ask for a secret. */
function isSensitive(name: string, schema: object, message = ''): boolean {
  const requestedSchema = { type: 'object', properties: { [name]: { type: 'string', ...schema } } };
  const reading = readFormFields(requestedSchema);
  if ('problem' in reading) throw new Error(reading.problem);
  return findSensitiveFields(message, reading.fields, requestedSchema).length > 0;
}

const secrets = [
  'passphrase',
  'pass phrase',
  'passcode',
  'PIN',
  'PIN code',
  'OTP',
  'TOTP',
  'one-time code',
  'one time password',
  'TAN',
  'mTAN',
  'CVV',
  'CVC',
  'IBAN',
  'card number',
  'credit card',
  'account number',
  'API key',
  'access token',
  'refresh token',
  'bearer token',
  'private key',
  'seed phrase',
  'recovery phrase',
  'mnemonic',
  'SSN',
  'social security number',
  'security answer',
  'Passwort',
  'Kennwort',
  'contraseña',
  'mot de passe',
  'senha',
  'パスワード',
  '密码',
];
const camel = (words: string): string =>
  words.toLowerCase().replace(/[ -](\p{L})/gu, (_, letter: string) => letter.toUpperCase());
const joined = (words: string, by: string): string => words.toLowerCase().replaceAll(/[ -]/g, by);

describe('a field for a secret is found', () => {
  it.each(secrets)('[ELI-07] by its name, however that is written: %s', (secret) => {
    const names = [
      secret,
      camel(secret),
      `user ${secret}`,
      camel(`user ${secret}`),
      joined(secret, '_'),
      joined(secret, '-'),
      joined(`new ${secret}`, '_'),
      `${joined(secret, '_')}_2`,
      `${camel(secret)}2`,
      `${joined(secret, '_').toUpperCase()}_1`,
    ];
    expect(names.filter((name) => !isSensitive(name, {}))).toEqual([]);
  });

  it.each(secrets)('[ELI-07] by its title or description, in a sentence, too: %s', (secret) => {
    const texts = [secret, `${secret}:`, `The ${secret} (8)`, `${secret}, again`, `«${secret}»`];
    expect(texts.filter((title) => !isSensitive('x', { title }))).toEqual([]);
    expect(texts.filter((description) => !isSensitive('x', { description }))).toEqual([]);
  });

  it.each([
    'pin2',
    'userPINEntry',
    'OTPField',
    'SSNInput',
    'tan_1',
    'accountNo',
    'acct_no',
    'privatekey',
    'accountnumber',
    'motdepasse',
    'otpcode',
    'cvvCode',
    'IBANNumber',
    'token2',
  ])('[ELI-07] by a name that is run together, or ends with a digit: %s', (name) => {
    expect(isSensitive(name, {})).toBe(true);
  });

  it.each(['パスワードを入力してください', '请输入您的密码以继续', 'Su contraseña actual', 'Введите пароль'])(
    '[ELI-07] by a description in another language: %s',
    (description) => {
      expect(isSensitive('x', { description })).toBe(true);
    },
  );

  it.each(['请输入密码', 'Introduzca su contraseña', 'Saisissez votre mot de passe', 'Give the TAN of your bank'])(
    '[ELI-07] by a message that asks for it: %s',
    (message) => {
      expect(isSensitive('x', {}, message)).toBe(true);
    },
  );
});

describe('a field is taken for no secret', () => {
  const harmless = [
    'spinning',
    'shipping',
    'opinion',
    'pinned',
    'company',
    'tokenizer choice',
    'keyboard',
    'passport',
    'passport number',
    'author',
    'primary key column',
    'primary key',
    'pin the note',
    'compass words',
    'bypass codes',
    'pan-European',
    'tangent',
    'random seed',
    'max tokens',
    'account name',
    'account notes',
    'card title',
    'urban area',
    'monkey',
    'secretary',
    'one-time event',
    'security level',
    'social network',
    'Titan',
    'optician',
  ];
  it.each(harmless)('by its name, title or description: %s', (text) => {
    const found = [text, camel(text), joined(text, '_'), joined(text, '-')].filter((name) => isSensitive(name, {}));
    expect(found).toEqual([]);
    expect([isSensitive('x', { title: text }), isSensitive('x', { description: text })]).toEqual([false, false]);
  });

  it.each([
    'Is the account no longer in use?',
    'A tan coat or a blue one?',
    'Where on the map shall the pin be?',
    'Name the column of the primary key.',
  ])('by a sentence about something else: %s', (description) => {
    expect(isSensitive('x', { description }, description)).toBe(false);
  });
});
