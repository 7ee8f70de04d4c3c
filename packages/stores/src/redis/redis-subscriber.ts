import { RedisConnection } from './redis-connection.ts';
import type { RedisClient, RedisOptions } from './redis-connection.ts';

/** What a subscriber listens to, and whom it tells. */
export interface RedisSubscriberInit {
  readonly heartbeatMs: number;
  /** The channels that are wanted now. */
  readonly channels: () => readonly string[];
  readonly onMessage: (text: string, channel: string) => void;
  /** Called when messages may have been lost, once the channels are listened to again. */
  readonly onGap: () => void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/** A connection that listens to channels, and is made anew with them after it broke, until it is closed. */
export class RedisSubscriber {
  readonly #init: RedisSubscriberInit;
  readonly #connection: RedisConnection;
  readonly #heartbeat: NodeJS.Timeout;
  /** The client that listens, and to what. */
  #listening: { readonly client: RedisClient; readonly channels: Set<string> } | undefined;
  #updated: Promise<void> = Promise.resolve();
  #restoring: NodeJS.Timeout | undefined;
  #hasGap = false;
  #isClosed = false;

  constructor(options: RedisOptions, init: RedisSubscriberInit) {
    this.#init = init;
    this.#connection = new RedisConnection(options, () => this.#restore(FIRST_PAUSE_MS));
    this.#heartbeat = setInterval(() => {
      // An error that the server answers shows that the connection lives; any other ends it, which starts the
      // restoring.
      if (this.#listening !== undefined) this.#connection.run((client) => client.ping()).catch(() => {});
    }, init.heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Listens to the channels that are wanted now, and to no other. Updates run one after the other. */
  update(): Promise<void> {
    const updated = this.#updated.then(() => this.#update());
    // Whoever called hears of it; the next one only waits for its turn.
    this.#updated = updated.catch(() => {});
    return updated;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#restoring);
    this.#connection.close();
  }

  async #update(): Promise<void> {
    await this.#connection.run(async (client) => {
      if (this.#listening?.client !== client) this.#listening = { client, channels: new Set() };
      const { channels } = this.#listening;
      const wanted = new Set(this.#init.channels());
      const more = [...wanted].filter((channel) => !channels.has(channel));
      const less = [...channels].filter((channel) => !wanted.has(channel));
      // One and the same function, so that a channel never has it twice.
      if (more.length > 0) await client.subscribe(more, this.#init.onMessage);
      for (const channel of more) channels.add(channel);
      if (less.length > 0) await client.unsubscribe(less, this.#init.onMessage);
      for (const channel of less) channels.delete(channel);
    });
    if (!this.#hasGap) return;
    this.#hasGap = false;
    this.#init.onGap();
  }

  #restore(pauseMs: number): void {
    this.#hasGap = true;
    this.#listening = undefined;
    if (this.#isClosed) return;
    clearTimeout(this.#restoring);
    this.#restoring = setTimeout(() => {
      this.update().catch(() => this.#restore(Math.min(pauseMs * 2, LONGEST_PAUSE_MS)));
    }, pauseMs);
  }
}
