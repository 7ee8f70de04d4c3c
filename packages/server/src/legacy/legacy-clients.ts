import {
  assertKnownOptions,
  isLegacyRevision,
  type KnownOptions,
  type LegacyRevision,
  legacyRevisions,
  toMilliseconds,
} from '@switchyard/protocol';

import { randomText } from '../state/random-text.ts';
import { createLegacyAdapter, type LegacyAdapter, type LegacySite } from '../dispatch/legacy-adapter.ts';
import { createLegacyHttp } from './http/legacy-http.ts';
import { createLegacyConnection } from './legacy-connection.ts';
import { type LegacyLimitOptions, legacyLimitOptions, toLegacyLimits } from './legacy-limits.ts';
import { createLegacyDispatches, type LegacyShared } from './legacy-shared.ts';
import { createWaitingRequests } from './waiting-requests.ts';

/** Options of {@link legacyClients}. */
export interface LegacyOptions extends LegacyLimitOptions {
  /**
   * The revisions that are offered: default all from 2024-11-05 to 2025-11-25. A client that asks for another one gets
   * the newest.
   */
  readonly revisions?: readonly LegacyRevision[];
  /**
   * The HTTP+SSE transport of 2024-11-05: default not served. Then a GET without a session opens its stream, at the
   * path of the endpoint, and with `serveHttp` at a further `path` as well.
   *
   * @deprecated HTTP+SSE is deprecated since 2025-03-26 and may go from 2026-09-03 on: use Streamable HTTP.
   */
  readonly httpSse?: { readonly path?: string };
  /**
   * How long a response over HTTP may take, in milliseconds, before it becomes a stream that is kept alive and can be
   * resumed: default 1,000; `Infinity` for only when something precedes it.
   */
  readonly streamAfterMs?: number;
  /**
   * How long a stream over HTTP stays connected, in milliseconds: default `Infinity`. Clients of 2025-11-25 then come
   * back for the rest, which saves connections where calls take minutes.
   */
  readonly pollAfterMs?: number;
  /** How long they wait before they come back, in milliseconds: default 1,000. */
  readonly retryMs?: number;
  /** Makes ids of sessions, of visible ASCII. Default: 256 random bits. */
  readonly createSessionId?: () => string;
}

/** The members of {@link LegacyOptions}. */
export const legacyOptions: KnownOptions<LegacyOptions> = {
  ...legacyLimitOptions,
  revisions: true,
  httpSse: true,
  streamAfterMs: true,
  pollAfterMs: true,
  retryMs: true,
  createSessionId: true,
};

/**
 * Makes the adapter that lets clients of the revisions 2024-11-05 to 2025-11-25 in: `initialize`, sessions, streams
 * that can be resumed, `ping`, `logging/setLevel`, `resources/subscribe`, and requests of the server, by which the asks
 * of a handler reach the client. Handlers cannot tell: each request is served as one of this revision.
 *
 * Sessions are in the memory of one process. Where several serve one URL, a client must come back to the same one.
 *
 * Spec: basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28).
 *
 * @throws TypeError when an option is unknown or out of range.
 */
export function legacyClients(options: LegacyOptions = {}): LegacyAdapter {
  assertKnownOptions('legacyClients', options, legacyOptions);
  if (options.httpSse !== undefined) assertKnownOptions('legacyClients, httpSse', options.httpSse, { path: true });
  const limits = toLegacyLimits(options);
  const offered = toOffered(options.revisions);
  const streaming = {
    streamAfterMs: toMilliseconds('legacy.streamAfterMs', options.streamAfterMs ?? 1_000, 0),
    pollAfterMs:
      options.pollAfterMs === undefined ? Infinity : toMilliseconds('legacy.pollAfterMs', options.pollAfterMs, 1),
    retryMs: Math.ceil(toMilliseconds('legacy.retryMs', options.retryMs ?? 1_000, 0)),
    httpSse: options.httpSse !== undefined,
  };
  const createId = options.createSessionId ?? (() => randomText(SESSION_ID_BYTES));
  const shared = ({ endpoint, logger, counts, pause = keepPlace }: LegacySite): LegacyShared => ({
    endpoint,
    logger,
    limits,
    waiting: createWaitingRequests(limits, pause),
    counts,
    offered,
    createId,
    dispatchOf: createLegacyDispatches(endpoint, logger),
  });
  return createLegacyAdapter({
    ssePath: options.httpSse?.path,
    http: (site) => createLegacyHttp(shared(site), site, streaming),
    connection: (site) => createLegacyConnection(shared(site), site),
  });
}

function keepPlace(): () => void {
  return () => undefined;
}

const SESSION_ID_BYTES = 32;

function toOffered(given: readonly LegacyRevision[] = legacyRevisions): readonly LegacyRevision[] {
  const unknown = given.find((revision) => !isLegacyRevision(revision));
  if (unknown !== undefined || given.length === 0) {
    throw new TypeError(
      `legacy.revisions must name some of ${legacyRevisions.join(', ')}${unknown === undefined ? '' : `, not ${JSON.stringify(unknown)}`}`,
    );
  }
  return legacyRevisions.filter((revision) => given.includes(revision));
}
