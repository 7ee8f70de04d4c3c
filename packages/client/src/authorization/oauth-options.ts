import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';
import type { ClientWarning } from '../peer/client-warning.ts';
import type { Clock } from '../peer/clock.ts';
import type { Fetch } from '../http/fetch.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { assertMilliseconds, assertPositive } from '../timing/assert-limits.ts';
import { authorizationCodeGrant } from './authorization-code-grant.ts';
import { assertRedirectUri, problemOfClientUrl } from './client-metadata.ts';
import type { ClientSources, PreRegisteredClient } from './client-registration.ts';
import type { Grant } from './grant.ts';
import { toReachableUrl } from './reachable-url.ts';
import type { Redirect } from './redirect.ts';
import type { TokenStore } from './token-store.ts';
import type { DpopUse } from './token-work.ts';

/** How a client comes to tokens for one MCP server. Durations are in milliseconds. */
export interface OAuthCredentialsOptions {
  /** The URL of the MCP server, as it is connected to: HTTPS, or HTTP on this machine. Tokens go to its origin only. */
  readonly serverUrl: string | URL;
  /** How a user agrees in a browser. Either this or {@link grant}. */
  readonly redirect?: Redirect;
  /** Another way to a token, such as that of a machine. */
  readonly grant?: Grant;
  /** A client that was registered by hand: comes first. */
  readonly client?: PreRegisteredClient;
  /** The URL of a published Client ID Metadata Document, as `createClientMetadata` makes it: comes second. */
  readonly clientMetadataUrl?: string;
  /** The redirect URIs of that document. Default: that of {@link redirect}. With another one the document is not used. */
  readonly clientMetadataRedirectUris?: readonly string[];
  /** What users are shown by an authorization server where the client registers itself. Default: `Switchyard`. */
  readonly clientName?: string;
  /** Keeps tokens and registrations. Default: they are forgotten with the process. */
  readonly store?: TokenStore;
  /** Scopes that are always asked for, separated by spaces. Default: what the server asks for, or says that it needs. */
  readonly scope?: string;
  /**
   * Whether tokens are bound to a key (DPoP). Default `when-supported`: where the MCP server and the authorization server
   * both say that they can.
   */
  readonly dpop?: DpopUse;
  /** How often one operation may make the client ask for more scopes within ten minutes; 0 for never. Default 3. */
  readonly maxStepUps?: number;
  /** How long a user may take. Default 300,000. */
  readonly authorizationTimeoutMs?: number;
  /** How long one answer of an authorization server may take. Default 10,000. */
  readonly httpTimeoutMs?: number;
  /** The name of the server in errors. Default: its URL without query. */
  readonly name?: string;
  /** What requests to authorization servers go through. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** Takes what is survived, such as a store that did not keep a new token (`token-not-stored`). */
  readonly onWarning?: (warning: ClientWarning) => void;
  /** Where durations come from. Default: the platform. */
  readonly clock?: Clock;
  /** Milliseconds since 1970, for the times that stand in tokens. Default: those of the platform. */
  readonly epochNow?: () => number;
  /** Random bytes for `state` and PKCE. Default: those of the platform. */
  readonly randomBytes?: (length: number) => Uint8Array;
}

const oauthOptions: KnownOptions<OAuthCredentialsOptions> = {
  serverUrl: true,
  redirect: true,
  grant: true,
  client: true,
  clientMetadataUrl: true,
  clientMetadataRedirectUris: true,
  clientName: true,
  store: true,
  scope: true,
  dpop: true,
  maxStepUps: true,
  authorizationTimeoutMs: true,
  httpTimeoutMs: true,
  name: true,
  fetch: true,
  onWarning: true,
  clock: true,
  epochNow: true,
  randomBytes: true,
};

const clientOptions: KnownOptions<PreRegisteredClient> = {
  clientId: true,
  privateKey: true,
  keyId: true,
  secret: true,
  authMethod: true,
  issuer: true,
};

/** Throws a `TypeError` for an option that there is not. */
export function assertOAuthOptions(options: OAuthCredentialsOptions): void {
  assertKnownOptions('createOAuthCredentials', options, oauthOptions);
  if (options.client !== undefined) assertKnownOptions('createOAuthCredentials, client', options.client, clientOptions);
}

/** Answers the URL of the server without user, password and fragment; throws a `ClientError` for one that cannot be used. */
export function readServerUrl(context: PeerContext, given: string | URL): URL {
  const url = URL.parse(given);
  if (url === null) throw context.fail('invalid-argument', 'serverUrl is no URL.');
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  bare.hash = '';
  const asArgument = { fail: (_: string, message: string) => context.fail('invalid-argument', message) };
  return toReachableUrl(asArgument, 'serverUrl', bare.href, bare);
}

/** Answers the grant; throws a `ClientError` unless there is just one. */
export function readGrant(context: PeerContext, { redirect, grant, randomBytes }: OAuthCredentialsOptions): Grant {
  if (redirect !== undefined && grant === undefined) {
    assertRedirectUri(context, redirect.uri);
    return authorizationCodeGrant(randomBytes === undefined ? { redirect } : { redirect, randomBytes });
  }
  if (redirect === undefined && grant !== undefined) return grant;
  throw context.fail('invalid-argument', 'give either redirect, for a user who agrees in a browser, or grant.');
}

/** Answers where the client can come from; throws a `ClientError` for what cannot be used. */
export function readSources(
  context: PeerContext,
  { client, clientMetadataUrl: url, clientMetadataRedirectUris, clientName = 'Switchyard' }: OAuthCredentialsOptions,
  { redirectUri }: Grant,
): ClientSources {
  const problem = url === undefined ? undefined : problemOfClientUrl(url);
  if (problem !== undefined) throw context.fail('invalid-argument', `clientMetadataUrl ${problem}.`);
  const listed = clientMetadataRedirectUris ?? (redirectUri === undefined ? [] : [redirectUri]);
  const metadata = url === undefined ? {} : { metadata: { url, redirectUris: listed } };
  return { preRegistered: client, ...metadata, name: clientName, redirectUri };
}

/** Answers the limits, with their defaults; throws a `ClientError` for one that cannot be kept. */
export function readLimits(
  context: PeerContext,
  options: OAuthCredentialsOptions,
): Required<Pick<OAuthCredentialsOptions, 'maxStepUps' | 'authorizationTimeoutMs' | 'httpTimeoutMs'>> {
  const { maxStepUps = 3, authorizationTimeoutMs = 300_000, httpTimeoutMs = 10_000 } = options;
  assertMilliseconds(context, 'authorizationTimeoutMs', authorizationTimeoutMs);
  assertMilliseconds(context, 'httpTimeoutMs', httpTimeoutMs);
  if (maxStepUps !== 0) assertPositive(context, 'maxStepUps', maxStepUps);
  return { maxStepUps, authorizationTimeoutMs, httpTimeoutMs };
}
