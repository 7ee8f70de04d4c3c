import type { HttpHead } from '../exchange/http-exchange.ts';

/**
 * What the `Authorization` header holds: a token, nothing for us (`none` says why), or a `problem` that RFC 6750
 * answers with 400.
 */
export type Credentials =
  | { readonly scheme: 'bearer' | 'dpop'; readonly token: string }
  | { readonly none: 'no-credentials' | 'other-scheme' }
  | { readonly problem: string; readonly reason: string };

const CREDENTIALS = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +([^ ].*))?$/;
const TOKEN68 = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads a token from the header, the only place where it may stand: one in the query string is in every log on its way.
 * Two headers are refused, since whoever looked in front may have read the other one. Credentials of a foreign scheme
 * are none.
 *
 * Spec: basic/authorization#token-requirements (2026-07-28); OAuth 2.1 section 5.1.1, RFC 6750 sections 2 and 3.1.
 */
export function readCredentials(head: HttpHead): Credentials {
  if (/[?&]access_token=/.test(head.target))
    return {
      problem: 'A token must not stand in the URL: send it in the Authorization header',
      reason: 'token-in-url',
    };
  const header = head.header('authorization');
  if (header === undefined) return { none: 'no-credentials' };
  const [, scheme = '', token] = CREDENTIALS.exec(header) ?? [];
  const known = scheme.toLowerCase();
  if (known !== 'bearer' && known !== 'dpop') {
    return scheme === ''
      ? { problem: 'The Authorization header is malformed', reason: 'malformed-header' }
      : { none: 'other-scheme' };
  }
  if (token?.includes(','))
    return { problem: 'Send the Authorization header once, with one token', reason: 'several-credentials' };
  if (token === undefined || !TOKEN68.test(token))
    return { problem: `The Authorization header holds no token after ${scheme}`, reason: 'malformed-header' };
  return { scheme: known, token };
}
