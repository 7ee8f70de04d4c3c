import type { KnownOptions } from '@switchyard/protocol';

import type { ClientCounts } from '../dispatch/client-counts.ts';
import type { ParsingOptions } from '../dispatch/incoming.ts';
import type { LegacyAdapter, LegacyChoice } from '../dispatch/legacy-adapter.ts';
import type { OpenStreamOptions } from '../limits/open-streams.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { AdmissionOptions } from './admission.ts';
import type { OriginOptions } from './origin-policy.ts';

/**
 * How an endpoint is served over HTTP. Nothing is there that is not asked for: no old clients, no limit of the rate.
 */
export interface EndpointHttpOptions extends OriginOptions, AdmissionOptions, ParsingOptions, OpenStreamOptions {
  /**
   * Largest request body in bytes: default 4 MiB; `Infinity` for any. A larger one gets 413 and is not read further.
   */
  readonly maxBodyBytes?: number;
  /**
   * How long a body may take to come, in milliseconds of at least 1: default 30,000; `Infinity` for any time. After it
   * the request gets 408.
   */
  readonly bodyTimeoutMs?: number;
  /**
   * Interval of keep-alive comments on a streamed response, in milliseconds of at least 1: default 15,000; `Infinity`
   * for none.
   */
  readonly keepAliveMs?: number;
  /**
   * How many requests are read and run at a time, and how many callers wait for `authenticate`: default 1,000;
   * `Infinity` for any. One more gets 503 with `Retry-After` and -32603, and does not run.
   */
  readonly maxRunningRequests?: number;
  /**
   * Counts the requests of authenticated callers; one too many gets 429 with `Retry-After` and -32603, and does not
   * run. Default: nobody counts them.
   */
  readonly rateLimit?: RateLimiter;
  /**
   * Lets clients of the revisions before 2026-07-28 in, see `legacyClients`. Default: they are left out: they get 405
   * for GET and DELETE, and to `initialize` an error that names the versions.
   */
  readonly legacy?: LegacyAdapter;
  /** Counts requests by revision and client. Default: nobody does. */
  readonly counts?: ClientCounts;
}

/** How a server is served over HTTP: as an endpoint, and to old clients as well. */
export interface HttpOptions extends Omit<EndpointHttpOptions, 'legacy'>, LegacyChoice {}

/** The members of {@link HttpOptions}, and of {@link EndpointHttpOptions}. */
export const httpOptions: KnownOptions<HttpOptions> = {
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  keepAliveMs: true,
  maxRunningRequests: true,
  rateLimit: true,
  legacy: true,
  counts: true,
  allowedHosts: true,
  allowedOrigins: true,
  authenticate: true,
  authenticateTimeoutMs: true,
  protectedResource: true,
  onSecurityEvent: true,
  maxDepth: true,
  maxOpenStreams: true,
  maxOpenStreamsPerCaller: true,
};
