import { type Client, type ClientError, untilAborted, within } from '@switchyard/client';
import { type Logger, type Notification, type Request, type Revision, saysListChanged } from '@switchyard/protocol';
import type { ServerCatalog } from '../catalog/server-catalog.ts';
import type { Surroundings } from '../surroundings.ts';
import { backOffMs } from './back-off.ts';
import { type Unavailability, unavailabilityOf, UnavailableError } from './unavailable.ts';
import type { ConnectionWatch } from './watched-transport.ts';

/** How long a list waits for one more attempt to reach a server that was away, in milliseconds. */
const GRACE_MS = 1000;

/** What is known of a server. */
export interface ServerStatus {
  /** The configured name. */
  readonly name: string;
  readonly state: 'starting' | 'ready' | 'unavailable' | 'disabled';
  readonly revision?: Revision;
  readonly era?: 'modern' | 'legacy';
  /** How many tools it has, as far as is known: while it is away, how many it had. */
  readonly tools?: number;
  /** Why it is unavailable. */
  readonly error?: Unavailability;
  /** What of its lists cannot be used, and why. */
  readonly leftOut?: ServerCatalog['leftOut'];
}

/** One server behind the host: reached when it is first needed, kept, and reached again when it was lost. */
export interface Upstream {
  readonly name: string;
  /** The deadline of its calls in milliseconds. */
  readonly timeoutMs: number;
  /** The last catalog that the server gave; `undefined` until it gave one. It stays while the server is away. */
  readonly catalog: ServerCatalog | undefined;
  /** Why the server cannot be used now, where that is so. */
  readonly unavailability: Unavailability | undefined;
  status(): ServerStatus;
  /**
   * Brings the catalog up to date where it is stale, and begins to reach a server that is not there. It waits at most
   * the start timeout, and briefly for a server that was away. A catalog younger than `minAgeMs` (default 0) is left as
   * it is, stale or not. It never rejects: a failure shows in `unavailability`.
   */
  refresh(options?: { readonly minAgeMs?: number }): Promise<void>;
  /** The client, once the server was reached. It stays, and reaches a server that was lost again by itself. */
  readonly connected: Client | undefined;
  /**
   * Answers the client, reaching the server first where it was not. Rejects with the client's error, with {@link
   * UnavailableError}, or with the signal's reason.
   */
  client(signal: AbortSignal): Promise<Client>;
  /**
   * Answers whether a tool call was handed to a connection of the server, by the identity of its frozen arguments: from
   * then on what it did is not known until the answer comes.
   */
  wasSent(args: object): boolean;
  /** Has the catalog read again before it is next used. */
  markStale(): void;
  /** Ends the server and everything behind it. It never rejects. */
  close(): Promise<void>;
}

/** What {@link createUpstream} needs. */
export interface UpstreamOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly startTimeoutMs: number;
  readonly logger: Logger;
  readonly surroundings: Pick<Surroundings, 'now' | 'after'>;
  /** Reaches the server. */
  open(options: {
    readonly signal: AbortSignal;
    readonly onNotification: (notification: Notification) => void;
    readonly watch: ConnectionWatch;
  }): Promise<Client>;
  /** Reads the catalog. Rejects only where the server cannot be reached. */
  load(client: Client, previous: ServerCatalog | undefined, signal: AbortSignal): Promise<ServerCatalog>;
}

interface Failure {
  readonly error: unknown;
  readonly unavailability: Unavailability;
  readonly retryAt: number;
}

