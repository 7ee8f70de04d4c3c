import {
  type ClientCapabilities,
  type Implementation,
  isExtensionIdentifier,
  type Notification,
  ProtocolError,
  type Responder,
  saysListChanged,
} from '@switchyard/protocol';
import type { ResponseCache } from './cache/response-cache.ts';
import { toResponseCache } from './cache/to-response-cache.ts';
import { assertMilliseconds, assertPositive } from './timing/assert-limits.ts';
import { createCaller } from './call/caller.ts';
import { type Client, createClient } from './client.ts';
import { ClientError } from './peer/client-error.ts';
import type { ClientWarning } from './peer/client-warning.ts';
import type { Clock } from './peer/clock.ts';
import type { Transport } from './message/connection.ts';
import { quoted } from './peer/excerpt.ts';
import { type Fetch, openPlatformFetch, poolOf } from './http/fetch.ts';
import type { HttpCredentials } from './http/credentials.ts';
import type { HeaderSource } from './http/header-credentials.ts';
import type { HttpTransportOptions } from './http/http-options.ts';
import { createHttpTransport } from './http/http-transport.ts';
import { assertIconsOptions } from './icons/assert-icons-options.ts';
import { type IconsOptions, readTrustedOrigins } from './icons/icon-rules.ts';
import type { InputHandlers } from './input/input-handlers.ts';
import { setUpInput } from './input/input-setup.ts';
import { watchRoots } from './input/watch-roots.ts';
import { createSseTransport } from './http/sse-transport.ts';
import { createMemoryTransport } from './memory/memory-transport.ts';
import { type RestartOptions, type RestartPolicy, toRestartPolicy } from './negotiate/restart-policy.ts';
import { type EraVerdict, readVerdict, type VerdictCache } from './negotiate/era-verdict.ts';
import { createSessionKeeper } from './negotiate/session-keeper.ts';
import { createPeerContext, type PeerContext } from './peer/peer-context.ts';
import { createChangeFeed, type ListName, listNames } from './subscriptions/change-feed.ts';
import type { SkillsOptions } from './skills/skills-options.ts';
import { createTaskNews } from './tasks/task-news.ts';
import { readTasksOptions, type TasksOptions, withTasks } from './tasks/tasks-options.ts';
import { type CheckOptions, readChecks } from './trust/check-options.ts';
import { createResultChecks, type ResultRules } from './trust/result-checks.ts';
import type { ResultSpill } from './trust/result-size.ts';

/** How to reach a server. Durations are in milliseconds. */
export interface ConnectOptions {
  /** The name that every message gives the server. Default: what the transport reaches, without credentials. */
  readonly name?: string;
  /** What this client calls itself. */
  readonly clientInfo?: Implementation;
  /** Who answers what the server asks for: forms, pages, questions to a model, roots. Default: nobody. */
  readonly input?: InputHandlers;
  /** What the handlers of `input` are told of the trust in this server, in words of the caller. Default `untrusted`. */
  readonly trust?: string;
  /**
   * What this client can do for a server beyond what `input` answers, which is declared by itself. Default: nothing.
   * The keys of `extensions` are identifiers like `com.example/my-extension`; another one fails with code
   * `invalid-argument`.
   */
  readonly capabilities?: ClientCapabilities;
  /** How long a server may be silent on a request. Default 60,000. */
  readonly timeoutMs?: number;
  /** How long a call may take whatever the progress. Default 600,000. */
  readonly maxTimeoutMs?: number;
  /** How long a start may take, from the process or the first request to the open session. Default 15,000. */
  readonly startTimeoutMs?: number;
  /** How long a server on stdio may be silent before `initialize` is tried, too. Default 5,000. */
  readonly probeTimeoutMs?: number;
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
   * When a server that keeps ending is started again, and when calls are refused with `circuit-open` instead. A policy
   * of `createRestartPolicy` is shared with the other clients that get it. Default: five short lives in a row open
   * the circuit for 30 seconds.
   */
  readonly restart?: RestartOptions | RestartPolicy;
  /**
   * HTTP headers of every request, such as `Authorization`, or a function that answers them: it is called before the
   * first request and again after an HTTP 401, and the refused request is repeated when the headers are others then.
   */
  readonly headers?: HeaderSource;
  /** Who calls over HTTP, where that is more than headers, such as a token of an authorization server. */
  readonly credentials?: HttpCredentials;
  /** The largest message that is read. Default 10 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * What is checked of tools, arguments and results; `false` switches the checks off, for a caller that has its own.
   * Links with unsafe schemes are dropped in any case.
   */
  readonly checks?: CheckOptions | false;
  /** The largest result of a tool, resource or prompt, in bytes of JSON. Default: `maxMessageBytes` is the only limit. */
  readonly maxResultBytes?: number;
  /**
   * What happens with a larger one. `refuse`, the default: code `result-rejected`. A {@link ResultSpill}, such as
   * `openBlobSpill` of `@switchyard/client/node`, keeps the contents of a tool's result elsewhere, and links to them take
   * their place; resources and prompts are refused. `maxMessageBytes` still bounds what is read at all.
   */
  readonly onLargeResult?: 'refuse' | ResultSpill;
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
  /** Takes what was survived; without it such things are silent. Its own failure is ignored. */
  readonly onWarning?: (warning: ClientWarning) => void;
  /**
   * Takes notifications of the server that belong to no call, such as changed lists, until the client is closed. Where
   * it throws, or answers a promise that rejects, there is a warning.
   */
  readonly onNotification?: (notification: Notification) => void;
  /**
   * What an earlier client learned of this server: its `verdict`. It saves the question which era the server is of;
   * where it proves wrong, at the start or later, it is corrected. What is no verdict counts as none.
   */
  readonly prior?: EraVerdict | undefined;
  /**
   * Where verdicts on servers are kept for all clients that get the same cache. Default: each client keeps its own for
   * as long as it lives.
   */
  readonly verdicts?: VerdictCache;
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
   * Listens to lists without `onListChanged`, so that answers are not kept longer than they are true. A server of a
   * modern revision tells nobody of a change who does not listen; the cache then goes by the times that it gave.
   */
  readonly listen?: boolean;
  /** Gives up connecting. It does not end a client that is connected. */
  readonly signal?: AbortSignal;
  /** What HTTP goes through. Default: the platform's `fetch`, whose own time limits {@link connect} tells of. */
  readonly fetch?: Fetch;
  /** Where time comes from. Default: the platform. */
  readonly clock?: Clock;
  /** Answers a number from 0 up to 1, for waits that clients must not have in common. Default: the platform. */
  readonly random?: () => number;
}

