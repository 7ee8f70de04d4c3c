import { createClient } from '@redis/client';
import { type KnownOptions, toMilliseconds } from '@switchyard/protocol';
import { serverAddress } from '../server-address.ts';
import { StoreError } from '../store-error.ts';
import { toStoreError } from './redis-failure.ts';
import { withinTime } from './within-time.ts';

/** Which Redis server to use, and how it is reached. */
export interface RedisOptions {
  /**
   * `redis://user:password@host:6379/0`, or `rediss:` for TLS: one server, or the primary of one, not a cluster.
   * Messages show host, port and database of it only.
   */
  readonly url: string;
  /** What every key and channel begins with; whoever has the same prefix shares them. Default `switchyard:`. */
  readonly keyPrefix?: string;
  /** How long a call waits at most for a connection, before it fails with `unavailable`. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** How long a call waits at most for the answer, before it fails with `unavailable`. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

export const redisOptions: KnownOptions<RedisOptions> = {
  url: true,
  keyPrefix: true,
  connectTimeoutMs: true,
  commandTimeoutMs: true,
};

/** The prefix where the caller names none. */
export const DEFAULT_KEY_PREFIX = 'switchyard:';

const DEFAULT_TIMEOUT_MS = 5000;
const MAX_WAITING_COMMANDS = 10_000;

function makeClient(url: string, connectTimeoutMs: number) {
  return createClient({
    url,
    // Understood by every version, and by what stands in front of a server.
    RESP: 2,
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandsQueueMaxLength: MAX_WAITING_COMMANDS,
  });
}

/** A client of the driver with its connection. */
export type RedisClient = ReturnType<typeof makeClient>;

/**
 * One connection to a Redis server, made when a command needs it and made anew after it broke, until it is closed. Its
 * methods reject with StoreError only, whose `cause` is the driver's error.
 */
export class RedisConnection {
  readonly #url: string;
  readonly #address: string;
  readonly #connectTimeoutMs: number;
  readonly #commandTimeoutMs: number;
  readonly #onLost: () => void;
  #current: { readonly client: RedisClient; readonly connected: Promise<void> } | undefined;
  #isClosed = false;

  /**
   * Connects to nothing yet. `onLost` is called when a connection broke or was given up because a command had no
   * answer.
   *
   * @throws TypeError for a URL that is none and a number out of range.
   */
  constructor(options: RedisOptions, onLost: () => void = () => {}) {
    this.#url = options.url;
    this.#address = serverAddress(options.url, {
      server: 'Redis',
      protocols: ['redis:', 'rediss:'],
      path: /^\/?\d*$/,
      example: 'redis://user:password@host:6379/0',
    });
    this.#connectTimeoutMs = toMilliseconds('connectTimeoutMs', options.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS, 1);
    this.#commandTimeoutMs = toMilliseconds('commandTimeoutMs', options.commandTimeoutMs ?? DEFAULT_TIMEOUT_MS, 1);
    this.#onLost = onLost;
  }

  /**
   * Runs commands. Calls of one turn of the event loop reach the server in their order. When an answer does not come in
   * time the connection is given up, and with it whatever else waits on it, because its answers come in order.
   */
  async run<T>(commands: (client: RedisClient) => Promise<T>): Promise<T> {
    try {
      const client = await this.#connect();
      return await withinTime(commands(client), this.#commandTimeoutMs, () => {
        this.#drop(client);
        return new Error(`no answer within ${this.#commandTimeoutMs} ms`);
      });
    } catch (error) {
      throw toStoreError(error, `cannot use the Redis server at ${this.#address}`);
    }
  }

  /** Ends the connection without waiting for answers. May be called again. */
  close(): void {
    this.#isClosed = true;
    if (this.#current !== undefined) this.#drop(this.#current.client);
  }

  async #connect(): Promise<RedisClient> {
    if (this.#isClosed) throw new StoreError('closed', 'the connection is closed');
    this.#current ??= this.#start();
    const { client, connected } = this.#current;
    await connected;
    return client;
  }

  #start(): { readonly client: RedisClient; readonly connected: Promise<void> } {
    const client = makeClient(this.#url, this.#connectTimeoutMs);
    client.on('error', () => this.#drop(client));
    const connected = withinTime(client.connect(), this.#connectTimeoutMs, () => {
      this.#drop(client);
      return new Error(`no connection within ${this.#connectTimeoutMs} ms`);
    }).then(
      () => {},
      (error: unknown) => {
        this.#drop(client);
        throw error;
      },
    );
    return { client, connected };
  }

  #drop(client: RedisClient): void {
    if (this.#current?.client !== client) return;
    this.#current = undefined;
    // Later, because the driver is about to reject what waits with the reason that it has.
    queueMicrotask(() => client.destroy());
    if (!this.#isClosed) this.#onLost();
  }
}