/** Creates the upstream of a server. It reaches nothing before it is asked to. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { name, timeoutMs, startTimeoutMs, logger, surroundings } = options;
  const closing = new AbortController();
  const closed: Unavailability = { message: `MCP server "${name}": the host was closed.` };
  let catalog: ServerCatalog | undefined;
  let freshUntil = -Infinity;
  let loadedAt = -Infinity;
  let isChanged = false;
  let connected: Client | undefined;
  let connecting: Promise<Client> | undefined;
  let refreshing: Promise<void> | undefined;
  let failure: Failure | undefined;
  let failures = 0;
  /** How the last connection ended, until the server answers again. */
  let lost: ClientError | undefined;
  const sent = new WeakSet<object>();
  /** The connections behind which something may still run. */
  const remaining = new Set<Promise<void>>();
  const watch: ConnectionWatch = { onOpen, onRequest, onReply, onEnd };

  return {
    name,
    timeoutMs,
    get catalog() {
      return catalog;
    },
    get unavailability() {
      return closing.signal.aborted ? closed : failure?.unavailability;
    },
    get connected() {
      return closing.signal.aborted ? undefined : connected;
    },
    status,
    refresh,
    client: (signal) => untilAborted(signal, connect()),
    wasSent: (args) => sent.has(args),
    markStale,
    close,
  };

  function status(): ServerStatus {
    return {
      name,
      state:
        failure !== undefined ? 'unavailable' : connected === undefined || catalog === undefined ? 'starting' : 'ready',
      ...(connected === undefined ? {} : { revision: connected.revision, era: connected.era }),
      ...(catalog === undefined ? {} : { tools: catalog.tools.length, leftOut: catalog.leftOut }),
      ...(failure === undefined ? {} : { error: failure.unavailability }),
    };
  }

  function connect(): Promise<Client> {
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason as Error);
    if (connected !== undefined) return Promise.resolve(connected);
    if (connecting !== undefined) return connecting;
    if (failure !== undefined && surroundings.now() < failure.retryAt) {
      return Promise.reject(new UnavailableError(failure.unavailability));
    }
    connecting = open().finally(() => {
      connecting = undefined;
    });
    return connecting;
  }

  async function open(): Promise<Client> {
    try {
      const client = await options.open({ signal: closing.signal, onNotification, watch });
      if (closing.signal.aborted) await client.close();
      closing.signal.throwIfAborted();
      connected = client;
      return client;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  }

  async function refresh({ minAgeMs = 0 } = {}): Promise<void> {
    const now = surroundings.now();
    if (closing.signal.aborted || now < freshUntil || now < loadedAt + minAgeMs) return;
    const wasAway = failure !== undefined;
    if (refreshing === undefined) {
      if (failure !== undefined && now < failure.retryAt) return;
      refreshing = load().finally(() => {
        refreshing = undefined;
      });
    }
    await (wasAway ? within(surroundings, GRACE_MS, refreshing) : refreshing);
  }

  /** Never rejects, and ends at the latest after the start timeout. */
  async function load(): Promise<void> {
    const deadline = new AbortController();
    const signal = AbortSignal.any([deadline.signal, closing.signal]);
    const cancel = surroundings.after(startTimeoutMs, () => {
      deadline.abort(
        new UnavailableError({
          message: `MCP server "${name}": it did not list what it has within ${startTimeoutMs} ms.`,
        }),
      );
    });
    try {
      const client = await untilAborted(signal, connect());
      isChanged = false;
      const loaded = await untilAborted(signal, options.load(client, catalog, signal));
      catalog = loaded;
      loadedAt = surroundings.now();
      // What changed while the lists were read is not known to be in them.
      freshUntil = isChanged ? -Infinity : loadedAt + loaded.freshMs;
      noteReturn();
    } catch (error) {
      markStale();
      if (!closing.signal.aborted) noteFailure(error);
    } finally {
      cancel();
    }
  }

  function noteFailure(error: unknown): void {
    // Both the attempt to connect and the list that waited for it report the same error.
    if (failure !== undefined && (error === failure.error || isRepeat(error, failure))) return;
    failures += 1;
    failure = {
      error,
      unavailability: unavailabilityOf(name, error),
      retryAt: surroundings.now() + backOffMs(failures),
    };
    // How a connection ended is said once.
    if (error !== lost && !closing.signal.aborted) logger.warn({ server: name, err: error }, 'a server is unavailable');
  }

  function noteReturn(): void {
    if (failure !== undefined || lost !== undefined) logger.warn({ server: name }, 'a server is available again');
    failure = undefined;
    failures = 0;
    lost = undefined;
  }

  function onOpen(gone: Promise<void>): void {
    const noted = gone.finally(() => remaining.delete(noted));
    remaining.add(noted);
  }

  function onRequest({ params }: Request): void {
    const args: unknown = params?.['arguments'];
    if (typeof args === 'object' && args !== null) sent.add(args);
  }

  function onReply(): void {
    // A server whose lists cannot be had is not back before they can.
    if (lost !== undefined && failure === undefined) noteReturn();
  }

  function onEnd(error: ClientError): void {
    // How a start failed is known to whoever waits for it.
    if (connected === undefined || closing.signal.aborted) return;
    // One that fails at each start is lost once, for as long as it says the same.
    const isKnown = lost !== undefined && causeOf(lost) === causeOf(error);
    if (!isKnown) logger.warn({ server: name, err: error }, 'a server was lost');
    lost = error;
    markStale();
  }

  function causeOf(error: ClientError): string {
    return unavailabilityOf(name, error).message;
  }

  function onNotification({ method }: Notification): void {
    if (saysListChanged(method)) markStale();
  }

  function markStale(): void {
    freshUntil = -Infinity;
    isChanged = true;
  }

  async function close(): Promise<void> {
    if (!closing.signal.aborted) {
      closing.abort(new UnavailableError(closed));
    }
    await Promise.allSettled([connecting, refreshing]);
    try {
      await connected?.close();
    } catch (error) {
      logger.error({ server: name, err: error }, 'a server could not be closed');
    }
    // A start that was given up is over before its process is.
    await Promise.all(remaining);
  }
}

/** Whether an error only repeats that the server is away, without a new attempt to reach it. */
function isRepeat(error: unknown, failure: Failure): boolean {
  return error instanceof UnavailableError && error.unavailability === failure.unavailability;
}
