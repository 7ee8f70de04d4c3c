import { isLoopbackUrl } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { excerpt } from '../peer/excerpt.ts';

/** What a Client ID Metadata Document is made of. */
export interface ClientMetadataOptions {
  /** Where the document is going to be published: HTTPS, with a path. */
  readonly url: string;
  /** What users are shown. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/**
 * Answers the Client ID Metadata Document to publish, as JSON, at its own URL. A public client on the user's machine
 * lists `http://127.0.0.1/callback` without a port: an authorization server lets the port of a loopback address differ.
 * Throws a TypeError for a URL that cannot be a client's identifier.
 *
 * Spec: basic/authorization/client-registration#implementation-requirements (2026-07-28).
 */
export function createClientMetadata({
  url,
  name,
  redirectUris,
}: ClientMetadataOptions): Readonly<Record<string, unknown>> {
  const problem = problemOfClientUrl(url);
  if (problem !== undefined) throw new TypeError(`The URL of a client's metadata ${problem}.`);
  return {
    client_id: url,
    client_name: name,
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** Answers why a URL cannot be a client's identifier; `undefined` where it can. */
export function problemOfClientUrl(given: string): string | undefined {
  const url = URL.parse(given);
  if (url === null || url.protocol !== 'https:') return 'must be an https: URL';
  if (url.pathname === '/') return 'must have a path, such as /client.json';
  if (url.hash !== '' || given.includes('#')) return 'must have no fragment';
  if (url.username !== '' || url.password !== '') return 'must have no user and no password';
  // It is compared character for character; what a URL parser would write otherwise differs there.
  return url.href === given ? undefined : `must be written as ${excerpt(url.href)}`;
}

/** Answers whether a redirect URI is one of a list: the same, or at a loopback host another port of the same. */
export function isRedirectListed(uri: string, listed: readonly string[]): boolean {
  return listed.some((one) => one === uri || (withoutPort(one) === withoutPort(uri) && withoutPort(uri) !== undefined));
}

/** Answers the key of a redirect URI under which a registration counts: RFC 8252 section 7.3 lets loopback ports differ. */
export function redirectKey(uri: string): string {
  const url = URL.parse(uri);
  const isAddress = url !== null && isLoopbackUrl(url) && url.hostname !== 'localhost';
  return isAddress ? (withoutPort(uri) ?? uri) : uri;
}

function withoutPort(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null || url.protocol !== 'http:' || !isLoopbackUrl(url)) return undefined;
  url.port = '';
  return url.href;
}

/** Answers the kind of application that a redirect URI tells. Spec: client-registration#application-type-and-redirect-uri-constraints. */
export function applicationTypeOf(uri: string): 'native' | 'web' {
  const url = URL.parse(uri);
  return url !== null && url.protocol === 'https:' && !isLoopbackUrl(url) ? 'web' : 'native';
}

/**
 * Throws a `ClientError` of code `invalid-argument` unless a code can come back to a URI without others seeing it:
 * HTTPS, or HTTP on a loopback host. Spec:
 * basic/authorization/security-considerations#communication-security (2026-07-28).
 */
export function assertRedirectUri(context: Pick<PeerContext, 'fail'>, uri: string): void {
  const url = URL.parse(uri);
  const isSafe =
    url !== null && url.hash === '' && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(url)));
  if (!isSafe) {
    throw context.fail(
      'invalid-argument',
      'redirect.uri must be an https: URL, or http: on localhost, 127.0.0.1 or [::1], without a fragment.',
    );
  }
}
