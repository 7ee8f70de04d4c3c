import type { HttpHead, HttpHeaders } from '../exchange/http-exchange.ts';

const MAX_AGE_SECONDS = '600';
/** What a client in a browser needs to answer a challenge, and may not read otherwise. */
const EXPOSED_HEADERS = 'WWW-Authenticate, DPoP-Nonce, MCP-Session-Id';

/** Answers the headers that let the page of an origin read a response; `undefined` for a caller who sends none. */
export function corsHeaders(head: HttpHead): HttpHeaders | undefined {
  const origin = head.header('origin');
  return origin === undefined
    ? undefined
    : { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS, vary: 'origin' };
}

/** Answers the headers that let a browser send the request that it asks about. */
export function preflightHeaders(head: HttpHead): HttpHeaders {
  return {
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': head.header('access-control-request-headers') ?? 'content-type',
    'access-control-max-age': MAX_AGE_SECONDS,
  };
}
