import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose';
import type { PeerContext } from '../peer/peer-context.ts';

/**
 * A private key that signs assertions: PEM (PKCS #8, `BEGIN PRIVATE KEY`), a JWK, a `CryptoKey`, or a function that
 * answers one, such as one that asks a secret manager; it is called for each token.
 */
export type SigningKey = StaticSigningKey | (() => StaticSigningKey | Promise<StaticSigningKey>);

type StaticSigningKey = string | JWK | CryptoKey;

/** The algorithms of assertions: P-256, RSA with at least 2,048 bits, Ed25519. */
export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

/** A key that is ready to sign. */
export interface ReadySigningKey {
  readonly key: CryptoKey;
  readonly algorithm: SigningAlgorithm;
  /** The `kid` of a JWK. */
  readonly keyId: string | undefined;
}

const algorithms: readonly SigningAlgorithm[] = ['ES256', 'RS256', 'EdDSA'];

/**
 * Makes a signing key ready. Rejects with a `ClientError` of code `invalid-argument` for what is no private key of one
 * of the three algorithms; the message and its causes hold nothing of the key.
 */
export async function readySigningKey(given: SigningKey, context: Pick<PeerContext, 'fail'>): Promise<ReadySigningKey> {
  const key = typeof given === 'function' ? await given() : given;
  const refused = (why: string): Error =>
    context.fail('invalid-argument', `the private key of the client cannot be used: ${why}.`);
  if (typeof key === 'string') return fromPem(key, refused);
  if (typeof key !== 'object' || key === null) throw refused('it is no PEM text, no JWK and no CryptoKey');
  if ('kty' in key) return fromJwk(key, refused);
  return { key: key as CryptoKey, algorithm: algorithmOf(key as CryptoKey, refused), keyId: undefined };
}

async function fromPem(pem: string, refused: (why: string) => Error): Promise<ReadySigningKey> {
  const [, label] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem) ?? [];
  if (label !== 'PRIVATE KEY')
    throw refused(
      label === undefined
        ? 'it is no PEM text'
        : `it is a ${label}, and a PRIVATE KEY (PKCS #8) is needed: openssl pkcs8 -topk8 -nocrypt`,
    );
  for (const algorithm of algorithms) {
    try {
      return { key: await importPKCS8(pem, algorithm), algorithm, keyId: undefined };
    } catch {
      // A key of another kind, or none.
    }
  }
  throw refused('it is none of ES256 (P-256), RS256 (RSA) and EdDSA (Ed25519)');
}

async function fromJwk(jwk: JWK, refused: (why: string) => Error): Promise<ReadySigningKey> {
  if (jwk.d === undefined) throw refused('the JWK holds no private part (d)');
  const byType = { EC: 'ES256', RSA: 'RS256', OKP: 'EdDSA' } as const;
  const algorithm = byType[jwk.kty as keyof typeof byType] as SigningAlgorithm | undefined;
  try {
    const key = algorithm === undefined ? undefined : await importJWK({ ...jwk, alg: algorithm }, algorithm);
    if (algorithm !== undefined && key !== undefined && !(key instanceof Uint8Array))
      return { key, algorithm, keyId: jwk.kid };
  } catch {
    // As below.
  }
  throw refused('the JWK is none of ES256 (P-256), RS256 (RSA) and EdDSA (Ed25519)');
}

function algorithmOf(key: CryptoKey, refused: (why: string) => Error): SigningAlgorithm {
  const { type, usages, algorithm } = key as Partial<CryptoKey>;
  if (type !== 'private' || usages?.includes('sign') !== true) throw refused('the CryptoKey may not sign');
  const { name, namedCurve, hash } = algorithm as {
    readonly name: string;
    readonly namedCurve?: string;
    readonly hash?: { readonly name: string };
  };
  if (name === 'ECDSA' && namedCurve === 'P-256') return 'ES256';
  if (name === 'RSASSA-PKCS1-v1_5' && hash?.name === 'SHA-256') return 'RS256';
  if (name === 'Ed25519') return 'EdDSA';
  throw refused(`the CryptoKey is for ${name}, and it must be for ES256, RS256 or EdDSA`);
}
