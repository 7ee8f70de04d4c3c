import { describe, expect, it } from 'vitest';

import { compareTranscripts } from '../../src/index.ts';
import { exchangeOf, transcriptOf } from './transcript-of.ts';

const SECRET = '8fJq2LxV0pTz7RkB';

/** A secret that only the name two levels above it tells. */
const VALUE = { secrets: { db: SECRET } };
const JSON_TEXT = JSON.stringify(VALUE);

/** What is kept of a text. */
function kept(text: string): string {
  const [entry] = transcriptOf(exchangeOf('text', {}, { text })).entries;
  return (entry?.received.messages[0]?.['result'] as { readonly text: string } | undefined)?.text ?? '';
}

const secrets = [
  { credentials: SECRET },
  { tokens: [SECRET] },
  { secrets: { db: SECRET } },
  { session: SECRET },
  { auth: SECRET },
  { pass: SECRET },
  { jwt: SECRET },
  { sid: SECRET },
  { passcodes: [SECRET] },
  { pin: 4711 },
  { headers: { authorization: `SSWS ${SECRET}` } },
  { env: [{ name: 'API_KEY', value: SECRET }] },
  { set: [['X-Api-Key', SECRET]] },
];

describe('JSON in a text', () => {
  it.each(secrets)('is masked as the value that it stands for: %j', (value) => {
    const [entry] = transcriptOf(exchangeOf('value', {}, value)).entries;
    const masked: unknown = entry?.received.messages[0]?.['result'];
    expect(JSON.parse(kept(JSON.stringify(value)))).toEqual(masked);
    expect(JSON.stringify(masked)).not.toMatch(/8fJq|4711/);
  });

  it.each([
    ['in prose', `Result: ${JSON_TEXT}, as asked.`],
    ['behind brackets that are none', `2026 [srv] (see "{a}") ${JSON_TEXT}`],
    ['on each line', `{"ok":true}\n${JSON_TEXT}\n`],
    ['over lines', `\`\`\`json\n${JSON.stringify(VALUE, undefined, 2)}\n\`\`\``],
    ['as an event', `event: message\ndata: ${JSON_TEXT}\n\n`],
    ['as a text in JSON', JSON.stringify({ config: JSON_TEXT })],
    ['as a text in JSON in a text', [1, 2, 3, 4].reduce((text) => JSON.stringify({ config: text }), JSON_TEXT)],
    ['below many levels', `${'{"a":['.repeat(100)}${JSON_TEXT}${']}'.repeat(100)}`],
    ['as a quoted text', `config=${JSON.stringify(JSON_TEXT)}`],
    ['with escapes that are none outside', `{"secrets":{"db":"${SECRET}"},"note":"\\u0022"}`],
    ['with a name that stands twice', `{"tokens":["${SECRET}"],"tokens":1}`],
    ['in brackets that are never closed', `${'['.repeat(300)}${JSON_TEXT}`],
    ['in base64', Buffer.from(JSON_TEXT).toString('base64')],
    ['in percent-encoding', encodeURIComponent(JSON_TEXT)],
    ['in HTML', JSON_TEXT.replaceAll('"', '&quot;')],
  ])('is masked %s', (_where, text) => {
    const result = kept(text);
    expect(result).not.toContain(SECRET);
    expect(result).not.toContain(Buffer.from(SECRET).toString('base64').slice(2, 12));
  });

  it.each([
    '{ "b": "x",\n\t"1": [1.0, 1e2, 9007199254740993], "e": "caf\\u00e9\\/", "b c": {} }',
    'see [1] and {"a" : [ ]}, "[x]" {not json} [1, 2',
  ])('stays byte for byte where nothing is masked: %s', (text) => {
    expect(kept(text)).toBe(text);
  });

  it('keeps its form around what is masked', () => {
    expect(kept(`{ "auth" :\t"${SECRET}" ,\n "n": 1.0, "big": 9007199254740993, "e": "caf\\u00e9" }`)).toBe(
      '{ "auth" :\t"[redacted]" ,\n "n": 1.0, "big": 9007199254740993, "e": "caf\\u00e9" }',
    );
  });

  it('shows in a comparison what is different besides its secrets', () => {
    const of = (text: string) => transcriptOf(exchangeOf('text', {}, { text }));
    const differences = (before: string, after: string) => compareTranscripts(of(before), of(after)).length;
    expect(differences('{"auth":"a1","n":1}', '{"auth":"b2","n":1}')).toBe(0);
    expect(differences('{"auth":"a1","n":1}', '{"auth":"b2","n":2}')).toBe(1);
    expect(differences('{"auth":"a1","n":1}', '{"auth":"b2","n":1,"n":1}')).toBe(1);
  });

  it.each(['[', '{"a":', '"[', '\\"[', '{}', '{"a":1}\n', `${'['.repeat(70)}${']'.repeat(70)}`])(
    'is looked for in time proportional to the text: %.8j again and again',
    (text) => {
      const long = text.repeat(600_000 / text.length);
      expect(kept(long)).toBe(long);
    },
  );
});
