import type { AuthorizationServer } from 'oauth4webapi';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import { type Failure, getDocument } from './get-document.ts';
import { toReachableUrl } from './reachable-url.ts';
import { textsOf } from './texts-of.ts';

/** What is needed to find the metadata of an authorization server. */
interface ServerMetadataRequest {
  readonly issuer: string;
  /** The MCP server that named it. */
  readonly server: URL;
  readonly signal: AbortSignal;
}

/** Why no metadata was usable; `isMissing` where there is none, as far as hosts that answered can tell. */
export interface NoServerMetadata {
  readonly failure: string;
  readonly isMissing: boolean;
}

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'pushed_authorization_request_endpoint',
];
const LISTS = [
  'scopes_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
];

/**
 * Finds the metadata of an authorization server at the places that its issuer stands for, in the order of the
 * specification. A document counts only when its issuer is, character for character, the one that was looked for; a
 * list in it that is none counts as absent.
 *
 * Spec: basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery (2026-07-28); RFC
 * 8414 sections 3.1 and 3.3.
 */
export async function findServerMetadata(
  context: PeerContext,
  fetch: BoundedFetch,
  { issuer, server, signal }: ServerMetadataRequest,
): Promise<AuthorizationServer | NoServerMetadata> {
  const url = toReachableUrl(context, 'the authorization server', issuer, server);
  const failures: Failure[] = [];
  let mismatch: string | undefined;
  for (const place of placesOf(url)) {
    const { document, failure } = await getDocument(fetch, place, signal);
    if (document === undefined) {
      failures.push(failure);
      continue;
    }
    if (document['issuer'] === issuer) return readServerMetadata(context, document, server);
    mismatch ??= describeMismatch(issuer, document['issuer']);
  }
  const isMissing = mismatch === undefined && failures.every(({ isOutage }) => !isOutage);
  return { failure: mismatch ?? failures.map(({ reason }) => reason).join('; '), isMissing };
}

/** Answers whether a search for metadata found none. */
export function isNoServerMetadata(found: AuthorizationServer | NoServerMetadata): found is NoServerMetadata {
  return 'failure' in found;
}

/**
 * Answers what a server of revision 2025-03-26 without metadata stands for: its origin with the default endpoints.
 * Spec: basic/authorization#fallbacks-for-servers-without-metadata-discovery (2025-03-26).
 */
export function defaultServerMetadata({ origin }: URL): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
}

function placesOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, '');
  if (path === '') return [origin + OAUTH, origin + OPENID];
  return [origin + OAUTH + path, origin + OPENID + path, origin + path + OPENID];
}

function readServerMetadata(
  context: PeerContext,
  document: Readonly<Record<string, unknown>>,
  server: URL,
): AuthorizationServer {
  for (const name of ENDPOINTS) {
    const endpoint = document[name];
    if (endpoint !== undefined) toReachableUrl(context, `the ${name} of its authorization server`, endpoint, server);
  }
  if (document['token_endpoint'] === undefined) {
    throw context.fail('authorization', 'the metadata of its authorization server has no token_endpoint.');
  }
  // What else is read is checked where it is read, by oauth4webapi, too.
  return withLists(document) as AuthorizationServer;
}

/** Answers metadata in which what must be a list of texts is one, or absent. */
export function withLists(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const lists = LISTS.flatMap((name) => {
    const texts = textsOf(metadata[name]);
    return texts === undefined ? [] : [[name, texts] as const];
  });
  return Object.fromEntries([...Object.entries(metadata).filter(([name]) => !LISTS.includes(name)), ...lists]);
}

function describeMismatch(issuer: string, found: unknown): string {
  const other = typeof found === 'string' ? `"${excerpt(found)}"` : 'none';
  const isSlash = typeof found === 'string' && found.replace(/\/$/, '') === issuer.replace(/\/$/, '');
  const hint = isSlash
    ? 'They differ in the slash at the end: have it corrected in authorization_servers of the MCP server, or in the issuer.'
    : 'The two must be identical.';
  return `the authorization server "${excerpt(issuer)}" calls itself ${other}, so it is not used. ${hint}`;
}
