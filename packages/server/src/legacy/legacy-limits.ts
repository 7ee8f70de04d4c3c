import { type KnownOptions, toBound, toMilliseconds } from '@switchyard/protocol';

/** What an old client may cost. */
export interface LegacyLimitOptions {
  /**
   * How long a session may go unused, in milliseconds: default 30 minutes. Running requests and an open stream are use.
   */
  readonly idleMs?: number;
  /**
   * How many sessions there are over HTTP: default 1,000. For one more, that session ends which was unused for longest;
   * where all are in use, it is refused with 503.
   */
  readonly maxSessions?: number;
  /** How many of them one caller has: default 100. Callers that nobody authenticated have no bound of their own. */
  readonly maxSessionsPerCaller?: number;
  /**
   * How long a client may take to answer an ask of a handler, in milliseconds: default 10 minutes, since people answer
   * them.
   */
  readonly askTimeoutMs?: number;
  /**
   * How many requests of all old clients may wait for an answer to an ask: default 1,000. They take no place of those
   * that run. What one more asks is rejected.
   */
  readonly maxWaitingRequests?: number;
  /** How many of them one caller has: default 100. Callers that nobody authenticated have no bound of their own. */
  readonly maxWaitingRequestsPerCaller?: number;
  /**
   * How many characters of JSON a client may say of itself and its capabilities at `initialize`, which a session keeps:
   * default 16,384. Icons are neither kept nor counted. More is refused with -32602.
   */
  readonly maxClientChars?: number;
  /** How many resources one session may subscribe to: default 1,000. */
  readonly maxSubscriptions?: number;
  /** How many characters their URIs may have together: default 131,072. */
  readonly maxSubscriptionChars?: number;
  /** How many messages a batch (2025-03-26) may hold: default 100. */
  readonly maxBatchMessages?: number;
  /** How many events of one stream are kept for a client that comes back: default 256. */
  readonly maxStreamEvents?: number;
  /** How many bytes of them: default 1 MiB. A larger message is sent, and cannot be sent again. */
  readonly maxStreamBytes?: number;
  /** How many bytes of all streams together: default 64 MiB. */
  readonly maxReplayBytes?: number;
  /** How many streams whose response was sent are kept in one session for a client that did not get it: default 16. */
  readonly maxEndedStreams?: number;
}

/** The members of {@link LegacyLimitOptions}. */
export const legacyLimitOptions: KnownOptions<LegacyLimitOptions> = {
  idleMs: true,
  maxSessions: true,
  maxSessionsPerCaller: true,
  askTimeoutMs: true,
  maxWaitingRequests: true,
  maxWaitingRequestsPerCaller: true,
  maxClientChars: true,
  maxSubscriptions: true,
  maxSubscriptionChars: true,
  maxBatchMessages: true,
  maxStreamEvents: true,
  maxStreamBytes: true,
  maxReplayBytes: true,
  maxEndedStreams: true,
};

/** The same with every default filled in. */
export type LegacyLimits = Required<LegacyLimitOptions>;

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

const counts = {
  maxSessions: 1_000,
  maxSessionsPerCaller: 100,
  maxWaitingRequests: 1_000,
  maxWaitingRequestsPerCaller: 100,
  maxClientChars: 16_384,
  maxSubscriptions: 1_000,
  maxSubscriptionChars: 131_072,
  maxBatchMessages: 100,
  maxStreamEvents: 256,
  maxStreamBytes: MIB,
  maxReplayBytes: 64 * MIB,
  maxEndedStreams: 16,
};

/**
 * Fills in the defaults.
 *
 * @throws TypeError when one is out of range.
 */
export function toLegacyLimits(options: LegacyLimitOptions): LegacyLimits {
  const limits = { ...counts };
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
    limits[name] = toBound(`legacy.${name}`, options[name] ?? counts[name]);
  }
  return {
    ...limits,
    idleMs: toMilliseconds('legacy.idleMs', options.idleMs ?? 30 * MINUTE_MS, 1),
    askTimeoutMs: toMilliseconds('legacy.askTimeoutMs', options.askTimeoutMs ?? 10 * MINUTE_MS, 1),
  };
}
