import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { assertKnownOptions, type KnownOptions, present } from '@switchyard/protocol';

/** What a server is shown, and what it is known by, over TLS. All in PEM. */
export interface TlsOptions {
  /**
   * The authorities that the certificates of a server and of a proxy must come from, in place of those of the platform.
   * Of a text with several, those count that can be read.
   */
  readonly ca?: string | readonly string[];
  /** The certificate of this client, with `key`: mutual TLS. It is shown to servers, and to no proxy. */
  readonly cert?: string;
  readonly key?: string;
  /** What `key` is encrypted with. */
  readonly passphrase?: string;
  /** The name that the server's certificate must have. Default: the host of the URL. */
  readonly servername?: string;
}

/** {@link TlsOptions} as sockets take them. */
export interface ReadTls extends Omit<TlsOptions, 'ca'> {
  readonly ca?: string[];
}

const tlsOptions: KnownOptions<TlsOptions> = { ca: true, cert: true, key: true, passphrase: true, servername: true };

const CERTIFICATE = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[\s\S]*?-----END \1-----/g;

/**
 * Reads what is given for TLS, so that what cannot be used is told at once: OpenSSL passes over authorities that it
 * cannot read, and of the others a server hears first. Throws an `Error` that names the option and holds nothing of it.
 */
export function readTls(tls: TlsOptions): ReadTls {
  const given = takeOnce(tls);
  assertKnownOptions('the option tls', given, tlsOptions);
  const { ca: authorities, ...texts } = given;
  for (const [name, value] of Object.entries(texts)) assertText(name, value);
  const { cert, key, passphrase, servername } = texts;
  const ca = authorities === undefined ? undefined : readAuthorities(authorities);
  if (isIP(servername ?? '') !== 0) {
    throw new Error(
      'tls.servername is an address, where TLS takes names alone; leave it out and put that into the URL.',
    );
  }
  if (cert !== undefined || key !== undefined) assertPair(cert, key, passphrase);
  return present({ ca, cert, key, passphrase, servername });
}

/** A getter is asked once, and what it throws is not shown. */
function takeOnce(tls: TlsOptions): TlsOptions {
  try {
    return { ...tls };
  } catch (cause) {
    throw new Error('the option tls cannot be read, since a getter of it throws; give plain texts.', { cause });
  }
}

function assertText(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') throw noText(name);
}

function noText(name: string): Error {
  return new Error(`tls.${name} is no text; give what stands in the file, read as utf8.`);
}

function readAuthorities(ca: string | readonly string[]): string[] {
  const texts: readonly unknown[] = Array.isArray(ca) ? ca : [ca];
  if (texts.length === 0)
    throw new Error(
      'tls.ca is empty, so no server could be trusted; leave it out for the authorities of the platform.',
    );
  return texts.flatMap(readBundle);
}

/** Bundles of platforms have a certificate that is too old to be read here and there; OpenSSL stops at the first. */
function readBundle(text: unknown): string[] {
  if (typeof text !== 'string') throw noText('ca');
  const readable = text.match(CERTIFICATE)?.filter((each) => readCertificate(each) !== undefined) ?? [];
  if (readable.length > 0) return readable;
  throw new Error(`tls.ca has no certificate that can be read; ${PEM_ADVICE}`);
}

const PEM_ADVICE = 'give it in PEM: the text from -----BEGIN to -----END, lines kept.';

function assertPair(cert: string | undefined, key: string | undefined, passphrase: string | undefined): void {
  if (cert === undefined)
    throw new Error('tls.key is given without tls.cert, the certificate that it belongs to; give both.');
  if (key === undefined) throw new Error('tls.cert is given without tls.key, the key that it belongs to; give both.');
  const certificate = readCertificate(cert);
  if (certificate === undefined) throw new Error(`tls.cert has no certificate that can be read; ${PEM_ADVICE}`);
  if (certificate.checkPrivateKey(readKey(key, passphrase))) return;
  throw new Error(
    'tls.key does not belong to tls.cert; give the two of one pair, and its certificate first where there are several.',
  );
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // What OpenSSL says of it tells a caller nothing.
    return undefined;
  }
}

/** How both forms of an encrypted key in PEM say so. */
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4, *ENCRYPTED/m;

function readKey(key: string, passphrase: string | undefined): KeyObject {
  const isEncrypted = ENCRYPTED.test(key);
  if (isEncrypted && passphrase === undefined) {
    throw new Error('tls.key is encrypted; give what it is encrypted with as tls.passphrase.');
  }
  try {
    return createPrivateKey({ key, ...present({ passphrase }) });
  } catch (cause) {
    if (isEncrypted)
      throw new Error('tls.key cannot be decrypted with tls.passphrase; look whether that is its own.', { cause });
    throw new Error(`tls.key has no private key that can be read; ${PEM_ADVICE}`, { cause });
  }
}
