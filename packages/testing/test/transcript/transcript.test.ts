import { describe, expect, it } from 'vitest';

import {
  compareTranscripts,
  explainDifferences,
  parseTranscript,
  type RawExchange,
  readExplanations,
  renderTranscript,
  toTranscript,
  type Transcript,
} from '../../src/index.ts';
import { createAnswerBuilder } from '../../src/raw/answer-builder.ts';

let lastId = 0;

function exchangeOf(label: string, params: object, result: object, more: Partial<RawExchange> = {}): RawExchange {
  lastId += 7;
  const response = { jsonrpc: '2.0', id: lastId, result: { ...result } };
  const sent = { jsonrpc: '2.0', id: lastId, method: 'tools/call', params };
  return { label, instance: 1, sent, received: [response], response, stray: [], ...more };
}

function transcriptOf(...exchanges: readonly RawExchange[]): Transcript {
  return toTranscript({ transport: 'http', exchanges });
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

  it.each(['Q', 'a@', '+1', '%3D', 'x-/', '4 ', '"a', 'NO93 8601 '])(
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
    ['counts of tokens and of what passed', { tokens: 1234, inputTokens: 5678, pass: 12, session: 'plan a session' }],
    ['text with spaces that do not break', { text: 'costs 1\u202f234\u00a0€, a co\u00adoperation' }],
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

describe('a comparison', () => {
  const tools = (...names: readonly string[]) => ({ tools: names.map((name) => ({ name, title: `The ${name}` })) });
  const compare = (before: object, after: object) =>
    compareTranscripts(transcriptOf(exchangeOf('list', {}, before)), transcriptOf(exchangeOf('list', {}, after)));

  it('finds nothing where nothing is different, whatever the order of members', () => {
    expect(compare({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
  });

  it('names each member that came, went or changed by its path', () => {
    expect(compare({ a: 1, gone: 'x', list: [1, 2] }, { a: 2, list: [1], come: null })).toEqual([
      { label: 'list', path: 'response.result.a', kind: 'changed', before: 1, after: 2 },
      { label: 'list', path: 'response.result.gone', kind: 'removed', before: 'x' },
      { label: 'list', path: 'response.result.list[1]', kind: 'removed', before: 2 },
      { label: 'list', path: 'response.result.come', kind: 'added', after: null },
    ]);
  });

  it('compares entries by name, so that a new one shifts none, and their order for itself', () => {
    expect(compare(tools('a', 'c.d'), tools('a', 'b', 'c.d'))).toEqual([
      { label: 'list', path: 'response.result.tools[b]', kind: 'added', after: { name: 'b', title: 'The b' } },
    ]);
    expect(compare(tools('a', 'b'), tools('b', 'a'))).toEqual([
      { label: 'list', path: 'response.result.tools.order', kind: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
    ]);
  });

  it('matches exchanges by what they were for, and tells of those without a counterpart', () => {
    const before = transcriptOf(exchangeOf('a', {}, {}), exchangeOf('b', {}, { n: 1 }), exchangeOf('b', {}, { n: 2 }));
    const after = transcriptOf(exchangeOf('new', {}, {}), exchangeOf('b', {}, { n: 1 }), exchangeOf('b', {}, { n: 3 }));
    expect(compareTranscripts(before, after).map(({ label, path, kind }) => [label, path, kind])).toEqual([
      ['a', 'exchange', 'removed'],
      ['b (2)', 'response.result.n', 'changed'],
      ['new', 'exchange', 'added'],
    ]);
  });

  it('tells apart exchanges whose words end like a number from those that are numbered', () => {
    const of = (n: number) =>
      transcriptOf(exchangeOf('a', {}, {}), exchangeOf('a', {}, { n }), exchangeOf('a (2)', {}, { m: n }));
    expect(compareTranscripts(of(1), of(2)).map(({ path }) => path)).toEqual([
      'response.result.n',
      'response.result.m',
    ]);
  });

  it('leaves no difference out, however many there are', () => {
    const list = (last: number) => ({
      v: [...Array.from({ length: 12_000 }, (_, index) => index * last), 'end', last],
    });
    const explained = explainDifferences(compare(list(1), list(2)), [{ path: 'response.result.v[*1*]', because: 'x' }]);
    expect(explained.explained.length + explained.unexplained.length).toBe(12_000);
    expect(explained.unexplained.length).toBeGreaterThan(0);
  });

  it('takes placeholders for equal that stand for each other throughout, and for nothing else', () => {
    const rounds = (...states: readonly string[]) =>
      transcriptOf(...states.map((requestState, index) => exchangeOf(`round ${index}`, {}, { requestState })));
    const same = compareTranscripts(rounds('x', 'a', 'b', 'a'), rounds('x', 'p', 'q', 'p'));
    expect(same).toEqual([]);
    const repeated = compareTranscripts(rounds('a', 'b'), rounds('a', 'a'));
    expect(repeated).toMatchObject([{ label: 'round 1', path: 'response.result.requestState' }]);
  });

  it.each([
    ['states', (value: string) => ({ requestState: value })],
    ['cursors', (value: string) => ({ nextCursor: value })],
    ['tasks', (value: string) => ({ taskId: value })],
    ['UUIDs', (value: string) => ({ handle: `0f0e0d0c-0b0a-4908-8706-05040302010${value}` })],
    ['binary data', (value: string) => ({ data: value.repeat(300) })],
  ])('is not shifted by another one: placeholders of %s', (_what, resultOf) => {
    const rounds = ['a', 'b'].map((value, index) => exchangeOf(`round ${index}`, {}, resultOf(value)));
    const shifted = transcriptOf(exchangeOf('extra', {}, resultOf('c')), ...rounds);
    expect(compareTranscripts(transcriptOf(...rounds), shifted).map(({ label }) => label)).toEqual(['extra']);
  });

  it('sees the status, the media type and what came before the response', () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    const plain = exchangeOf('x', {}, {}, { status: 200, headers: { 'content-type': 'application/json' } });
    const streamed = exchangeOf('x', {}, {}, { status: 206, headers: { 'content-type': 'text/event-stream' } });
    const after = transcriptOf({ ...streamed, received: [notification, ...streamed.received] });
    expect(compareTranscripts(transcriptOf(plain), after).map(({ path }) => path)).toEqual([
      'status',
      'contentType',
      'before',
    ]);
  });
});

describe('an explanation', () => {
  const differences = compareTranscripts(
    transcriptOf(exchangeOf('list', {}, { a: 1, 'b.c': { d: 1 } })),
    transcriptOf(exchangeOf('list', {}, { a: 2, 'b.c': { d: 2 } })),
  );

  it('covers the differences whose path and exchange fit, and is unused where none does', () => {
    const explanations = readExplanations([
      { path: 'response.*.d', because: 'It grew.' },
      { path: '*', label: 'other', because: 'Not this.' },
    ]);
    const { explained, unexplained, unused } = explainDifferences(differences, explanations);
    expect(explained.map(({ difference, because }) => [difference.path, because])).toEqual([
      ['response.result.b.c.d', 'It grew.'],
    ]);
    expect(unexplained.map(({ path }) => path)).toEqual(['response.result.a']);
    expect(unused).toEqual([{ path: '*', label: 'other', because: 'Not this.' }]);
  });

  it.each([
    ['response.result.a', true],
    ['response.result', false],
    ['result.a', false],
    ['*a', true],
    ['response*', true],
    ['response*result*a', true],
    ['response.result.a*a', false],
    ['*', true],
  ])('with the path %s covers response.result.a: %s', (path, covers) => {
    const { explained } = explainDifferences(differences.slice(0, 1), [{ path, because: 'x' }]);
    expect(explained.length === 1).toBe(covers);
  });

  it.each([
    [{}, /expected a list/],
    [[1], /explanation 1 is no object/],
    [[{ path: 'a' }], /explanation 1 has no "because"/],
    [[{ path: 'a', because: ' ' }], /no "because"/],
    [[{ because: 'x' }], /no "path"/],
    [[{ path: 'a', because: 'x', why: 'y' }], /has "why"; it may have path, label and because/],
    [[{ path: 'a', because: 'x', label: 1 }], /label of explanation 1/],
  ])('that is none is refused: %j', (value, why) => {
    expect(() => readExplanations(value)).toThrow(why);
  });
});
