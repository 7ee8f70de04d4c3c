import {
  assertKnownOptions,
  type CacheHints,
  type Implementation,
  type KnownOptions,
  type Logger,
  toBound,
  toLimit,
  toMilliseconds,
} from '@switchyard/protocol';
import type { EventBus, RecordStore } from '@switchyard/stores';

import { httpOptions } from './http/http-options.ts';
import { assertIcons } from './definition/icons.ts';
import type { LoggedRequests } from './dispatch/endpoint.ts';
import { type RequestStateOptions, requestStateOptions } from './state/request-state.ts';
import type { TasksOptions } from './tasks/tasks-options.ts';

/** Who a server says it is, and what it tells every client. */
export interface ServerInfo extends Implementation {
  /** Guidance for whoever uses the server; no repetition of tool descriptions. */
  readonly instructions?: string;
}

/** The members of {@link ServerInfo}. */
const serverInfo: KnownOptions<ServerInfo> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
  instructions: true,
};

/** Options of `createServer`. */
export interface ServerOptions {
  /**
   * Where requests and failures are logged. Default: served by Node, pino on stderr; else (`toFetch`, `respond`, in memory) warnings and
   * errors go to the console, see `consoleLogger`. `silentLogger` drops all.
   */
  readonly logger?: Logger;
  /**
   * Which requests get a line in the log: `notable` ones, which failed, were cancelled or took a second, or `all`. Default `notable`. No line
   * holds arguments, results or metadata.
   */
  readonly logRequests?: LoggedRequests;
  /** Freshness of the lists: default 60,000 ms and `private`. */
  readonly cache?: Partial<CacheHints>;
  /** Entries on one page of a list: default 500. */
  readonly pageSize?: number;
  /** Makes the reference of an internal error. Default: random. */
  readonly createReference?: () => string;
  /**
   * How the state of handlers that ask for input travels. `false` for a server none of whose handlers does: it needs no keys, and an
   * ask that a client would have to answer is an internal error.
   */
  readonly state?: RequestStateOptions | false;
  /**
   * Remembers what must not happen twice, `ctx.once` and tools with `singleUse`, and keeps tasks. Memory for one process; SQLite,
   * PostgreSQL or Redis for several and for restarts. Default: none; effects and single use are refused, and tasks are in the memory of
   * this process, which other instances do not see and a restart loses.
   */
  readonly records?: RecordStore;
  /**
   * How long a handler of a tool, resource or prompt may run, in milliseconds: default 300,000; `Infinity` for any time. Then its signal
   * aborts with a `TimeoutError` and its caller gets an error (of a tool: a result with `isError`); whatever it still does is dropped.
   * An interceptor has the same time before `next` and after it; its caller gets -32603.
   */
  readonly timeoutMs?: number;
  /** Most characters of a response as JSON: default 16 Mi; `Infinity` for any. A longer one is -32603, which names the limit. */
  readonly maxResultChars?: number;
  /** Most characters of the arguments of a call as JSON: default 4 Mi, which is what a message has by default; `Infinity` for any. Longer ones are -32602. */
  readonly maxArgumentChars?: number;
  /** Bounds of the tasks that `ctx.task()` makes: how long they are kept, how many there are. */
  readonly tasks?: TasksOptions;
  /** How long the outcome of an effect is kept for later callers, in milliseconds: default 30 days. */
  readonly effectRetentionMs?: number;
  /**
   * Carries changes between the instances of a server, so that each tells its listeners. Default: each instance tells of its own.
   */
  readonly bus?: EventBus;
  /** Warn of mistakes that only an author can see, such as an ask that nobody awaits. Default: unless `NODE_ENV` is `production`. */
  readonly development?: boolean;
  /** Milliseconds of a monotonic clock. Default: `performance.now`. */
  readonly now?: () => number;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

/** The members of {@link ServerOptions}. */
export const serverOptions: KnownOptions<ServerOptions> = {
  logger: true,
  logRequests: true,
  cache: true,
  pageSize: true,
  createReference: true,
  state: true,
  records: true,
  timeoutMs: true,
  maxResultChars: true,
  maxArgumentChars: true,
  tasks: true,
  effectRetentionMs: true,
  bus: true,
  development: true,
  now: true,
  epochNow: true,
};

/** @throws TypeError when name or version is missing, or a member of one of them is none. */
export function assertServerOptions(info: ServerInfo, options: ServerOptions): void {
  assertKnownOptions('createServer, the first argument', info, serverInfo);
  assertKnownOptions('createServer, the second argument', options, serverOptions, {
    'serveHttp, toNode and toFetch': httpOptions,
  });
  if (options.state !== undefined && options.state !== false)
    assertKnownOptions('createServer, state', options.state, requestStateOptions);
  for (const member of ['name', 'version'] as const)
    if (typeof info[member] !== 'string')
      throw new TypeError(`createServer: ${member} is missing; pass { name, version }, both texts`);
  assertIcons(`server ${info.name}`, info.icons);
}

/** The limits of a server, each with its value. */
export type ServerLimits = Required<
  Pick<ServerOptions, 'pageSize' | 'effectRetentionMs' | 'timeoutMs' | 'maxResultChars' | 'maxArgumentChars'>
>;

/**
 * Answers the limits that options give, with defaults for the rest.
 *
 * @throws TypeError when one is out of range; the message names it.
 */
export function toServerLimits(options: ServerOptions): ServerLimits {
  const { timeoutMs = 300_000 } = options;
  return {
    pageSize: toLimit('pageSize', options.pageSize ?? 500, 1),
    effectRetentionMs: toBound('effectRetentionMs', options.effectRetentionMs ?? 30 * 24 * 60 * 60 * 1000),
    // Any time stays any time; what no timer can wait for is cut.
    timeoutMs: timeoutMs === Infinity ? timeoutMs : toMilliseconds('timeoutMs', timeoutMs, 1),
    maxResultChars: toBound('maxResultChars', options.maxResultChars ?? 16 * 1024 * 1024),
    maxArgumentChars: toBound('maxArgumentChars', options.maxArgumentChars ?? 4 * 1024 * 1024),
  };
}
