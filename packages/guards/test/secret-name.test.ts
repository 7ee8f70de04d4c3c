import { findLiteralCredential, redactSecrets, secrecyOf } from '@switchyard/guards';
import { describe, expect, it } from 'vitest';

describe('the secrecy of a name', () => {
  it.each([
    'password',
    'userPassword',
    'PASSWORD_PROD',
    'password_old',
    'passwordHash',
    'client-secret-2',
    'credentials',
    'X-Api-Key',
    'api_key_live',
    'SECRET_KEY_BASE',
    'session_id',
    'SWITCHYARD_STATE_KEYS',
    'stateKey',
    'AZURE_STORAGE_KEY',
    'APP_KEY',
    'SERVICE_ROLE_KEY',
    'LICENSE_KEY',
    'Ocp-Apim-Subscription-Key',
    'WEBHOOK_KEY',
    'set-cookie',
  ])('is that of everything for %s', (name) => {
    expect(secrecyOf(name)).toBe('all');
  });

  it.each(['pass', 'DB_PASS', 'smtpPass', 'accessToken', 'tokens', 'otp', 'Authorization', 'GH_PAT', 'ADMIN_PW'])(
    'is that of single words for %s',
    (name) => {
      expect(secrecyOf(name)).toBe('words');
    },
  );

  it.each([
    'compass',
    'bypass',
    'passed',
    'max_tokens',
    'inputTokens',
    'progressToken',
    'nextPageToken',
    'primary_key',
    'token_type',
    'patch',
    'PATH',
    'state',
    'author',
    'base',
    '',
    `${'a_'.repeat(60)}password`,
  ])('is none for %j', (name) => {
    expect(secrecyOf(name)).toBeUndefined();
  });
});

describe('redacting by a name', () => {
  it.each([
    'DB_PASS=hunter',
    'ADMIN_PW=hunter',
    'password=12345:345678',
    'password:12345:345678',
    '--pw hunter',
    'GH_PAT=a1hunterB2',
    'SWITCHYARD_STATE_KEYS=hunter',
    '{"stateKeys":["hunter","hunter"]}',
    'AZURE_STORAGE_KEY=hunter',
    'SUPABASE_SERVICE_ROLE_KEY=hunter',
    'SMTP_PASS=12345678',
    'export DB_PASS_OLD="hunter"',
    '{"pass":"hunter"}',
    '{"pass":"12345678"}',
    '?user=mira&pass=hunter',
    'pass: hunter2',
    'smtpPass: "hunter"',
    '--pass hunter',
    '--db-pass hunter',
    '["--token","hunter"]',
    'PASSWORD_PROD=hunter',
    'password_old: hunter',
    'passwordOld=hunter',
    'api_key_live=hunter',
    'SECRET_KEY_BASE=hunter',
    'secret_key_base: hunter',
    'credentials=hunter',
    '{"credential":"hunter"}',
    '{"tokens":["hunter"]}',
    "passwords: ['hunter']",
    'token => "hunter"',
    'token := "hunter"',
    'jwt=0a1B2c3D4hunter',
  ])('masks the value in %s', (text) => {
    expect(redactSecrets(text)).not.toMatch(/hunter|12345678|:345678/);
    expect(redactSecrets(text)).toContain('[redacted]');
    expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text));
  });

  it.each([
    'tests pass: 3',
    '12 tests pass: all of them',
    'all pass, 12 of 12',
    '{"pass":12,"fail":0}',
    '{"pass":true}',
    'tests_pass=12',
    'first pass: 120ms',
    'second pass: looking for links',
    'passed: 12, failed: 0',
    'compass=north compass: "north"',
    'bypass: "always", bypass=always',
    'passport="a1B2c3D4"',
    'max_tokens: 100',
    '{"max_tokens":4096}',
    'tokens: 512',
    '{"tokens":512,"total_tokens":1024}',
    'tokens: 1,024 of 4,096',
    'input_tokens=12 output_tokens=99',
    '"tokens":[101, 2023]',
    '"tokens":[]',
    '"tokens":[{"type":"word","start":3}]',
    '"token_endpoint":"https://as.example/token"',
    'credentials: include',
    "credentials: 'same-origin'",
    'Access-Control-Allow-Credentials: true',
    'the credentials: see the guide',
    'secrets: none',
    '"required":["password","token"]',
    'session: closed',
    '"session":{"id":1}',
    'auth: none',
    'author: mira',
    'GPIO pin=13',
    'keyboard_base=1',
    'PATH=/usr/bin1:/usr/lib64 patch=a1B2c3D4e5',
    'state: a1B2c3D4e5, storage=a1B2c3D4e5',
  ])('leaves %s as it is', (text) => {
    expect(redactSecrets(text)).toBe(text);
    expect(findLiteralCredential(text)).toBeUndefined();
  });

  it.each(['_pass', '--a-pass', 'pass=', 'dbPass', 'secret_key_base_', 'token_old_old_', 'session', 'passwordkeyid1'])(
    'finds its way past very many times %j',
    (part) => {
      // A search that took more than linear time would need minutes here, which the runner's limit ends.
      const text = `${part.repeat(Math.ceil(1_000_000 / part.length))}\npassword=hunter2`;
      expect(redactSecrets(text)).not.toContain('hunter2');
    },
  );
});
