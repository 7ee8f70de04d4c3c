import type { HeaderFields } from '../message/connection.ts';
import { type Challenge, parameterOf } from '../http/parse-challenges.ts';
import { parseScope } from './scopes.ts';
import type { LiveToken } from './token-keeper.ts';

/** The request that a token goes with. */
interface TokenRequestHead {
  readonly httpMethod: string;
  readonly url: string;
  /** The last one that the server gave. */
  readonly nonce: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const MAX_CHALLENGED_SCOPES = 100;

/** Answers the field of a token that is bound to no key; none where there is no token. Spec: RFC 6750 section 2.1. */
export function bearerFields(live: LiveToken | undefined): HeaderFields {
  return live === undefined ? {} : { authorization: `Bearer ${live.tokens.accessToken}` };
}

/** Answers the fields of a token, with the proof of its key where it is bound to one. Spec: RFC 9449 section 7.1. */
export async function fieldsOf(live: LiveToken | undefined, head: TokenRequestHead): Promise<HeaderFields> {
  if (live?.key === undefined) return bearerFields(live);
  const { accessToken } = live.tokens;
  return { authorization: `DPoP ${accessToken}`, dpop: await live.key.prove({ ...head, accessToken }) };
}

/** Answers the token of a field. */
export function tokenOf(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^\S+ /, '');
}

/** Answers the scopes that challenges name, the first hundred of them. */
export function challengedScopes(challenges: readonly Challenge[]): readonly string[] {
  return parseScope(parameterOf(challenges, 'scope').join(' ')).slice(0, MAX_CHALLENGED_SCOPES);
}
