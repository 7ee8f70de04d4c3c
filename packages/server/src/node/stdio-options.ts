import type { Readable, Writable } from 'node:stream';

import type { KnownOptions, Principal } from '@switchyard/protocol';

import type { ClientCounts } from '../dispatch/client-counts.ts';
import type { ParsingOptions } from '../dispatch/incoming.ts';
import type { LegacyAdapter, LegacyChoice } from '../dispatch/legacy-adapter.ts';

/** How an endpoint is served over stdio. */
export interface EndpointStdioOptions extends ParsingOptions {
  /** Who calls, from configuration that the caller cannot change. Default: nobody. */
  readonly principal?: Principal;
  /** Longest line in bytes: default 4 MiB. A longer one is answered with -32600 and skipped. */
  readonly maxLineBytes?: number;
  /** How many requests run at a time: default 1,000; `Infinity` for any. One more gets -32603 and does not run. */
  readonly maxRunningRequests?: number;
  /**
   * How long running requests may go on after the input ended, in milliseconds: default 1,000. Then they are aborted.
   */
  readonly graceMs?: number;
  /** Default the process's own standard input and output. With its own, the process exits when the input ends. */
  readonly input?: Readable;
  readonly output?: Writable;
  /**
   * Lets a client of the revisions before 2026-07-28 in, see `legacyClients`. Default: it is left out: to `initialize`
   * it gets an error that names the versions.
   */
  readonly legacy?: LegacyAdapter;
  /** Counts requests by revision and client. Default: nobody does. */
  readonly counts?: ClientCounts;
}

/** How a server is served over stdio: as an endpoint, and to an old client as well. */
export interface ServeStdioOptions extends Omit<EndpointStdioOptions, 'legacy'>, LegacyChoice {}

/** The members of {@link ServeStdioOptions}. */
export const stdioOptions: KnownOptions<ServeStdioOptions> = {
  principal: true,
  maxLineBytes: true,
  maxRunningRequests: true,
  maxDepth: true,
  graceMs: true,
  input: true,
  output: true,
  legacy: true,
  counts: true,
};
