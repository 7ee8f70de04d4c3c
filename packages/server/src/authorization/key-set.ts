import { isJsonObject } from '@switchyard/protocol';
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';

import { AuthorizationServerError } from './authorization-server-error.ts';
import { createRefreshedValue, type RefreshOptions } from './refreshed-value.ts';

/** Verifies JWTs against the keys of one authorization server. */
export interface KeySet {
  /**
   * Answers the verified token. Rejects with an error of jose, or AuthorizationServerError where the keys cannot be
   * had.
   */
  verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult>;
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>;

/** How many keys a set may hold, and how many of them are tried on a token that names none. */
const MAX_KEYS = 100;
const MAX_TRIED_KEYS = 8;

/**
 * Keeps the keys of an authorization server. A token that names a key which is not among them has them got anew, at
 * most once in `cooldownMs`: keys rotate, and a caller who invents names must not make every request one to the
 * authorization server. While they cannot be had, nobody knows whether such a key is a new one, and the check rejects.
 *
 * Spec: RFC 7517 section 5.
 */
export function createKeySet(load: () => Promise<Response>, options: RefreshOptions): KeySet {
  const keys = createRefreshedValue(async () => toKeySet(await load()), options);
  return {
    async verify(token, verifying) {
      const held = await keys.get();
      try {
        return await verifyBy(held, token, verifying);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        const fresh = await keys.refresh();
        if (fresh === held) throw error;
        return verifyBy(fresh, token, verifying);
      }
    },
  };
}

async function verifyBy(keys: LocalKeySet, token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      tried += 1;
      if (tried > MAX_TRIED_KEYS) break;
      try {
        return await jwtVerify(token, key, options);
      } catch (mismatch) {
        if (!(mismatch instanceof errors.JWSSignatureVerificationFailed)) throw mismatch;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

async function toKeySet(response: Response): Promise<LocalKeySet> {
  if (response.status !== 200) throw new AuthorizationServerError(`the key set answered status ${response.status}`);
  let set: unknown;
  try {
    set = await response.json();
  } catch {
    throw new AuthorizationServerError('the key set is not JSON');
  }
  const listed = isJsonObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(listed)) throw new AuthorizationServerError('the key set has no list of keys');
  if (listed.length > MAX_KEYS) throw new AuthorizationServerError(`the key set holds more than ${MAX_KEYS} keys`);
  try {
    return createLocalJWKSet(set as JSONWebKeySet);
  } catch {
    throw new AuthorizationServerError('the key set holds something that is no key');
  }
}
