import { createPrivateKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { HttpCredentials } from '../../src/http/credentials.ts';
import type { ClientError } from '../../src/index.ts';
import { connect, type NodeConnectOptions, type TlsOptions } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { canMakeCertificates, makeAuthority } from './certificates.ts';

/** Nobody listens there, so that what is refused later is told by another code. */
const URL = 'https://127.0.0.1:1/mcp';

async function refusal(options: NodeConnectOptions, url = URL): Promise<ClientError> {
  const error = await failure(connect(url, { name: 'depot', baseEnv: {}, ...options }));
  expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
  return error;
}

const SECRET = 'hunter-2222';
const throwing = (): never => {
  throw new Error(SECRET);
};

describe('a configured header', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ...[
      ...'Connection content-length Expect keep-alive Transfer-Encoding upgrade'.split(' '),
      'proxy-connection',
      'HTTP2-Settings',
      'TE',
    ].map((name): [string, Record<string, string>, RegExp] => [
      `is ${name}`,
      { [name]: '1' },
      new RegExp(`header ${name} is one that HTTP itself runs by; leave it out`),
    ]),
    ['ends with a line break', { 'x-key': `${SECRET}\n` }, /header x-key has a line break in its value; take it off/],
    ['has another header in it', { 'x-key': `a\r\nhost: ${SECRET}` }, /line break/],
    ['has a character beyond Latin-1', { 'x-key': `${SECRET}\u20ac` }, /x-key has characters .* encode/],
    ['has a control character', { 'x-key': `${SECRET}\u0000` }, /x-key has characters/],
    [
      'has a value of a megabyte',
      { 'x-key': SECRET.repeat(100_000) },
      /x-key has a value of more than 16384 characters/,
    ],
    ['has a name that HTTP does not have', { 'x key': SECRET }, /header name "x key" is not valid/],
  ])('that %s is refused by its name, and its value is not shown', async (_what, headers, message) => {
    const error = await refusal({ headers });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('hunter');
    expect((await refusal({ headers: () => headers })).message).toMatch(message);
  });

  it('may have 16 KiB', async () => {
    const headers = { 'x-key': 'k'.repeat(16 * 1024) };
    expect((await failure(connect(URL, { headers, baseEnv: {} }))).code).toBe('connect-failed');
  });

  it('whose getter throws is refused without what it threw', async () => {
    const headers = Object.defineProperty({}, 'x-key', { enumerable: true, get: throwing }) as Record<string, string>;
    expect((await refusal({ headers })).message).toMatch(/a getter or an iterator of theirs throws/);
    const iterated = { [Symbol.iterator]: throwing } as unknown as Record<string, string>;
    const error = await refusal({ headers: iterated });
    expect(error.message).not.toContain(SECRET);
  });
});

it('a field of credentials that the HTTP library does not write is not taken for a server that is not there', async () => {
  const credentials: HttpCredentials = {
    fieldsFor: () => ({ 'transfer-encoding': 'chunked' }),
    principal: () => undefined,
  };
  const error = await refusal({ credentials });
  expect(error.message).toMatch(/invalid transfer-encoding header.*the credentials/);
  expect(error.mayHaveRun).toBe(false);
});

it.each(['user:100%@', '%ZZ:x@', 'u%:p@'])(
  'a proxy with the login %s, which encodes nothing, is refused',
  async (login) => {
    for (const scheme of ['http', 'https', 'socks5']) {
      const proxy = `${scheme}://${login}proxy.invalid:3128`;
      expect((await refusal({ proxy })).message).toMatch(/the option proxy has a user or a password .* write % as %25/);
      const error = await refusal({ baseEnv: { HTTPS_PROXY: proxy } }, 'https://depot.invalid/mcp');
      expect(error.message).toContain('HTTPS_PROXY has');
      expect(error.message).not.toContain(login.slice(0, -1));
    }
  },
);

describe.skipIf(!canMakeCertificates)('what is given for TLS', () => {
  const { ca = '', server, client } = canMakeCertificates ? makeAuthority() : {};
  const { cert = '', key = '' } = client ?? {};
  const encrypted = canMakeCertificates
    ? createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: SECRET })
    : '';
  const broken = ca.replace(/\n.{10}/, '\n!!!!!!!!!!');

  it.each<[string, TlsOptions, RegExp]>([
    ['an authority that is no PEM', { ca: 'junk' }, /tls\.ca has no certificate .* PEM/],
    ['an authority that cannot be read', { ca: broken }, /tls\.ca has no certificate/],
    ['one of two authorities that is empty', { ca: [ca, ''] }, /tls\.ca has no certificate/],
    ['a list of what is no text', { ca: [undefined] as unknown as string[] }, /tls\.ca is no text/],
    ['a number for an authority', { ca: 5 as unknown as string }, /tls\.ca is no text/],
    ['null for an authority', { ca: null as unknown as string }, /tls\.ca is no text/],
    ['a key for an authority', { ca: key }, /tls\.ca has no certificate/],
    ['no authority at all', { ca: [] }, /tls\.ca is empty/],
    ['bytes', { ca: Buffer.from(ca) as unknown as string }, /tls\.ca is no text/],
    ['a certificate without its key', { cert }, /tls\.cert is given without tls\.key/],
    ['a key without its certificate', { key }, /tls\.key is given without tls\.cert/],
    ['a certificate that cannot be read', { cert: 'junk', key }, /tls\.cert has no certificate/],
    ['a key that cannot be read', { cert, key: 'junk' }, /tls\.key has no private key/],
    ['the key of another', { cert, key: server?.key ?? '' }, /tls\.key does not belong to tls\.cert/],
    ['an encrypted key alone', { cert, key: encrypted }, /tls\.key is encrypted; give .* tls\.passphrase/],
    [
      'another passphrase',
      { cert, key: encrypted, passphrase: `no-${SECRET}` },
      /cannot be decrypted with tls\.passphrase/,
    ],
    ['a passphrase that is no text', { passphrase: 7 as unknown as string }, /tls\.passphrase is no text/],
    ['an address for a name', { servername: '127.0.0.1' }, /tls\.servername is an address/],
    ['what switches the check off', { rejectUnauthorized: false } as TlsOptions, /no option "rejectUnauthorized"/],
    [
      'a getter that throws',
      Object.defineProperty({}, 'key', { enumerable: true, get: throwing }),
      /a getter of it throws/,
    ],
  ])('is refused where it is %s', async (_what, tls, message) => {
    const error = await refusal({ tls });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(SECRET);
    expect(error.message).not.toContain(key.split('\n')[1]);
  });

  it.each<[string, TlsOptions]>([
    ['a pair', { cert, key }],
    ['a key that says of itself that it is not encrypted', { cert, key: `# UNENCRYPTED\n${key}` }],
    ['an encrypted key and its passphrase', { cert, key: encrypted, passphrase: SECRET }],
    ['several authorities in one text, with words between', { ca: `# ours\n${ca}\n# theirs\n${ca}` }],
    ['several authorities', { ca: [ca, ca] }],
    ['authorities of which one cannot be read', { ca: broken + ca }],
    ['a chain', { cert: cert + ca, key }],
  ])('is taken where it is %s', async (_what, tls) => {
    expect((await failure(connect(URL, { tls, baseEnv: {} }))).code).toBe('connect-failed');
  });
});
