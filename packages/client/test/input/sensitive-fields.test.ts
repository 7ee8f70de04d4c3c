import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { readFormFields } from '../../src/input/form-fields.ts';
import { findSensitiveFields } from '../../src/input/sensitive-fields.ts';

/** The fields, of type string where nothing else is given, that seem to ask for a secret. */
function sensitiveOf(fields: Record<string, object>, message = ''): readonly string[] {
  const typed = Object.entries(fields).map(([name, schema]) => [name, { type: 'string', ...schema }]);
  const requestedSchema = { type: 'object', properties: Object.fromEntries(typed) as JsonObject };
  const reading = readFormFields(requestedSchema);
  if ('problem' in reading) throw new Error(reading.problem);
  return findSensitiveFields(message, reading.fields, requestedSchema);
}

/** Whether a form with one field, of type string where nothing else is given, seems to ask for a secret. */
function isSensitive(name: string, schema: object, message = ''): boolean {
  return sensitiveOf({ [name]: schema }, message).length > 0;
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
    'apiKey',
    'secretKey',
    'accessToken',
    'stripeKey',
    'deploy_key',
    'pass',
    'db_pass',
    'passw',
    'pwd',
    'mfa',
    'session_cookie',
    'cardExpiry',
    'card_expiration_date',
    'walletSeed',
  ])('[ELI-07] by a name that is run together, or ends with a digit: %s', (name) => {
    expect(isSensitive(name, {})).toBe(true);
  });

  it.each([
    'كلمة المرور',
    'पासवर्ड',
    'סיסמה',
    'Κωδικός πρόσβασης',
    'รหัสผ่าน',
    'Mật khẩu',
    'Kata sandi',
    'Kata laluan',
    'Parola',
    'Şifreniz',
    'Kodeord',
    'Hasła',
    'Clé API',
    'Numéro de carte bancaire',
    'API-Schlüssel',
    'Zugangsdaten',
    'Clave',
    'Número de tarjeta',
    'Код из СМС',
    '银行卡号',
    '访问令牌',
    'クレジットカード番号',
    'アクセストークン',
    '카드번호',
  ])('[ELI-07] by a title in another language: %s', (title) => {
    expect(isSensitive('x', { title })).toBe(true);
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

describe('a field of a name that says nothing', () => {
  it.each([
    'Password:',
    'GitHub password:',
    'GitHub token:',
    'OpenAI API key',
    'GitHub personal access token',
    "What's the password for the admin account?",
    '[sudo] password for alice',
    'Login to proceed. Username and password, separated by a colon.',
    'Code from the authenticator',
    `${'This is the shell of the depot. '.repeat(4)}\nPassword:`,
    `${'This is the shell of the depot. '.repeat(4)}What is the password of the depot?`,
  ])('[ELI-07] is for a secret where a short message or a question names one: %s', (message) => {
    expect(['value', 'answer', 'x'].map((name) => isSensitive(name, {}, message))).toEqual([true, true, true]);
    expect(isSensitive('value', { title: 'Value' }, message)).toBe(true);
  });

  it.each([
    'Enter the new one to change your password',
    'We never ask for your password by mail, so enter it here',
    'To rotate the API key, paste the old API key',
    'We will never ask for your password elsewhere. Type it here.',
  ])('[ELI-07] is for a secret where the message comes back to what it mentions: %s', (message) => {
    expect(isSensitive('x', {}, message)).toBe(true);
  });

  it.each([
    'Which city?',
    'Which issue key?',
    'How many tokens?',
    'Enter your email to reset your password',
    'Provide a reason for rotating the API key',
    'What is your name? We will never ask for your password.',
  ])('is for no secret where the message asks for something else: %s', (message) => {
    expect(isSensitive('value', {}, message)).toBe(false);
  });

  it('is for no secret where a message names one beside fields that say what they are for', () => {
    expect(isSensitive('reason', {}, 'API key rotation')).toBe(false);
  });
});

describe('a PIN', () => {
  const places = [
    { pincode: { title: 'PIN code' }, city: {} },
    { pin: { title: 'Pin' }, latitude: {} },
    { postal_code: { title: 'PIN code', description: 'Postal PIN code' } },
  ];
  it.each(places)('is no secret in a form about places: %j', (fields) => {
    expect(sensitiveOf(fields)).toEqual([]);
  });

  it.each([
    ['a card', { pin: {}, card_holder_city: {} }, ['pin', 'card_holder_city']],
    ['a bank', { pin: {}, city: {}, bank: {} }, ['pin']],
  ])('[ELI-07] is one where the form is about %s, too', (_name, fields, expected) => {
    expect(sensitiveOf(fields)).toEqual(expected);
  });
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
    'key',
    'project key',
    'issue key',
    'S3 object key',
    'idempotency key',
    'translation key',
    'routing key',
    'page token',
    'next page token',
    'cursor token',
    'boarding pass',
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
    'It is used to reset your password.',
    'We will never ask for your password.',
  ])('by a sentence about something else: %s', (description) => {
    expect(isSensitive('x', { description }, description)).toBe(false);
  });
});
