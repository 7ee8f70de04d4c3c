import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { parseTranscript, renderTranscript } from '../../src/index.ts';
import { createAnswerBuilder } from '../../src/raw/answer-builder.ts';
import { exchangeOf, transcriptOf } from './transcript-of.ts';

/** Breaks base64 into lines as MIME and `base64` do. */
function wrap(base64: string): string {
  return base64.replaceAll(/.{76}/g, '$&\n');
}

describe('a transcript', () => {
  it('numbers the messages anew, whatever ids they had', () => {
    const { entries } = transcriptOf(exchangeOf('one', {}, {}), exchangeOf('two', {}, {}));
    expect(entries.map(({ sent, received }) => [sent.message['id'], received.messages[0]?.['id']])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const other = transcriptOf({
      ...exchangeOf('x', {}, {}),
      received: [{ jsonrpc: '2.0', id: 'own', method: 'roots/list' }],
    });
    expect(other.entries[0]?.received.messages[0]).toMatchObject({ id: '<other id>' });
  });

  it('gives the same placeholder to the same value, and another to another', () => {
    const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100';
    const { entries } = transcriptOf(
      exchangeOf('ask', {}, { requestState: 'sealed-1', nextCursor: 'c' }),
      exchangeOf(
        'retry',
        { requestState: 'sealed-1' },
        { requestState: 'sealed-2', handle: uuid, text: `it is ${uuid}` },
      ),
    );
    expect(entries[0]?.received.messages[0]?.['result']).toEqual({
      requestState: '<state 1>',
      nextCursor: '<cursor 1>',
    });
    expect(entries[1]?.sent.message['params']).toEqual({ requestState: '<state 1>' });
    expect(entries[1]?.received.messages[0]?.['result']).toEqual({
      requestState: '<state 2>',
      handle: '<uuid 1>',
      text: 'it is <uuid 1>',
    });
  });

  it.each([
    ['a bearer token', { text: 'Authorization: Bearer abcDEF123456789' }, /abcDEF/],
    ['a key of a provider', { text: 'use ghp_abcdefghijklmnopqrstuvwxyz0123456789' }, /ghp_/],
    ['a value whose name says that it is secret', { password: 'correct horse' }, /horse/],
    ['one in a nested object', { config: { api_key: 'k-1234567890abcdef' } }, /1234567890/],
    ['the user of a URL', { url: 'https://mira:hunter2@example.com/' }, /hunter2/],
    ['an e-mail address', { text: 'Write to Mira.Solberg+mcp@mail.example.co.uk today' }, /Solberg/],
    ['an e-mail address that is a name', { 'mira@example.com': 1 }, /mira@/],
    ['an international telephone number', { text: 'Call +47 22 85 50 50.' }, /85 50/],
    ['a grouped telephone number', { text: 'Call (555) 123-4567 or 555-123-4567.' }, /4567/],
    ['an e-mail address in a URL', { url: 'https://example.com/?of=mira%40example.com' }, /mira%40/],
    ['an e-mail address in quotes', { text: '"mira solberg"@example.com' }, /solberg/],
    ['an e-mail address of this machine', { text: 'mail mira.solberg@localhost' }, /solberg/],
    ['an e-mail address at an address', { text: 'mail mira.solberg@10.0.0.1.' }, /solberg/],
    ['a telephone number with two noughts', { text: 'call 0047 22 85 50 50' }, /85 50/],
    ['a telephone number in pairs', { text: 'call 06 12 34 56 78' }, /34 56/],
    ['a token in a percent-encoded text', { text: 'see /x?q=token%3DZx9QkT2vLm8RwB4n' }, /Zx9Q/],
    ['a token in base64', { text: `send ${Buffer.from('Bearer abcDEF123456789').toString('base64')} to` }, /QmVhcmVy/],
    [
      'an e-mail address in base64url',
      { text: Buffer.from('{"of":"mira@example.com"}').toString('base64url') },
      /eyJvZiI/,
    ],
    ['a small secret in binary data', { data: Buffer.from('Bearer abcDEF123456789').toString('base64') }, /QmVhcmVy/],
    ['the number of a card', { text: 'paid with 4111 1111 1111 1111.' }, /1111/],
    ['the number of an account', { text: 'to NO93 8601 1117 947 please' }, /8601/],
    ['the number of a person', { text: 'SSN 123-45-6789' }, /6789/],
    ['the id of a task, which opens it', { taskId: 'aBcDeFgHiJkLmNoPqRsTuVwX' }, /aBcDeF/],
    ...[
      { password: 20_240_611 },
      { token: 982_734_987_234 },
      { passwords: ['s3cr3t-9'] },
      { password2: { value: 's3cr3t-9' } },
      { credentials: { of: [{ user: 's3cr3t-9' }] } },
      { cookies: { a: 's3cr3t-9' } },
      { cookie: 's3cr3t-9' },
      { sessionId: 's3cr3t-9' },
      { session_id: 's3cr3t-9' },
      { pass: 's3cr3t-9' },
      { pin: '9912' },
      { otp: '991244' },
      { auth: 's3cr3t-9' },
      { bearer: 's3cr3t-9' },
      { name: 'password', value: 's3cr3t-9' },
      { headers: [['Authorization', 's3cr3t-9']] },
      { headers: [{ name: 'Authorization', value: 'Basic s3cr3t-9' }] },
      { properties: { password: 's3cr3t-9', tokens: ['s3cr3t-9'] } },
      { dependentRequired: { password: 's3cr3t-9' } },
      { id: '7', label: 'API key', value: 's3cr3t-9' },
      { rawHeaders: ['Accept', 'text/html', 'Authorization', 's3cr3t-9'] },
      { args: ['run', '--token', 's3cr3t-9', 'x'] },
      { private_key_pem: 's3cr3t-9' },
      { webhook_secret_v2: 's3cr3t-9' },
      { otpCode: 's3cr3t-9' },
      { sshKey: 's3cr3t-9' },
      { cvc: 9912 },
      { password_old: 's3cr3t-9' },
      { PASSWORD_PROD: 's3cr3t-9' },
      { api_key_live: 's3cr3t-9' },
      { secretKeyBase: 's3cr3t-9' },
      { type: 'object', properties: { password: { type: 'string', default: 's3cr3t-9', examples: ['s3cr3t-9'] } } },
      { definitions: { password: { value: 's3cr3t-9' }, api_key: { live: 's3cr3t-9' } } },
      { kty: 'EC', crv: 'P-256', d: 's3cr3t-9' },
      { k: 'password', v: 's3cr3t-9' },
    ].map((result): [string, object, RegExp] => [
      `what stands under a name that says it is secret: ${JSON.stringify(result)}`,
      result,
      /s3cr3t|20240611|9827|9912/,
    ]),
    ...[
      'postgres://bob:p/s3cr3t@h/db',
      '<password>s3cr3t</password>',
      'curl -u bob:s3cr3t https://h',
      'https://h/a?sid=s3cr3t9',
      'ghp_abcdefghij\u200bklmnopqrstuvwxyz0123',
      '{&quot;password&quot;:&quot;s3cr3t&quot;}',
    ].map((text): [string, object, RegExp] => [
      `a credential, however it is written: ${text}`,
      { text },
      /s3cr3t|klmno/,
    ]),
    ...['mira\u200b@example.com', 'mira@exam\u00adple.com', 'mira&#64;example.com', 'mira\\u0040example.com'].map(
      (text): [string, object, RegExp] => [`an e-mail address, however it is written: ${text}`, { text }, /mira/],
    ),
    ...[
      '020 7946 0958',
      '030 12345678',
      '0171/1234567',
      '+44\u00a020\u00a07946\u00a00958',
      '415\u2011555\u20112671',
    ].map((text): [string, object, RegExp] => [`the number of a telephone: ${text}`, { text }, /7946|1234567|555/]),
    ['the number of a telephone by its name', { phone: 14_155_552_671, mobileNumber: '4155552671' }, /555/],
    ['the number of a card as a number', { card: 4_111_111_111_111_111 }, /1111/],
    ...['4111.1111.1111.1111', '4111\u00a01111\u00a01111\u00a01111'].map((text): [string, object, RegExp] => [
      `the number of a card: ${text}`,
      { text },
      /1111/,
    ]),
    ...['de89370400440532013000', 'DE89-3704-0044-0532-0130-00'].map((text): [string, object, RegExp] => [
      `the number of an account: ${text}`,
      { text },
      /0440?-?0532/,
    ]),
    ...['', 'x', 'key', 'xy', 'notes://x/', 'https://crm.example/u/'].map((before): [string, object, RegExp] => [
      `an e-mail address in base64 after ${JSON.stringify(before)}`,
      { text: `${before}${Buffer.from('contact mira@example.com').toString('base64url')}` },
      /bWlyYUBl|ZXhhbXBs|Y29udGFjd/,
    ]),
    ['the time', { at: '2026-11-30T11:22:33.123Z', ms: 1_795_000_000_000 }, /11:22|1795/],
    ['the address that it was reached at', { text: 'see http://127.0.0.1:53412/mcp' }, /53412/],
    ['large binary data', { data: 'QUJD'.repeat(200) }, /QUJDQUJD/],
  ])('does not hold %s', (_what, result, leak) => {
    const text = renderTranscript(transcriptOf(exchangeOf('leak', {}, result)));
    expect(text).not.toMatch(leak);
    expect(text).toMatch(
      /\[redacted\]|\[email\]|\[phone\]|\[card\]|\[account\]|\[person\]|<task|<time>|<loopback>|<data of/,
    );
  });

  it.each([
    ['as a form', (pem: string) => new URLSearchParams({ k: pem }).toString()],
    ['in HTML', (pem: string) => pem.replaceAll('\n', '<br>')],
    ['in paragraphs', (pem: string) => pem.replaceAll('\n', '</p>\n<p class="k">')],
    ['in base64 lines', (pem: string) => wrap(Buffer.from(pem).toString('base64'))],
    ['in base64 lines in JSON', (pem: string) => JSON.stringify(wrap(Buffer.from(pem).toString('base64')))],
    ['in source code', (pem: string) => pem.replaceAll(/.+/g, "'$&\\n' +")],
    ['in source code without ends of lines', (pem: string) => pem.replaceAll(/.+/g, '  "$&" +')],
    ['in source code side by side', (pem: string) => pem.replaceAll(/.+/g, '"$&\\n"')],
    ['in a list of lines', (pem: string) => pem.trim().split('\n')],
  ])('holds no line of a private key %s', (_how, write) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = write(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const rendered = renderTranscript(transcriptOf(exchangeOf('key', {}, { text })));
    expect(rendered).toContain('[redacted]');
    expect(rendered).not.toMatch(/[\w+/]{50}/);
  });

  it.each(['Q', 'a@', '+1', '%3D', 'x-/', '4 ', '"a', 'NO93 8601 ', '<p', "'+' ", '+%2B'])(
    'is made in time proportional to the text, whatever that is: %j again and again',
    (text) => {
      const [entry] = transcriptOf(exchangeOf('long', {}, { text: text.repeat(1_000_000 / text.length) })).entries;
      expect(entry?.received.messages).toHaveLength(1);
    },
  );

  it('keeps both of two members whose names are cleaned to the same', () => {
    const result = { 'mira@example.com': 1, 'jan@example.com': 2, '[email] (2)': 3 };
    const [entry] = transcriptOf(exchangeOf('names', {}, result)).entries;
    expect(Object.values(entry?.received.messages[0]?.['result'] ?? {})).toEqual([1, 2, 3]);
  });

  it('masks what was no message before it cuts it', () => {
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    for (let length = 150; length < 210; length += 1) {
      const builder = createAnswerBuilder({ id: 1 }, 10_000);
      builder.push(`<p>${'x'.repeat(length)} 4111 1111 1111 1111 ${secret}`);
      const { stray } = builder.build();
      const [entry] = transcriptOf({ ...exchangeOf('stray', {}, {}), stray }).entries;
      expect(entry?.received.stray?.[0]).toMatch(/^<p>x+(?: (?:\[(?:card)?\]?)?.{0,22})?$/);
      expect(entry?.received.stray?.[0]).not.toMatch(/AKIA|4111/);
    }
  });

  it('masks headers but those that mirror the message', () => {
    const sentHeaders = { 'mcp-method': 'tools/call', 'mcp-param-region': 'eu', 'x-api-key': 'k', cookie: 'a=b' };
    const [entry] = transcriptOf(
      exchangeOf(
        'headers',
        {},
        {},
        {
          sentHeaders,
          status: 200,
          headers: { 'content-type': 'application/json; charset=utf-8', 'set-cookie': 's=1' },
        },
      ),
    ).entries;
    expect(entry?.sent.headers).toEqual({
      cookie: '[redacted]',
      'mcp-method': 'tools/call',
      'mcp-param-region': 'eu',
      'x-api-key': '[redacted]',
    });
    expect(entry?.received).toMatchObject({ status: 200, contentType: 'application/json' });
    expect(JSON.stringify(entry)).not.toContain('s=1');
  });

  it('keeps in a header what it keeps of the member that the header repeats', () => {
    const taskId = 'aBcDeFgHiJkLmNoPqRsTuVwX';
    const exchange = exchangeOf('task', { taskId }, {}, { sentHeaders: { 'mcp-name': taskId } });
    const [entry] = transcriptOf({ ...exchange, sent: { ...exchange.sent, method: 'tasks/get' } }).entries;
    expect(entry?.sent).toMatchObject({
      message: { params: { taskId: '<task 1>' } },
      headers: { 'mcp-name': '<task 1>' },
    });
  });

  it.each([
    ['a date and a version', { text: 'of 2026-07-28, version 2026.8.31, order 2024-1123' }],
    ['a count of tokens and a progress token', { maxTokens: 100, progressToken: 'plan a session' }],
    ['an order with as many digits as a card', { text: 'order 4111 1111 1111 1112 and NO94 8601 1117 947' }],
    [
      'base64 of harmless text, digests and paths',
      {
        text: `${Buffer.from('harmless text').toString('base64')} sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= /api/v1/orders?q=a%20b`,
      },
    ],
    ['the schema of a secret', { properties: { password: { type: 'string', description: 'At least 8' } } }],
    [
      'names that are required, and choices',
      {
        inputSchema: { required: ['password', 'user'], dependentRequired: { user: ['token', 'pin'] } },
        enum: ['secret', 'open'],
      },
    ],
    [
      'what only describes a secret',
      { passwordPolicy: 'strict', cookie_name: 'theme', tokenUrl: 'https://h/t', api_key_type: 'header' },
    ],
    ['choices with titles', { oneOf: [{ const: 'session', title: 'Session' }] }],
    ['a public key', { kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' }],
    ['words in a list', { topics: ['token', 'session', 'user'], args: ['run', '--max-tokens', '100'] }],
    ['a code and a value under harmless names', { code: 'A7', errorCode: 4040, name: 'size', value: 'large' }],
    ['counts of tokens and of what passed', { tokens: 1234, inputTokens: 5678, pass: 12, session: 'plan a session' }],
    ['text with spaces that do not break', { text: 'costs 1\u202f234\u00a0€, a co\u00adoperation' }],
    ['versions of packages', { text: 'lodash@4.17.21, actions/checkout@4.1.0, registry/app@1.2.3-rc.1' }],
    ['a range', { text: 'range 100-200-3000' }],
    ['prices and digits', { text: '1,234,567.89 and 12 34 56' }],
  ])('keeps %s', (_what, result) => {
    expect(transcriptOf(exchangeOf('keep', {}, result)).entries[0]?.received.messages[0]?.['result']).toEqual(result);
  });

  it('is read as it was written', () => {
    const transcript = transcriptOf(exchangeOf('one', { a: [1, { b: null }] }, { c: 'ü\u2028' }));
    expect(parseTranscript(renderTranscript(transcript))).toEqual(transcript);
  });

  it.each([
    ['', /line 1 is no head/],
    ['nonsense', /line 1 is not JSON/],
    ['[]', /line 1 is no JSON object/],
    [`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, /line 1 is nested deeper than 300 levels/],
    ['{"format":"switchyard-transcript/2"}', /expected "format": "switchyard-transcript\/1"/],
    ['{"format":"switchyard-transcript/1"}\n{"label":"x"}', /entry 1 has no label, sent.message and received.messages/],
  ])('that is none is refused, with the line: %.60s', (text, why) => {
    expect(() => parseTranscript(text)).toThrow(why);
  });
});
