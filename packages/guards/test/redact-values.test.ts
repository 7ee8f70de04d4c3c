import { findLiteralCredential, redactSecrets } from '@switchyard/guards';
import { describe, expect, it } from 'vitest';

// Put together here, so that no scanner takes this file for a leak.
const random = 'a1B2c3D4e5'.repeat(3);

/** What a text of JSON that holds `value` is within `depth` more texts of JSON. */
function inJson(value: unknown, depth: number): string {
  return depth === 0 ? JSON.stringify(value) : JSON.stringify(inJson(value, depth - 1));
}

describe('redacting a header', () => {
  it.each(['SSWS', 'Bot', 'Key', 'Api-Key', 'GenieKey', 'Splunk', 'AWS4-HMAC-SHA256 Credential=a,'])(
    'masks the credential behind the scheme %s',
    (scheme) => {
      expect(redactSecrets(`Authorization: ${scheme} ${random}\nHost: a`)).toBe('Authorization: [redacted]\nHost: a');
      expect(redactSecrets(`{"Authorization":"${scheme} ${random}","x":1}`)).toBe(
        '{"Authorization":"[redacted]","x":1}',
      );
      expect(redactSecrets(`curl -H 'Authorization: ${scheme} ${random}' https://a`)).toBe(
        "curl -H 'Authorization: [redacted]' https://a",
      );
      expect(findLiteralCredential(`--header=Authorization: ${scheme} ${random}`)?.kind).toBe('authorization');
    },
  );

  it.each([
    `Authorization: Digest username="u", nonce="n", response="${random}"`,
    `Authorization: Digest username="u", response="${random}`,
    `-H 'Authorization: Digest username="u", response="${random}"'`,
    JSON.stringify({ Authorization: `Digest username="u", response="${random}"` }),
    JSON.stringify([`Authorization: Digest username="u", response="${random}"`]),
    inJson({ Authorization: `Digest username="u", response="${random}"` }, 1),
    `{"Authorization":["Bearer ${random}","SSWS ${random}"]}`,
    `{"Authorization":["${random}"]}`,
    `Cookie: a="${random}"; b=${random}`,
    `{"set-cookie":["a=${random}; Path=/","b=${random}"]}`,
    inJson({ 'set-cookie': [`a="${random}"`] }, 1),
  ])('masks all of it in %s', (text) => {
    expect(redactSecrets(text)).not.toContain('a1B2');
    expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text));
  });

  it('leaves the rest of a sentence about one', () => {
    const rest = 'in at the server, then call again';
    expect(redactSecrets(`it asks for authorization: log ${rest}`)).toContain(rest);
    const metadata = '"authorization":{"servers":["https://as.example"]}';
    expect(redactSecrets(metadata)).toBe(metadata);
  });
});

describe('redacting a quoted value', () => {
  it.each([0, 1, 2, 3])('masks all of it and nothing behind it, within %i more texts of JSON', (depth) => {
    const password = `hun"ter\\hun'ter\nhunter\\`;
    const redacted = redactSecrets(inJson({ a: 'shown', password, b: 'seen' }, depth));
    expect(redacted).not.toMatch(/hun|ter/);
    expect(redacted).toMatch(/shown.*password.*\[redacted\].*seen/);
  });

  it.each([0, 1, 2, 3])('masks each one of a list, within %i more texts of JSON', (depth) => {
    const redacted = redactSecrets(inJson({ tokens: ['hunter,', 'hun"ter'], b: ['seen'] }, depth));
    expect(redacted).not.toMatch(/hun|ter/);
    expect(redacted).toMatch(/tokens.*\[redacted\].*seen/);
  });

  it('masks each one of a list over several lines', () => {
    const text = JSON.stringify({ tokens: ['hunter', 'hunter'], b: ['seen'] }, null, 2);
    for (const one of [text, JSON.stringify(text)]) {
      expect(redactSecrets(one)).not.toContain('hunter');
      expect(redactSecrets(one)).toContain('seen');
    }
    expect(redactSecrets('tokens: [hunter, hunter] seen')).toBe('tokens: [[redacted]] seen');
  });
});

it.each([
  'tokens=["',
  'tokens=["a",',
  `secret:['a',"\\`,
  'secrets: [\\"a\\",',
  'tokens: [\\n',
  'password="\\',
  'password=\\"\\\\',
  'password=["\\\\",',
  'authorization: a="',
  'authorization: [ "bearer a", ',
  'authorization: [" ',
  'cookie:["a=b",',
  '","',
  '="',
  '\\"',
  '["--token","',
])('finds its way past very many times %j', (part) => {
  // A search that took more than linear time would need minutes here, which the runner's limit ends.
  const text = `${part.repeat(Math.ceil(1_000_000 / part.length))}\npassword=hunter2`;
  expect(redactSecrets(text)).not.toContain('hunter2');
  expect(() => redactSecrets(`tokens: ["${text}`)).not.toThrow();
});
