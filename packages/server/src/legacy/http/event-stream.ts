import { messageEvent, type SseConnection } from '../../http/sse-connection.ts';
import type { ReplayMemory } from './replay-memory.ts';

/** How much of a stream is kept, and how a client finds back to it. */
export interface EventStreamOptions {
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly memory: ReplayMemory;
  /**
   * Begins each connection with an event that holds nothing but its id, and when to come back. Clients before
   * 2025-11-25 trip over it.
   */
  readonly primes: boolean;
  /** When a client should come back, in milliseconds. */
  readonly retryMs: number;
}

interface HeldEvent {
  readonly sequence: number;
  readonly text: string;
}

/**
 * One stream of messages to an old client, over however many connections. What was sent is kept for a while, so that a
 * client whose connection broke gets the rest of this stream, and of no other, by the id of the last event that it saw.
 *
 * Spec: 2025-11-25/basic/transports#resumability-and-redelivery.
 */
export class EventStream {
  /** Its number in the session, which its events' ids begin with. */
  readonly number: number;
  readonly #options: EventStreamOptions;
  readonly #held: HeldEvent[] = [];
  #heldBytes = 0;
  #last = 0;
  /** The last event that was written to some connection. */
  #written = 0;
  #connection: SseConnection | undefined;
  /** The last event that cannot be sent again. */
  #dropped = 0;
  #hasEnded = false;

  constructor(number: number, options: EventStreamOptions) {
    this.number = number;
    this.#options = options;
  }

  /** Whether a client listens. */
  get isConnected(): boolean {
    return this.#connection?.isOpen() === true;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the client who is connected does not read. */
  get isBehind(): boolean {
    return this.isConnected && this.#connection?.isBehind() === true;
  }

  /** How many bytes that were sent wait in memory for the client who is connected. */
  get unreadBytes(): number {
    return this.isConnected ? (this.#connection?.unreadBytes() ?? 0) : 0;
  }

  /** Whether a message waits for a client to come back, so that the same one need not be kept twice. */
  waits(text: string): boolean {
    return !this.isConnected && this.#held.some((event) => event.sequence > this.#written && event.text === text);
  }

  /** Sends a message, at once or when the client comes back. */
  push(text: string): void {
    if (this.#hasEnded) return;
    this.#last += 1;
    const event = { sequence: this.#last, text };
    this.#keep(event);
    if (this.isConnected) this.#write(event);
  }

  /**
   * Carries on over a connection: after the event with this sequence number, or after what was written so far. A
   * connection that is there already ends, since the client has left it.
   */
  connect(connection: SseConnection, after: number = this.#written): void {
    this.#connection?.end();
    this.#connection = connection;
    this.#written = after;
    const { primes, retryMs } = this.#options;
    if (primes) connection.write(`id: ${this.number}-${after}\nretry: ${retryMs}\ndata:\n\n`);
    for (const event of this.#held) if (event.sequence > after) this.#write(event);
    if (this.#hasEnded) connection.end();
  }

  /** Ends the connection and not the stream: the client comes back. */
  disconnect(): void {
    this.#connection?.end();
  }

  /** Ends the stream, after a last message where there is one. */
  end(text?: string): void {
    if (this.#hasEnded) return;
    if (text !== undefined) this.push(text);
    this.#hasEnded = true;
    this.#connection?.end();
  }

  /** Forgets what is held. */
  release(): void {
    while (this.#held.length > 0) this.dropOldest();
  }

  /** Whether this stream had an event with this sequence number, or will begin with the one after. */
  knows(sequence: number): boolean {
    return sequence <= this.#last;
  }

  /** Whether everything after an event of this stream can be sent. */
  isComplete(after: number): boolean {
    return this.knows(after) && after >= this.#dropped;
  }

  /** Forgets what is held and fits. */
  forget(fits: (text: string) => boolean): void {
    for (const event of this.#held.filter(({ text }) => fits(text))) {
      this.#held.splice(this.#held.indexOf(event), 1);
      this.#release(event);
    }
  }

  dropOldest(): void {
    const dropped = this.#held.shift();
    if (dropped !== undefined) this.#release(dropped);
  }

  #release(dropped: HeldEvent): void {
    const bytes = sizeOf(dropped);
    this.#heldBytes -= bytes;
    this.#dropped = Math.max(this.#dropped, dropped.sequence);
    this.#options.memory.release(this, bytes, this.#held.length === 0);
  }

  #keep(event: HeldEvent): void {
    const { maxEvents, maxBytes, memory } = this.#options;
    const bytes = sizeOf(event);
    if (bytes > maxBytes) {
      this.#dropped = event.sequence;
      return;
    }
    this.#held.push(event);
    this.#heldBytes += bytes;
    while (this.#held.length > maxEvents || this.#heldBytes > maxBytes) this.dropOldest();
    memory.hold(this, bytes);
  }

  #write({ sequence, text }: HeldEvent): void {
    this.#written = sequence;
    this.#connection?.write(messageEvent(text, `${this.number}-${sequence}`));
  }
}

/** As UTF-16 takes it, which is what lies in memory. */
function sizeOf({ text }: HeldEvent): number {
  return text.length * 2;
}

/** Answers the stream and the sequence number of an event id, or `undefined` for a text that is none of ours. */
export function parseEventId(id: string): { readonly stream: number; readonly sequence: number } | undefined {
  const [, stream, sequence] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream: Number(stream), sequence: Number(sequence) };
}
