import type { ClientCapabilities, Implementation, KnownOptions, Notification } from '@switchyard/protocol';
import type { ResponseCache } from './cache/response-cache.ts';
import type { HttpCredentials } from './http/credentials.ts';
import type { Fetch } from './http/fetch.ts';
import type { HeaderSource } from './http/header-credentials.ts';
import type { IconsOptions } from './icons/icon-rules.ts';
import type { InputHandlers } from './input/input-handlers.ts';
import type { EraVerdict, VerdictCache } from './negotiate/era-verdict.ts';
import type { RestartOptions, RestartPolicy } from './negotiate/restart-policy.ts';
import type { ClientWarning } from './peer/client-warning.ts';
import type { Clock } from './peer/clock.ts';
import type { SkillsOptions } from './skills/skills-options.ts';
import type { ListName } from './subscriptions/change-feed.ts';
import type { TasksOptions } from './tasks/tasks-options.ts';
import type { CheckOptions } from './trust/check-options.ts';
import type { ResultSize } from './trust/result-size.ts';

/** How long a client waits, in milliseconds: 1 to 2,147,483,647. `CallOptions` may set the first two for one call. */
export interface TimeLimits {
  /** How long a server may be silent on a request. Default 60,000. */
  readonly timeoutMs?: number;
  /** How long a call may take whatever the progress. Default 600,000. */
  readonly maxTimeoutMs?: number;
  /** How long a start may take, from the process or the first request to the open session. Default 15,000. */
  readonly startTimeoutMs?: number;
  /** How long a server on stdio may be silent before `initialize` is tried, too. Default 5,000. */
  readonly probeTimeoutMs?: number;
}

/** How much a client takes from its server, and in what form. */
export interface MessageLimits {
  /** The largest message that is read, in bytes. Default 10 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * The largest result of a tool, resource or prompt, and where the contents of a larger one go. Default:
   * `maxMessageBytes`, which bounds what is read at all, is the only limit.
   */
  readonly resultSize?: ResultSize;
  /**
   * How many notifications of the server pass in a second: on a connection, and log messages of one call. Beyond that
   * log messages are dropped, and of the others the latest of a kind comes when there is room. Default 1,000.
   */
  readonly maxNotificationsPerSecond?: number;
  /**
   * Reads integers that a double cannot hold as `bigint`, and writes them so. Default: they are rounded, with a
   * warning.
   */
  readonly exactIntegers?: boolean;
}

/** How a server is reached over HTTP. On other transports these mean nothing. */
export interface HttpOptions {
  /**
   * HTTP headers of every request, such as `Authorization`, or a function that answers them: it is called before the
   * first request and again after an HTTP 401, and the refused request is repeated when the headers are others then.
   */
  readonly headers?: HeaderSource;
  /**
   * Who calls over HTTP, where that is more than headers, such as a token of an authorization server. Where both set
   * the same header, that of `credentials` wins, and it is asked first when the server refuses a request.
   */
  readonly credentials?: HttpCredentials;
  /** What HTTP goes through. Default: the platform's `fetch`, whose own time limits `connect` tells of. */
  readonly fetch?: Fetch;
}

/** What a client declares to its server, and how it takes what the extensions of the protocol offer. */
export interface FeatureOptions {
  /** What this client calls itself. Default: `switchyard` and its version. */
  readonly clientInfo?: Implementation;
  /** Who answers what the server asks for: forms, pages, questions to a model, roots. Default: nobody. */
  readonly input?: InputHandlers;
  /**
   * What this client can do for a server beyond what `input` answers, which is declared by itself. Default: nothing.
   * Each is an object, and the keys of `extensions` are identifiers like `com.example/my-extension`; anything else fails
   * with code `invalid-argument`. A legacy server is told of no extensions, since its revision has none.
   */
  readonly capabilities?: ClientCapabilities;
  /**
   * Takes tasks: a server may answer a tool call with a task, which `callTool` waits for and `startTask` hands out. The
   * extension is declared with each request. Default: no tasks; such calls run to their end, or the server refuses them.
   */
  readonly tasks?: true | TasksOptions;
  /** How skills are read. Default: heads in the plain part of YAML, and only skills that list their files. */
  readonly skills?: SkillsOptions;
  /** Which icons are taken, in lists and by `fetchIcon`. Default: those of the server's own origin, and those in `data:`. */
  readonly icons?: IconsOptions;
  /**
   * What is checked of tools, arguments and results; `false` switches the checks off, for a caller that has its own.
   * Links with unsafe schemes are dropped in any case.
   */
  readonly checks?: CheckOptions | false;
}