/** A server on HTTP, with a choice of the transport. */
export interface HttpTarget {
  readonly url: string | URL;
  /**
   * `streamable-http` is the transport since revision 2025-03-26, `sse` the HTTP+SSE of 2024-11-05. Default: the first,
   * and the other one where the server takes no POST.
   */
  readonly transport?: 'streamable-http' | 'sse' | undefined;
}

/** A server on HTTP by its URL, one in this process, or a transport of one's own. */
export type Target = string | URL | HttpTarget | Responder | Transport;

const defaults = { timeoutMs: 60_000, maxTimeoutMs: 600_000, startTimeoutMs: 15_000, probeTimeoutMs: 5000 };

/** What this package calls itself towards a server, unless told otherwise. */
export const defaultClientInfo: Implementation = { name: 'switchyard', version: '0.1.0' };

/**
 * Reaches one server of any revision: resolves when it has answered and the revision is settled. Rejects with a {@link
 * ClientError}, or with a `ProtocolError` when a modern server refuses; then nothing stays open. The caller closes the
 * client.
 *
 * Over HTTP the platform's `fetch` may have time limits of its own, which no option here moves: that of Node ends an
 * answer that is silent for 300,000 ms, before its headers or between two parts of its body, and the call rejects with
 * code `closed` (a tool call with `outcome-unknown`). Where `timeoutMs` is longer than that, use `connect` of
 * `@switchyard/client/node`, whose pool has no such limit, or give a `fetch` without one.
 *
 * Spec: basic/versioning (2026-07-28).
 */
export function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const { fetch, headers, credentials } = options;
  const openPool = fetch === undefined ? openPlatformFetch : () => poolOf(fetch);
  return connectThrough(() => toTransport(target, { headers, credentials, openPool }), options);
}

/** Answers the transport for a target; `undefined` for what is none of those that this entry knows. */
export function toTransport(target: unknown, http: Omit<HttpTransportOptions, 'url'>): Transport | undefined {
  if (typeof target === 'string' || target instanceof URL) return createHttpTransport({ ...http, url: target });
  if (typeof target !== 'object' || target === null) return undefined;
  if (isTransport(target)) return target;
  if (isHttpTarget(target)) {
    const { url, transport } = target;
    if (transport === 'sse') return createSseTransport({ ...http, url });
    return createHttpTransport({ ...http, url, fallsBackToSse: transport !== 'streamable-http' });
  }
  return isResponder(target) ? createMemoryTransport(target) : undefined;
}

function isHttpTarget(target: object): target is HttpTarget {
  if (!('url' in target) || !(typeof target.url === 'string' || target.url instanceof URL)) return false;
  const { transport } = target as { readonly transport?: unknown };
  return transport === undefined || transport === 'sse' || transport === 'streamable-http';
}

