import { createLineRedactor, findLiteralCredential, redactSecrets } from '@switchyard/guards';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

// Put together here, so that no scanner takes this file for a leak.
const random = 'a1B2c3D4e5'.repeat(5);
const uuid = '550e8400-e29b-41d4-a716-446655440000';
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJtaXJhIn0', 'c2lnbmF0dXJl'].join('.');
const jwe = ['eyJhbGciOiJkaXIifQ', '', 'aXY', 'Y2lwaGVy', 'dGFn'].join('.');
const aws = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
const pem = (kind: string): string =>
  [`-----BEGIN ${kind}-----`, 'MIIEow-IBAAKCAQEA/x+y', 'z0==', `-----END ${kind}-----`].join('\n');

/** Texts, the secret in each, and its kind. All of them are literal credentials in a configuration, too. */
const credentials: readonly (readonly [text: string, secret: string, kind: string])[] = [
  [`Authorization: Bearer ${random}`, random, 'authorization'],
  [`authorization=Basic dXNlcjpwYXNzMQ==`, 'dXNlcjpwYXNzMQ==', 'authorization'],
  [`{"Authorization":"Bearer ${random}"}`, random, 'authorization'],
  [`-H "Authorization: ${random}"`, random, 'authorization'],
  [`server said 401 for bearer ${random}`, random, 'authorization'],
  [`DPoP ${jwt}`, jwt, 'authorization'],
  [`Cookie: session=${random}; theme=dark`, `session=${random}; theme=dark`, 'cookie'],
  [`set-cookie: sid=${random}; HttpOnly`, `sid=${random}; HttpOnly`, 'cookie'],
  [`the token was ${jwt} and it expired`, jwt, 'jwt'],
  [`state ${jwe}`, jwe, 'jwt'],
  ['postgres://mira:hunter2@db.example:5432/orders', 'mira:hunter2', 'url-userinfo'],
  ['https://mira:p%40ss:w@rd@example.com/x?y=1', 'mira:p%40ss:w@rd', 'url-userinfo'],
  [`https://${random}@github.com/o/r.git`, random, 'url-userinfo'],
  [`npx -y pkg sk-${random}`, `sk-${random}`, 'provider-key'],
  [`sk-proj-${random}-${random}`, `sk-proj-${random}-${random}`, 'provider-key'],
  [`sk-ant-api03-${random}_AA`, `sk-ant-api03-${random}_AA`, 'provider-key'],
  [`sk_live_${random}`, `sk_live_${random}`, 'provider-key'],
  [`ghp_${random}`, `ghp_${random}`, 'provider-key'],
  [`gho_${random}`, `gho_${random}`, 'provider-key'],
  [`github_pat_${random}_${random}`, `github_pat_${random}_${random}`, 'provider-key'],
  [`glpat-${random}`, `glpat-${random}`, 'provider-key'],
  [`xoxb-1234567890-${random}`, `xoxb-1234567890-${random}`, 'provider-key'],
  [`xapp-1-${random}`, `xapp-1-${random}`, 'provider-key'],
  [`key ${aws}.`, aws, 'provider-key'],
  [`dckr_pat_${random}`, `dckr_pat_${random}`, 'provider-key'],
  [`glsa_${random}_0a1b2c3d`, `glsa_${random}_0a1b2c3d`, 'provider-key'],
  [`ATATT3xFfGF0${random}`, `ATATT3xFfGF0${random}`, 'provider-key'],
  [`dapi${'0a1b'.repeat(8)}`, `dapi${'0a1b'.repeat(8)}`, 'provider-key'],
  [`figd_${random}`, `figd_${random}`, 'provider-key'],
  [`nvapi-${random}`, `nvapi-${random}`, 'provider-key'],
  [`tskey-auth-${random}`, `tskey-auth-${random}`, 'provider-key'],
  [`https://hooks.slack.com/services/T0/B0/${random} it`, `T0/B0/${random}`, 'provider-key'],
  [`https://discord.com/api/webhooks/1234567890/${random} it`, `1234567890/${random}`, 'provider-key'],
  ['curl -u mira:hunter2 https://a', 'mira:hunter2', 'authorization'],
  ["curl -s --user 'mira:hunter2' https://a", 'mira:hunter2', 'authorization'],
  [`AIza${random.slice(0, 35)}`, `AIza${random.slice(0, 35)}`, 'provider-key'],
  [`npm_${random}`, `npm_${random}`, 'provider-key'],
  [`hf_${random}`, `hf_${random}`, 'provider-key'],
  [`{"line":"one\\nghp_${random}"}`, `ghp_${random}`, 'provider-key'],
  [`/cb?x=%20ghp_${random}`, `ghp_${random}`, 'provider-key'],
  [`--api-key=${random}`, random, 'named-value'],
  [`--api-key ${random}`, random, 'named-value'],
  [`--apiKey="${random} x"`, `${random} x`, 'named-value'],
  [`-e API_KEY=${random}`, random, 'named-value'],
  [`GITHUB_TOKEN=${uuid}`, uuid, 'named-value'],
  [`https://example.com/mcp?api_key=${random}&x=1`, random, 'named-value'],
  [`https://example.com/mcp?x=1&access_token=${uuid}`, uuid, 'named-value'],
  [`x-api-key: ${random}`, random, 'named-value'],
  [`{"client_secret": "${random}"}`, random, 'named-value'],
  [`{\\"refreshToken\\":\\"${random}\\"}`, random, 'named-value'],
  [`AWS_SECRET_ACCESS_KEY='abc/${random}'`, `abc/${random}`, 'named-value'],
  ['password=hunter2', 'hunter2', 'named-value'],
  ['PGPASSWORD=hunter2 psql', 'hunter2', 'named-value'],
  ['--db-password hunter2', 'hunter2', 'named-value'],
  ['Server=db;Uid=mira;Pwd=hunter2;', 'hunter2', 'named-value'],
  ['{"passphrase":"correct horse \\"battery\\""}', 'correct horse \\"battery\\"', 'named-value'],
  [`Mcp-Session-Id: ${random}`, random, 'named-value'],
  [`{"sessionId":"${uuid}"}`, uuid, 'named-value'],
  [`session_id=${random}`, random, 'named-value'],
  [`SWITCHYARD_STATE_KEYS=${random},${random} node a.js`, `${random},${random}`, 'named-value'],
  ['- name: DB_PASSWORD\n  value: hunter2\n- name: a', 'hunter2', 'named-value'],
  ['{"name":"db_password","value":"hunter2"}', 'hunter2', 'named-value'],
  ['<add key="Password" value="hunter2"/>', 'hunter2', 'named-value'],
  ['<password>hunter2</password>', 'hunter2', 'named-value'],
  ['machine a.example login mira password hunter2\nmachine', 'hunter2', 'named-value'],
  [`FROM node\nENV API_KEY ${random}\nRUN`, random, 'named-value'],
  [`Step 3/9 : ARG NPM_TOKEN ${random}`, random, 'named-value'],
  ["if (password === 'hunter2')", 'hunter2', 'named-value'],
  ['userPassword:: aHVudGVyMg==', 'aHVudGVyMg==', 'named-value'],
  [`https://example.com/cb?code=${random}&state=1`, random, 'named-value'],
  [pem('PRIVATE KEY'), pem('PRIVATE KEY'), 'private-key'],
  [pem('RSA PRIVATE KEY'), pem('RSA PRIVATE KEY'), 'private-key'],
  [pem('OPENSSH PRIVATE KEY'), pem('OPENSSH PRIVATE KEY'), 'private-key'],
];

