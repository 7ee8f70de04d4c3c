import type { JWK } from 'jose';
import { isJsonObject } from '@switchyard/protocol';

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
}

/** Where a server's tokens are: the last authorization server, client and resource that it was used with. */
export interface StoredPlace {
  readonly issuer: string;
  readonly clientId: string;
  readonly resource: string;
}

/** Answers a key of the store. Parts are told apart whatever they hold. */
export function storeKey(kind: 'tokens' | 'client' | 'place' | 'pre-registered', ...parts: readonly string[]): string {
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
  const isWhole = Array.isArray(tokens?.scopes) && (tokens?.tokenType !== 'dpop' || isJsonObject(tokens.dpopJwk));
  return isWhole ? tokens : undefined;
}
