import { customFetch } from 'oauth4webapi';
import { ClientError } from '../peer/client-error.ts';
import { withDeadline } from '../timing/deadline.ts';
import { describeUrl } from '../http/endpoint.ts';
import type { Fetch } from '../http/fetch.ts';
import { readBody } from '../http/read-body.ts';
import { secretsOfHeader } from '../http/secrets-of.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { GrantHttpOptions, GrantRequestInit } from './grant.ts';
import { toReachableUrl } from './reachable-url.ts';

/** How authorization servers and metadata are reached. */
export interface BoundedFetchOptions {
  readonly context: PeerContext;
  readonly fetch: Fetch;
  /** The MCP server, which decides what URLs may be reached: {@link toReachableUrl}. */
  readonly server: URL;
  /** How long one answer may take to its last byte, in milliseconds. */
  readonly timeoutMs: number;
}

/** Gets one answer in full; redirects are not followed. */
export type BoundedFetch = (url: string, init: GrantRequestInit) => Promise<Response>;

const MAX_RESPONSE_BYTES = 256 * 1024;
/** What of a form is no secret; whatever else is in one, also of a grant of the caller's, is taken for a secret. */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set([
  'audience',
  'client_assertion_type',
  'client_id',
  'code_challenge_method',
  'grant_type',
  'prompt',
  'redirect_uri',
  'requested_token_type',
  'resource',
  'response_type',
  'scope',
  'subject_token_type',
]);
/** What of an answer counts; challenges of a token endpoint say nothing that its body does not. */
const KEPT_HEADERS = ['content-type', 'dpop-nonce', 'location', 'retry-after'];

/**
 * Creates the function through which everything goes that is no MCP message: URLs as {@link toReachableUrl} has them,
 * one answer of at most 256 KiB within its time, no redirects, no credentials but those that the caller gives. What is
 * sent as a secret is masked from then on, since whoever is asked may say it back. It rejects with a `ClientError`
 * (`authorization`, `connect-failed`, `timeout`), or the reason of the signal; what was sent is in none.
 */
export function createBoundedFetch({ context, fetch, server, timeoutMs }: BoundedFetchOptions): BoundedFetch {
  return (given, { method, headers, body, signal }) => {
    const url = toReachableUrl(context, 'a URL of the authorization', given, server);
    const shown = describeUrl(url);
    for (const secret of secretsSent(headers, body)) context.learnSecret(secret);
    const limits = { what: `the answer of ${shown}`, signal, totalMs: timeoutMs, totalOption: 'httpTimeoutMs' };
    return withDeadline(context, limits, async (deadline) => {
      const init = { method, headers, signal: deadline.signal, redirect: 'manual' as const };
      try {
        const response = await fetch(url.href, body === undefined ? init : { ...init, body: toText(body) });
        const read = await readBody(response.body, MAX_RESPONSE_BYTES);
        if (read.isCut) throw context.fail('authorization', `${shown} answered more than ${MAX_RESPONSE_BYTES} bytes.`);
        const kept = KEPT_HEADERS.flatMap((name) => {
          const value = response.headers.get(name);
          return value === null ? [] : [[name, value] as [string, string]];
        });
        const empty = [204, 205, 304].includes(response.status);
        return new Response(empty ? null : Uint8Array.from(read.bytes), { status: response.status, headers: kept });
      } catch (error) {
        if (deadline.signal.aborted) throw deadline.signal.reason;
        if (error instanceof ClientError) throw error;
        // What was thrown may hold the request, and with it a secret: of a failed connection its code is enough.
        throw context.fail('connect-failed', `${shown} could not be reached${codeOf(error)}.`);
      }
    });
  };
}

/** Answers the options by which oauth4webapi uses a bounded fetch, which has its own rule for HTTP. */
export function httpOptionsOf(bounded: BoundedFetch, signal: AbortSignal): GrantHttpOptions {
  return { [customFetch]: bounded, signal };
}

/** Answers what of a request to an authorization server says who asks: what is in its form, and what identifies a client. */
function secretsSent(headers: Readonly<Record<string, string>>, body: unknown): readonly string[] {
  const { authorization } = headers;
  const form = body instanceof URLSearchParams ? [...body] : [];
  return [
    ...(authorization === undefined ? [] : secretsOfHeader('authorization', authorization)),
    ...form.filter(([name]) => !SHOWN_PARAMETERS.has(name)).map(([, value]) => value),
  ];
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
}

/** What oauth4webapi sends is a form or JSON. */
function toText(body: unknown): string {
  return body instanceof URLSearchParams ? body.toString() : (body as string);
}