function isTransport(target: object): target is Transport {
  return 'open' in target && typeof target.open === 'function';
}

function isResponder(target: object): target is Responder {
  return 'respond' in target && typeof target.respond === 'function';
}

/** Connects through the transport that `findTransport` answers; the way of all entries of this package. */
export async function connectThrough(
  findTransport: () => Transport | undefined,
  options: ConnectOptions,
): Promise<Client> {
  const transport = findTransport();
  const server = options.name ?? transport?.name ?? 'unknown';
  const isTrustedOrigin = readTrustedOrigins(transport?.identity, options.icons);
  const context = createPeerContext({ ...options, server, isTrustedOrigin, secrets: transport?.secrets });
  if (transport === undefined) {
    throw context.fail(
      'invalid-argument',
      'the target is none of: a URL, a command, a server in this process, a transport.',
    );
  }
  const limits = readLimits(context, options);
  assertExtensions(context, options.capabilities);
  assertIconsOptions(context, options.icons);
  const rules = options.tasks === undefined ? undefined : readTasksOptions(context, options.tasks);
  const taking = { rules, news: createTaskNews(), skills: options.skills ?? {} };
  const input = setUpInput(context, {
    ...options,
    capabilities: rules === undefined ? options.capabilities : withTasks(options.capabilities),
  });
  const checks = createResultChecks(context, readResultRules(context, options));
  const changes = createChangeFeed();
  const cache = toResponseCache(context, options.cache);
  let lastId = 0;
  const keeper = createSessionKeeper({
    context,
    transport,
    client: {
      info: options.clientInfo ?? defaultClientInfo,
      capabilities: input.capabilities,
      announcesRoots: input.announcesRoots,
    },
    asking: input.asking,
    nextId: () => (lastId += 1),
    startTimeoutMs: limits.startTimeoutMs,
    probeTimeoutMs: limits.probeTimeoutMs,
    restarts: toRestartPolicy(context, options.restart),
    prior: readVerdict(options.prior),
    verdicts: options.verdicts,
    // A change of a list is known at once, even in a flood; of the resources there may be too many.
    onArrival(notification) {
      if (saysListChanged(notification.method)) changes.take(notification);
    },
    onNotification(notification) {
      if (!saysListChanged(notification.method)) changes.take(notification);
      taking.news.take(notification);
      context.callBack('onNotification', () => options.onNotification?.(notification));
    },
  });
  let kept = keeper;
  try {
    const first = await keeper.session(options.signal ?? new AbortController().signal);
    kept = watchRoots(context, keeper, options.input ?? {});
    return createClient(createCaller(context, kept, limits, input.rounds), kept, first, checks, taking, {
      changes,
      cache,
      identity: transport.identity,
      lists: options.listen === true || options.onListChanged !== undefined ? listNames : [],
      onListChanged: options.onListChanged,
    });
  } catch (error) {
    // The start does not wait for the end of what it gave up, which takes as long as the process wants.
    kept
      .close()
      .catch((cause: unknown) => context.warn('left-behind', `what was started did not end: ${String(cause)}`));
    if (options.signal?.aborted !== true || error instanceof ClientError || error instanceof ProtocolError) throw error;
    throw context.fail('aborted', 'connecting was given up because the caller aborted it.', { cause: error });
  }
}

/** Spec: basic/versioning#extension-negotiation (2026-07-28). */
function assertExtensions(context: PeerContext, capabilities: ClientCapabilities | undefined): void {
  for (const identifier of Object.keys(capabilities?.extensions ?? {})) {
    if (isExtensionIdentifier(identifier)) continue;
    throw context.fail(
      'invalid-argument',
      `capabilities.extensions has the key ${quoted(identifier)}, which is no identifier of an extension; ` +
        'write one like com.example/my-extension.',
    );
  }
}

function readResultRules(context: PeerContext, options: ConnectOptions): ResultRules {
  const { maxResultBytes: maxBytes, onLargeResult: onLarge = 'refuse' } = options;
  assertPositive(context, 'maxResultBytes', maxBytes ?? 1);
  assertPositive(context, 'maxNotificationsPerSecond', context.maxNotificationsPerSecond);
  return {
    checks: readChecks(context, options.checks),
    size: maxBytes === undefined ? undefined : { maxBytes, onLarge },
  };
}

function readLimits(context: PeerContext, options: ConnectOptions): typeof defaults {
  const limits = { ...defaults };
  for (const name of ['timeoutMs', 'maxTimeoutMs', 'startTimeoutMs', 'probeTimeoutMs'] as const) {
    assertMilliseconds(context, name, options[name]);
    limits[name] = options[name] ?? defaults[name];
  }
  assertPositive(context, 'maxMessageBytes', context.maxMessageBytes);
  return limits;
}