/** Texts without a literal credential, and whether they stay as they are in a log, too. */
const harmless: readonly (readonly [text: string, staysInLog: boolean])[] = [
  ['', true],
  ['word', true],
  [uuid, true],
  ['/home/mira/token/secret/password.txt', true],
  ['C:\\Users\\mira\\secrets', true],
  ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', true],
  ['https://example.com/mcp?tenant=a&page=2', true],
  ['https://example.com:8443/@scope/pkg', true],
  ['ssh://git@github.com/o/r.git', true],
  ['git@github.com:o/r.git', true],
  ['mira@example.com', true],
  ['Bearer authentication is required', true],
  ['basic information about tokens', true],
  ['max_tokens=4096 total_tokens: 12', true],
  ['progressToken: 7, nextPageToken=eyJwYWdlIjoyfQ', true],
  ['"progressToken":"call-1234567"', true],
  ['SyntaxError: Unexpected token: punctuation', true],
  ['Unexpected token < in JSON at position 0', true],
  ['PWD=/home/mira/work OLDPWD=/', true],
  ['--token-file /run/secrets/token --password-stdin', true],
  ['sk-learn-contrib-packages-and-others', true],
  ['task-sk-1', true],
  ['ghp_short', true],
  ['the secret of the password', true],
  ['keyboard=us monkey=1', true],
  [pem('CERTIFICATE'), true],
  ['eyJ is how a JWT starts', true],
  ['12:34:56 [redacted]', true],
  ['--api-key=${API_KEY}', true],
  ['--api-key $API_KEY', false],
  ['--api-key=%API_KEY%', false],
  ['--api-key={env:API_KEY}', true],
  ['--api-key ${input:api-key}', true],
  ['--api-key=OPENAI_API_KEY', false],
  ['--api-key=AZURE_OPENAI_PRODUCTION_KEY', false],
  ['--api-key=<your-key>', true],
  ['--api-key=YOUR_API_KEY', false],
  ['password=changeme', false],
  ['password=********', false],
  ['password=op://vault/item/field', false],
  ['--secret=my-kubernetes-secret-name', false],
  ['--secret arn:aws:secretsmanager:eu-west-1:1:secret:x1', false],
  ['token=/run/secrets/token1', false],
  ['-v /srv/token:/token2', false],
  ['token: string', true],
  ['secret=true', true],
  ['Authorization: Bearer ${TOKEN}', false],
  ['Authorization: required', true],
  ['Token: expired', true],
  ['Invalid token: unexpected end of JSON', true],
  ['Password: must be at least 12 characters', true],
  ['invalid api_key: not found', true],
  ['if (token === undefined) return', true],
  ['case Token::Ident(name)', true],
  ['at get (node:internal/token:55:11)', true],
  ['password: ${DB_PASSWORD}', true],
  ['def f(token: str, password: str = None) -> bool:', true],
  ['{"name":"password","value":true}', true],
  ['- name: REGION\n  value: eu-west-1', true],
  ['usage: a --token <token> --url <url>', true],
  ['<token>', true],
  ['the machine asks for login and password twice', true],
  ['ENV API_KEY is not set', true],
  ['curl --user-agent a:b https://a', true],
  ['session-id: main, session_id=12345678', true],
  ['https://hooks.slack.com/services/ is the address', true],
  ['https://${USER}:${PASSWORD}@example.com/', false],
  ['https://mira:@example.com/', false],
];

