import { type KnownOptions, toBound, toMilliseconds } from '@switchyard/protocol';

import { BodyBytes } from '../exchange/body-bytes.ts';
import { AuthorizationServerError } from './authorization-server-error.ts';

/** How an authorization server is reached. */
export interface FetchOptions {
  /** Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long one response may take, to its last byte, in milliseconds of at least 1: default 5,000. */
  readonly timeoutMs?: number;
  /** Largest response in bytes: default 256 KiB for metadata and keys, 64 KiB for answers about tokens and new ones. */
  readonly maxResponseBytes?: number;
  /** Milliseconds of a monotonic clock, by which what was answered grows old. Default: `performance.now`. */
  readonly now?: () => number;
}

/** The members of {@link FetchOptions}. */
export const fetchOptions: KnownOptions<FetchOptions> = {
  fetch: true,
  timeoutMs: true,
  maxResponseBytes: true,
  now: true,
};

/**
 * The clock of {@link FetchOptions}: the time of day may be set back, and an answer that is no longer good would count
 * for longer.
 */
export const monotonicNow = (): number => performance.now();

/** Gets one response, read to its end. */
export type BoundedFetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * Makes the function that asks an authorization server: one response in full, within its time and size. Redirects are
 * not followed, since whoever could redirect would choose the keys.
 *
 * @throws TypeError when an option is out of range; (the function, as a rejection) AuthorizationServerError, which
 *   names the URL without its query.
 */
export function createBoundedFetch(options: FetchOptions = {}): BoundedFetch {
  const { fetch = globalThis.fetch } = options;
  const timeoutMs = toMilliseconds('timeoutMs', options.timeoutMs ?? 5_000, 1);
  const maxResponseBytes = toBound('maxResponseBytes', options.maxResponseBytes ?? 256 * 1024);
  return async (url, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const { origin, pathname } = new URL(url);
    const asked = origin + pathname;
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      const body = await readBody(response, maxResponseBytes);
      if (body === undefined)
        throw new AuthorizationServerError(`${asked} answered more than ${maxResponseBytes} bytes`);
      return new Response(body.length === 0 ? null : body.slice(), {
        status: response.status,
        headers: response.headers,
      });
    } catch (error) {
      if (error instanceof AuthorizationServerError) throw error;
      const why = timeout.aborted ? `did not answer within ${timeoutMs} ms` : 'could not be reached';
      // What was thrown may hold the request, and with it a token: of a failed connection its code is enough.
      throw new AuthorizationServerError(`${asked} ${why}${codeOf(error)}`);
    }
  };
}

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const body = new BodyBytes(maxBytes);
  for await (const chunk of response.body ?? []) if (!body.add(chunk)) return undefined;
  return body.all();
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
}
