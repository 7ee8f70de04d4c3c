import {
  base64url,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
  type CryptoKey,
} from 'jose';
import { DPoP, type DPoPHandle } from 'oauth4webapi';

/** A key that tokens are bound to. */
export interface DpopKey {
  /** For requests of oauth4webapi; it remembers nonces of authorization servers. */
  readonly handle: DPoPHandle;
  /** The private key, for the store. */
  readonly jwk: JWK;
  /** The thumbprint of the public key, which names it. */
  readonly thumbprint: string;
  /** Signs a proof for one request to the MCP server, with an id of its own. */
  prove(request: DpopRequest): Promise<string>;
}

/** What a proof stands for. */
export interface DpopRequest {
  readonly httpMethod: string;
  readonly url: string;
  readonly accessToken: string;
  /** The last one that the server gave. */
  readonly nonce: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Opens the key that a token of the store is bound to, or makes a new one: ES256, not extractable once it is open. Spec:
 * RFC 9449.
 */
export async function openDpopKey(stored?: JWK): Promise<DpopKey> {
  const jwk = stored ?? (await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey));
  const { kty = '', crv = '', x = '', y = '' } = jwk;
  const publicJwk: JWK = { kty, crv, x, y };
  const privateKey = (await importJWK(jwk, 'ES256', { extractable: false })) as CryptoKey;
  const publicKey = (await importJWK(publicJwk, 'ES256', { extractable: true })) as CryptoKey;
  return {
    handle: DPoP({}, { privateKey, publicKey }),
    jwk,
    thumbprint: await calculateJwkThumbprint(publicJwk),
    async prove({ httpMethod, url, accessToken, nonce, now }) {
      const { origin, pathname } = new URL(url);
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken));
      const claims = {
        jti: crypto.randomUUID(),
        htm: httpMethod,
        htu: origin + pathname,
        iat: Math.floor(now / 1000),
        ath: base64url.encode(new Uint8Array(hash)),
        ...(nonce === undefined ? {} : { nonce }),
      };
      return new SignJWT(claims).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk }).sign(privateKey);
    },
  };
}