describe('redacting', () => {
  it.each(credentials)('masks the credential in %j', (text, secret) => {
    const redacted = redactSecrets(text);
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain('[redacted]');
    const at = text.indexOf(secret);
    expect(redacted.startsWith(text.slice(0, at))).toBe(true);
    expect(redacted.endsWith(text.slice(at + secret.length))).toBe(true);
  });

  it.each(harmless.filter(([, stays]) => stays))('leaves %j as it is', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('masks a private key whose end was cut off', () => {
    expect(redactSecrets(`x ${pem('PRIVATE KEY').slice(0, 45)}`)).toBe('x [redacted]');
  });

  it('masks a private key whose beginning was cut off, and what stands after it stays', () => {
    const key = pem('RSA PRIVATE KEY').slice(20);
    expect(redactSecrets(`${key}\nlistening`)).toBe('[redacted]\nlistening');
    expect(redactSecrets(`${key}\nand ${pem('PRIVATE KEY')}\nlistening`)).toBe('[redacted]\nand [redacted]\nlistening');
    expect(redactSecrets(`no key\n${pem('CERTIFICATE')}`)).toBe(`no key\n${pem('CERTIFICATE')}`);
  });

  it('masks a quoted value whose end was cut off, and not the lines after it', () => {
    expect(redactSecrets('{"password":"correct horse\nnext line')).toBe('{"password":"[redacted]\nnext line');
  });

  it('masks each of several credentials', () => {
    const text = credentials.map(([one]) => one).join('\n');
    const redacted = redactSecrets(text);
    expect(credentials.filter(([, secret]) => redacted.includes(secret))).toEqual([]);
  });

  it('masks a credential in whatever text it stands, and changes nothing a second time', () => {
    const around = fc.string({
      unit: fc.constantFrom(' ', '\n', '"', "'", ',', ';', '=', ':', '(', '[', '{', 'a', 'é'),
    });
    fc.assert(
      fc.property(around, around, fc.constantFrom(...credentials), (before, after, [text, secret]) => {
        const redacted = redactSecrets(`${before}\n${text}\n${after}`);
        expect(redacted).not.toContain(secret);
        expect(redactSecrets(redacted)).toBe(redacted);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves out what it does not look at', () => {
    const redacted = redactSecrets(`${'a '.repeat(2_100_000)}password=hunter2`);
    expect(redacted).not.toContain('hunter2');
    expect(redacted).toMatch(/ \[\d+ characters left out\]$/);
  });
});

describe('a private key in another form', () => {
  const body = 'aBcd/+09'.repeat(8);
  const key = `-----BEGIN PRIVATE KEY-----\n${body}\n${body}\naZ09\n-----END PRIVATE KEY-----\n`;

  it.each([
    ['a text of JSON', JSON.stringify({ key })],
    ['JSON within JSON', JSON.stringify(JSON.stringify({ key }))],
    ['one line', key.replaceAll('\n', ' ')],
    ['old line ends', key.replaceAll('\n', '\r')],
    ['SSH2', key.replace(/-----(.*?)PRIVATE KEY-----/g, '---- $1SSH2 ENCRYPTED PRIVATE KEY ----')],
    ['a log', key.replaceAll(/^(?=.)/gm, '10:00:00 [worker] ')],
    ['a log without the beginning', key.slice(28).replaceAll(/^(?=.)/gm, '10:00:00 [worker] ')],
    ['a text that masked one of its lines', key.replace(body, '[redacted]')],
  ])('is masked as a whole in %s', (_where, text) => {
    expect(redactSecrets(`${text}\nlistening`)).not.toMatch(/aBcd|aZ09/);
    expect(redactSecrets(`${text}\nlistening`)).toContain('listening');
  });
});

describe('a private key of OpenPGP', () => {
  const body = 'aBcd/+09'.repeat(8);
  const armour = (header: string): string =>
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${header}\n\n${body}\n${body}\naZ09\n=aZ09\n-----END PGP PRIVATE KEY BLOCK-----\n`;

  it.each(['Version: GnuPG v2.2.4 (GNU/Linux)', 'Charset: UTF-8', 'Hash: SHA256', 'MessageID: 7', 'Comment: a b'])(
    'is masked as a whole with the header %s',
    (header) => {
      const key = armour(header);
      expect(redactSecrets(`${key}listening`)).toBe('[redacted]\nlistening');
      expect(redactSecrets(JSON.stringify({ key }))).toBe(JSON.stringify({ key: '[redacted]\n' }));
      expect(`${key}listening`.split('\n').map(createLineRedactor()).join('\n')).not.toMatch(/aBcd|aZ09/);
    },
  );
});

describe('redacting the lines of a stream', () => {
  const mask = (text: string): string => text.split('\n').map(createLineRedactor()).join('\n');

  it('masks each line of a private key and none after its end', () => {
    const text = `key: ${pem('PRIVATE KEY')}; ok\n${pem('EC PRIVATE KEY')}\npassword=hunter2\n${pem('CERTIFICATE')}`;
    const four = Array.from({ length: 4 }, () => '[redacted]').join('\n');
    expect(mask(text)).toBe(`key: ${four}; ok\n${four}\npassword=[redacted]\n${pem('CERTIFICATE')}`);
  });

  it('masks a private key that stands on one line, and a second one that begins there', () => {
    const key = pem('PRIVATE KEY').replaceAll('\n', ' ');
    expect(mask(`a ${key} b ${pem('PRIVATE KEY')}\nc`)).toBe(`a [redacted] b ${'[redacted]\n'.repeat(4)}c`);
  });

  it('shows lines again where the end of a private key never comes', () => {
    const line = 'aBcd/+09'.repeat(8);
    expect(mask(`-----BEGIN PRIVATE KEY-----\n${`${line}\n`.repeat(255)}y`)).toBe(`${'[redacted]\n'.repeat(256)}y`);
  });

  it.each([
    ['behind what a log writes before each line', (line: string, at: number) => `10:00:0${at} [worker] ${line}`],
    ['within a text of source code', (line: string) => `  "${line}",`],
    ['behind a prefix that begins with a tab', (line: string) => `\tworker | ${line}`],
    ['behind a prefix that begins with blanks', (line: string) => `  > ${line}`],
    ['behind numbers that are padded', (line: string, at: number) => `${String(at + 4).padStart(3)} | ${line}`],
    ['behind a time after a blank', (line: string, at: number) => ` 2026-11-30 10:00:0${at} INFO ${line}`],
    ['within a comment', (line: string) => ` * ${line}`],
  ])('masks each line of a private key %s', (_where, written) => {
    const body = ['Proc-Type: 4,ENCRYPTED', '', ...Array.from({ length: 3 }, () => 'aBcd/+09'.repeat(8)), 'aZ09xY'];
    const lines = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----', 'listening'].map(written);
    const masked = mask(lines.join('\n'));
    expect(masked).not.toMatch(/aBcd|aZ09xY/);
    expect(masked).toContain('listening');
  });

  it.each([
    'expected -----BEGIN PRIVATE KEY-----, going on without\nFATAL: port 8443 is in use',
    'FATAL: port 8443 is in use\nhint: keys end in -----END PRIVATE KEY-----',
    'the file has no -----END PRIVATE KEY----- after its -----BEGIN PRIVATE KEY----- line\nFATAL: bad key',
  ])('hides nothing where a text names the border of a private key: %j', (text) => {
    expect(mask(text)).toBe(text);
    expect(redactSecrets(text)).toBe(text);
  });

  it('shows what comes after a private key whose end never comes', () => {
    const text = `-----BEGIN PRIVATE KEY-----\n${'aBcd/+09'.repeat(8)}\nFATAL: port 8443 is in use`;
    expect(mask(text)).toBe('[redacted]\n[redacted]\nFATAL: port 8443 is in use');
    expect(redactSecrets(text)).toBe('[redacted]\nFATAL: port 8443 is in use');
  });
});

describe('finding a literal credential', () => {
  it.each(credentials)('finds the one in %j', (text, secret, kind) => {
    const found = findLiteralCredential(text);
    expect(found?.kind).toBe(kind);
    expect(text.slice(found?.start, found?.end)).toBe(secret);
  });

  it.each(harmless)('finds none in %j', (text) => {
    expect(findLiteralCredential(text)).toBeUndefined();
  });

  it('finds none in a UUID, a path, a number or words', () => {
    // A path or an address may hold `pw=x`, which names a value.
    const plain = fc
      .oneof(
        fc.uuid(),
        fc.webPath(),
        fc.integer().map(String),
        fc.lorem(),
        fc.domain(),
        fc.emailAddress(),
        fc.stringMatching(/^(?:[a-z]{1,8}[-_./ ]){1,6}[a-z]{1,8}$/),
      )
      .filter((text) => !/[=:]/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(findLiteralCredential(text)).toBeUndefined();
        expect(redactSecrets(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds the first of several', () => {
    const text = `--url https://a:b1@example.com --api-key=${random} ghp_${random}`;
    const found = findLiteralCredential(text);
    expect(text.slice(found?.start, found?.end)).toBe('a:b1');
  });

  it('looks at the start of a very long text only', () => {
    expect(findLiteralCredential(`${'a '.repeat(40_000)}password=hunter2`)).toBeUndefined();
  });
});

it.each([
  'a',
  '-',
  '--',
  'eyJ',
  'eyJaaaaaaaa.',
  '://',
  '://a',
  '://a:',
  'token',
  'token=',
  'token="',
  'password: "\\',
  'sk-',
  'sk-a',
  'bearer ',
  'authorization:',
  'cookie:',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  '-----END PRIVATE KEY',
  '-----END PRIVATE KEY-----',
  'api',
  '"',
  "'",
  '\\',
  ' ',
  '0',
  '1:AA',
  'AKIA',
  'curl -u ',
  '<password>',
  'name: token\nvalue',
  'machine a login ',
  '\nENV api_key_',
  'session_',
  ',aaaaaaaaaaaaaaaaaaaa',
])('finds its way past very many times %j', (part) => {
  // A search that took more than linear time would need minutes here, which the runner's limit ends.
  const text = part.repeat(Math.ceil(300_000 / part.length));
  expect(redactSecrets(`${text}\n ghp_${random}`)).not.toContain(random);
  expect(() => redactSecrets(part.repeat(Math.ceil(4_000_000 / part.length)))).not.toThrow();
  expect(findLiteralCredential(`${text.slice(0, 60_000)}\n ghp_${random}`)).toBeDefined();
});
