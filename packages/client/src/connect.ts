import {
  type ClientCapabilities,
  type Implementation,
  isExtensionIdentifier,
  type Notification,
  ProtocolError,
  type Responder,
} from '@switchyard/protocol';
import { assertMilliseconds } from './call/call-options.ts';
import { createCaller } from './call/caller.ts';
import { type Client, createClient } from './client.ts';
import { ClientError } from './client-error.ts';
import type { ClientWarning } from './client-warning.ts';
import type { Clock } from './clock.ts';
import type { Transport } from './connection.ts';
import { quoted } from './excerpt.ts';
import { type Fetch, openPlatformFetch, poolOf } from './http/fetch.ts';
import { createHttpTransport } from './http/http-transport.ts';
import { createMemoryTransport } from './memory/memory-transport.ts';
import { createSessionKeeper } from './negotiate/session-keeper.ts';
import { createPeerContext, type PeerContext } from './peer-context.ts';

/** How to reach a server. Durations are in milliseconds. */
export interface ConnectOptions {
  /** The name that every message gives the server. Default: what the transport reaches, without credentials. */
  readonly name?: string;
  /** What this client calls itself. */
  readonly clientInfo?: Implementation;
  /**
   * What this client can do for a server. Default: nothing, as it serves no request. The keys of `extensions` are
   * identifiers like `com.example/my-extension`; another one fails with code `invalid-argument`.
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
  /** HTTP headers of every request, such as `Authorization`. */
  readonly headers?: { readonly [name: string]: string };
  /** The largest message that is read. Default 10 MiB. */
  readonly maxMessageBytes?: number;
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
  /** Gives up connecting. It does not end a client that is connected. */
  readonly signal?: AbortSignal;
  /** What HTTP goes through. Default: the platform's `fetch`, whose own time limits {@link connect} tells of. */
  readonly fetch?: Fetch;
  /** Where time comes from. Default: the platform. */
  readonly clock?: Clock;
}

/** A server on HTTP by its URL, one in this process, or a transport of one's own. */
export type Target = string | URL | Responder | Transport;

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
 * code `connect-failed` or `closed`. Where `timeoutMs` is longer than that, use `connect` of `@switchyard/client/node`,
 * whose pool has no such limit, or give a `fetch` without one.
 *
 * Spec: basic/versioning (2026-07-28).
 */
export function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const { fetch } = options;
  const openPool = fetch === undefined ? openPlatformFetch : () => poolOf(fetch);
  return connectThrough(() => toTransport(target, { headers: options.headers, openPool }), options);
}

/** Answers the transport for a target; `undefined` for what is none of those that this entry knows. */
export function toTransport(
  target: unknown,
  http: Pick<Parameters<typeof createHttpTransport>[0], 'headers' | 'openPool'>,
): Transport | undefined {
  if (typeof target === 'string' || target instanceof URL) return createHttpTransport({ ...http, url: target });
  if (typeof target !== 'object' || target === null) return undefined;
  if (isTransport(target)) return target;
  return isResponder(target) ? createMemoryTransport(target) : undefined;
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
  const context = createPeerContext({ ...options, server, secrets: transport?.secrets });
  if (transport === undefined) {
    throw context.fail(
      'invalid-argument',
      'the target is none of: a URL, a command, a server in this process, a transport.',
    );
  }
  const limits = readLimits(context, options);
  assertExtensions(context, options.capabilities);
  let lastId = 0;
  const keeper = createSessionKeeper({
    context,
    transport,
    client: { info: options.clientInfo ?? defaultClientInfo, capabilities: options.capabilities ?? {} },
    nextId: () => (lastId += 1),
    startTimeoutMs: limits.startTimeoutMs,
    probeTimeoutMs: limits.probeTimeoutMs,
    onNotification: (notification) => context.callBack('onNotification', () => options.onNotification?.(notification)),
  });
  try {
    const first = await keeper.session(options.signal ?? new AbortController().signal);
    return createClient(createCaller(context, keeper, limits), keeper, first);
  } catch (error) {
    // The start does not wait for the end of what it gave up, which takes as long as the process wants.
    keeper
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

function readLimits(context: PeerContext, options: ConnectOptions): typeof defaults {
  const limits = { ...defaults };
  for (const name of ['timeoutMs', 'maxTimeoutMs', 'startTimeoutMs', 'probeTimeoutMs'] as const) {
    assertMilliseconds(context, name, options[name]);
    limits[name] = options[name] ?? defaults[name];
  }
  const { maxMessageBytes } = context;
  if (!Number.isSafeInteger(maxMessageBytes) || maxMessageBytes < 1) {
    throw context.fail('invalid-argument', `maxMessageBytes must be a positive integer, not ${maxMessageBytes}.`);
  }
  return limits;
}
