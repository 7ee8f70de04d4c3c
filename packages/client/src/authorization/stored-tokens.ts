import type { JWK } from 'jose';
import { isJsonObject } from '@switchyard/protocol';
import type { GrantedTokens } from './grant.ts';
import type { Registration } from './registration.ts';
import { parseScope } from './scopes.ts';

/** What is kept of a granted token: a secret as a whole. */
export interface StoredTokens {
  readonly issuer: string;
  readonly clientId: string;
  /** The identifier that the token was asked for with. */
  readonly resource: string;
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string;
  /** Milliseconds since 1970; absent where the authorization server does not say. */
  readonly expiresAt?: number;
  /** When it was obtained or last refreshed, in milliseconds since 1970. */
  readonly obtainedAt: number;
  /** What was asked for: the next request asks for these, too. */
  readonly scopes: readonly string[];
  /** What was given, where the authorization server said so. */
  readonly granted?: readonly string[];
  /** Whether the server is of revision 2025-03-26: the authorization server is at its origin. */
  readonly isLegacy?: boolean;
  /** The private key that the token is bound to. */
  readonly dpopJwk?: JWK;
  /** The client where it had registered itself, so that a later registration does not cost the refresh token. */
  readonly registration?: Registration;
}

/** The longest access token, in characters: with more of them no server reads the header. */
const MAX_TOKEN_CHARS = 16 * 1024;

/**
 * Answers whether a header field can carry a text as an access token. Spec: RFC 6749 appendix A.12 without the space,
 * by which RFC 6750 ends it.
 */
export function isTokenText(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(text);
}

/** Answers a key of the store. Parts are told apart whatever they hold. */
export function storeKey(
  kind: 'tokens' | 'tokens-write' | 'login' | 'client' | 'pre-registered',
  ...parts: readonly string[]
): string {
  return [kind, ...parts.map(encodeURIComponent)].join(' ');
}

/** Reads a value of the store; `undefined` for what this package did not write, which counts as not there. */
export function readStored<T>(text: string | undefined, texts: readonly (keyof T & string)[]): T | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Of another program or cut off; what was lost is obtained again.
    return undefined;
  }
  if (!isJsonObject(value) || !texts.every((name) => typeof value[name] === 'string')) return undefined;
  return value as T;
}

/** Reads stored tokens. */
export function readTokens(text: string | undefined): StoredTokens | undefined {
  const members = ['issuer', 'clientId', 'resource', 'accessToken', 'tokenType'] as const;
  const tokens = readStored<StoredTokens>(text, members);
  if (tokens === undefined || !Array.isArray(tokens.scopes) || !isTokenText(tokens.accessToken)) return undefined;
  const hasTimes = isTime(tokens.obtainedAt) && (tokens.expiresAt === undefined || isTime(tokens.expiresAt));
  return hasTimes && (tokens.tokenType !== 'dpop' || isJsonObject(tokens.dpopJwk)) ? tokens : undefined;
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Answers what of granted tokens is kept as it came. */
export function membersOf(
  granted: GrantedTokens,
  now: number,
): Pick<StoredTokens, 'accessToken' | 'tokenType' | 'refreshToken' | 'granted' | 'obtainedAt' | 'expiresAt'> {
  const { accessToken, tokenType, refreshToken, scope, expiresIn } = granted;
  return {
    accessToken,
    tokenType,
    obtainedAt: now,
    // One that is over when it is given is found out by using it.
    ...(expiresIn === undefined || expiresIn <= 0 ? {} : { expiresAt: now + expiresIn * 1000 }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { granted: parseScope(scope) }),
  };
}

/** Answers whether tokens are over at a time in milliseconds since 1970. */
export function isExpired({ expiresAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}
