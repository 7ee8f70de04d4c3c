import { assertKnownOptions, decodeBase64, type KnownOptions, type Principal } from '@switchyard/protocol';

import type { Authenticate, Challenge } from './authenticate.ts';
import { renderChallenge } from './challenge.ts';
import { toEpochMs } from './epoch-time.ts';
import { assertPrincipal, grantPrincipal } from './principal-grant.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { thumbprint } from './thumbprint.ts';

/** A key that a caller may have, known by its digest. */
export interface ApiKey {
  /** What {@link hashApiKey} answers: the key itself is stored nowhere. */
  readonly digest: string;
  readonly principal: Principal;
  /** When it ends, in milliseconds since 1970; it ends with its principal, too. Default: never. */
  readonly expiresAtMs?: number;
}

/** How API keys are checked. */
export interface ApiKeysOptions {
  /** At most 1,000: each request is compared with all. Every digest stands once. */
  readonly keys: readonly ApiKey[];
  /**
   * The header that holds the key. Default `x-api-key`; of `authorization`, what follows `Bearer`, where a key beside
   * tokens must be of the characters of one: letters, digits and `-._~+/`.
   */
  readonly header?: string;
  /** Which scopes imply others, and what a step-up names. Default: no scope implies another. */
  readonly resource?: ProtectedResource;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

const apiKeysOptions: KnownOptions<ApiKeysOptions> = { keys: true, header: true, resource: true, epochNow: true };
const apiKeyMembers: KnownOptions<ApiKey> = { digest: true, principal: true, expiresAtMs: true };

const MAX_KEYS = 1_000;
const MAX_KEY_CHARS = 512;
const DIGEST_BYTES = 32;

/**
 * Answers the digest under which a key is stored: SHA-256 in Base64url. Without salt or stretching it suits keys that a
 * machine made of at least 128 random bits, and no passwords.
 */
export function hashApiKey(key: string): Promise<string> {
  return thumbprint(key);
}

/**
 * Authenticates callers by keys that were given to them. The digest of what is sent is compared with every stored one,
 * byte by byte to the end, so that time tells nothing about them. A request without the header is left to another hook
 * of `anyOf`, and so is a bearer token that is none of the keys.
 *
 * @throws TypeError when an option is unknown, there are no keys or too many, one has no digest or no principal, an end
 *   is no time, or a digest is none or stands twice.
 */
export function apiKeys(options: ApiKeysOptions): Authenticate {
  assertKnownOptions('apiKeys', options, apiKeysOptions);
  const { header = 'x-api-key', resource, epochNow = Date.now } = options;
  const name = header.toLowerCase();
  const isBearer = name === 'authorization';
  const keys = toKeys(options.keys, resource);
  const refuse = (reason: string, foreign: boolean): Challenge => ({
    status: 401,
    reason,
    foreign,
    message: `An API key is needed ${isBearer ? 'as bearer token' : `in the header ${name}`}${sentOnes[reason] ?? ''}`,
    wwwAuthenticate: isBearer ? renderChallenge('Bearer', resource) : `ApiKey header="${name}"`,
  });

  return async (head) => {
    const value = head.header(name);
    const sent = isBearer ? /^bearer +(\S+)$/i.exec(value ?? '')?.[1] : value;
    if (sent === undefined) return refuse('no-credentials', true);
    if (sent.length > MAX_KEY_CHARS) return refuse('unknown-api-key', isBearer);
    const found = findKey(keys, decodeDigest(await thumbprint(sent)));
    if (found === undefined) return refuse('unknown-api-key', isBearer);
    const { principal, expiresAtMs } = found;
    if (expiresAtMs <= epochNow()) return { ...refuse('expired', false), about: { subject: principal.subject } };
    return principal;
  };
}

/** What the caller is told of the key that it sent, by reason. */
const sentOnes: { readonly [reason: string]: string } = {
  'unknown-api-key': ', and the one that was sent is not known',
  expired: ', and the one that was sent has ended',
};

interface CheckedKey {
  readonly digest: Uint8Array;
  readonly principal: Principal;
  readonly expiresAtMs: number;
}

function toKeys(given: readonly ApiKey[], resource: ProtectedResource | undefined): readonly CheckedKey[] {
  if (!Array.isArray(given)) throw new TypeError('keys must be a list of { digest, principal }');
  if (given.length === 0 || given.length > MAX_KEYS)
    throw new TypeError(`keys must be from 1 to ${MAX_KEYS}, not ${given.length}`);
  for (const [index, key] of given.entries()) assertKey(`keys[${index}]`, key);
  if (new Set(given.map(({ digest }) => digest)).size < given.length)
    throw new TypeError('keys: a digest stands twice, and whose key it is would be a matter of order');
  return given.map(({ digest: text, principal, expiresAtMs = Infinity }, index) => {
    const digest = decodeDigest(text);
    if (digest.length !== DIGEST_BYTES)
      throw new TypeError(
        `keys[${index}].digest must be what hashApiKey answers, SHA-256 in Base64url, and never the key itself`,
      );
    // Whichever of the two ends first: the key, or whom it belongs to. What stays open for the caller ends then, too.
    const endMs = Math.min(expiresAtMs, principal.expiresAtMs ?? Infinity);
    const limited = endMs === Infinity ? principal : { ...principal, expiresAtMs: endMs };
    return {
      digest,
      principal: grantPrincipal(limited, resource === undefined ? {} : { resource }),
      expiresAtMs: endMs,
    };
  });
}

function assertKey(at: string, key: Partial<ApiKey> | undefined): void {
  if (key?.digest === undefined) throw new TypeError(`${at}.digest is missing: it is what hashApiKey answers`);
  if (typeof key.digest !== 'string')
    throw new TypeError(`${at}.digest must be a text: \`await\` what hashApiKey answers`);
  if (key.principal === undefined) throw new TypeError(`${at}.principal is missing: it says whose key it is`);
  if (typeof key.principal?.subject !== 'string')
    throw new TypeError(`${at}.principal.subject is missing: it is the name of whom the key belongs to`);
  assertPrincipal(`${at}.principal`, key.principal);
  assertKnownOptions<Partial<ApiKey>>(at, key, apiKeyMembers);
  const { expiresAtMs = Infinity } = key;
  toEpochMs(`${at}.expiresAtMs`, expiresAtMs);
}

/** Answers no bytes for what is no Base64url. */
function decodeDigest(text: string): Uint8Array {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return decodeBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, '=')) ?? new Uint8Array(0);
}

function findKey(keys: readonly CheckedKey[], sent: Uint8Array): CheckedKey | undefined {
  let found: CheckedKey | undefined;
  for (const key of keys) {
    let difference = 0;
    for (let index = 0; index < DIGEST_BYTES; index += 1) difference |= (key.digest[index] ?? 0) ^ (sent[index] ?? 0);
    found = difference === 0 ? key : found;
  }
  return found;
}