/** What is known of the server beforehand, and when one that ended is started again. */
export interface StartOptions {
  /**
   * What an earlier client learned of this server: its `verdict`. It saves the question which era the server is of;
   * where it proves wrong, at the start or later, it is corrected. What is no verdict counts as none. It wins over what
   * `verdicts` has.
   */
  readonly prior?: EraVerdict | undefined;
  /**
   * Where verdicts on servers are kept for all clients that get the same cache. Default: each client keeps its own for
   * as long as it lives.
   */
  readonly verdicts?: VerdictCache;
  /**
   * When a server that keeps ending is started again, and when calls are refused with `circuit-open` instead. A policy
   * of `createRestartPolicy` is shared with the other clients that get it. Default: five short lives in a row open
   * the circuit for 30 seconds.
   */
  readonly restart?: RestartOptions | RestartPolicy;
  /** Gives up connecting. It does not end a client that is connected. */
  readonly signal?: AbortSignal;
}

/** What a client keeps of the answers that it got, and how it hears that they changed. */
export interface CachingOptions {
  /**
   * Where answers are kept for as long as their server allows. `false`: nowhere, and equal requests are not shared
   * either. Default: in memory, for this client alone: 1,000 answers and 32 MiB at most. What comes out of a cache is
   * frozen.
   */
  readonly cache?: ResponseCache | false;
  /**
   * Told that a list changed. With it the client listens to all lists that the server tells of, by itself and for as
   * long as it lives, and looks for what it missed after each return: see `Client.subscribe`.
   */
  readonly onListChanged?: (list: ListName) => unknown;
  /**
   * Whether the client listens to lists by itself, so that answers are not kept longer than they are true. Default: with
   * `onListChanged`, which is told of nothing otherwise. A server of a modern revision tells nobody of a change who does
   * not listen; the cache then goes by the times that it gave.
   */
  readonly listensToLists?: boolean;
}

/** What a program is told beside the answers to its calls. */
export interface NoticeOptions {
  /** Takes what was survived; without it such things are silent. Its own failure is ignored. */
  readonly onWarning?: (warning: ClientWarning) => void;
  /**
   * Takes the server's notifications until the client is closed: all but progress, acknowledgements, and log messages
   * that come while a call runs. A legacy server sends them as it likes; a modern one sends them on subscriptions, whose
   * own callbacks get them as well. Where it throws, or answers a promise that rejects, there is a warning.
   */
  readonly onNotification?: (notification: Notification) => void;
}

/** What stands in for the platform, such as in tests. */
export interface PlatformOptions {
  /** Where time comes from. Default: the platform. */
  readonly clock?: Clock;
  /** Answers a number from 0 up to 1, for waits that clients must not have in common. Default: the platform. */
  readonly random?: () => number;
}

/** How to reach a server. Durations are in milliseconds. A name that is not among them is a `TypeError`. */
export interface ConnectOptions
  extends
    TimeLimits,
    MessageLimits,
    HttpOptions,
    FeatureOptions,
    StartOptions,
    CachingOptions,
    NoticeOptions,
    PlatformOptions {
  /** The name that every message gives the server. Default: what the transport reaches, without credentials. */
  readonly name?: string;
}

/** The names of all {@link ConnectOptions}. */
export const connectOptions: KnownOptions<ConnectOptions> = {
  name: true,
  timeoutMs: true,
  maxTimeoutMs: true,
  startTimeoutMs: true,
  probeTimeoutMs: true,
  maxMessageBytes: true,
  resultSize: true,
  maxNotificationsPerSecond: true,
  exactIntegers: true,
  headers: true,
  credentials: true,
  fetch: true,
  clientInfo: true,
  input: true,
  capabilities: true,
  tasks: true,
  skills: true,
  icons: true,
  checks: true,
  prior: true,
  verdicts: true,
  restart: true,
  signal: true,
  cache: true,
  onListChanged: true,
  listensToLists: true,
  onWarning: true,
  onNotification: true,
  clock: true,
  random: true,
};

/** The names of what `connect` of the node entry takes beyond those. */
export const nodeOptions = { proxy: true, baseEnv: true, tls: true, socketPath: true } as const;
