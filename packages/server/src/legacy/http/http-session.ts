import { isAtLeast, notifications, type Principal } from '@switchyard/protocol';

import { callerKey } from '../../limits/caller-key.ts';
import type { ClientFacts } from '../client-facts.ts';
import { LegacySession } from '../legacy-session.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import type { Outlet } from '../outlet.ts';
import { EventStream } from './event-stream.ts';
import type { ReplayMemory } from './replay-memory.ts';

/** How streams of events are kept. */
export interface StreamOptions {
  readonly memory: ReplayMemory;
  readonly retryMs: number;
}

/** The number of the stream that belongs to no request. */
const MAIN = 0;

/**
 * A session over HTTP: a conversation, and the streams that lead to its client. Stream 0 carries what belongs to no
 * request; it is there from the start, and the client fetches it with GET when it likes.
 *
 * Spec: 2025-11-25/basic/transports#session-management.
 */
export class HttpSession {
  readonly id: string;
  readonly principal: Principal | undefined;
  /** Whose session it is, as text that tells one caller from every other. */
  readonly owner: string;
  readonly conversation: LegacySession;
  readonly standalone: Outlet;
  readonly #shared: LegacyShared;
  readonly #options: StreamOptions;
  readonly #streams = new Map<number, EventStream>();
  readonly #main: EventStream;
  #lastStream = MAIN;
  #hasEnded = false;

  constructor(
    shared: LegacyShared,
    options: StreamOptions,
    opened: { readonly id: string; readonly facts: ClientFacts; readonly principal: Principal | undefined },
  ) {
    this.id = opened.id;
    this.principal = opened.principal;
    this.owner = callerKey(opened.principal);
    this.#shared = shared;
    this.#options = options;
    const main = this.#createStream(MAIN, opened.facts);
    this.#main = main;
    const leaveBehind = (): void => {
      if (main.isBehind) main.disconnect();
    };
    this.standalone = {
      notify(text) {
        // What says the same as what waits already says nothing new.
        if (main.waits(text)) return true;
        // Left out, it would be lost for good: whoever reads no more gets it when it comes back.
        leaveBehind();
        main.push(text);
        return true;
      },
      ask(text) {
        leaveBehind();
        if (!main.isConnected) return false;
        main.push(text);
        return true;
      },
    };
    this.conversation = new LegacySession(shared, opened.facts, opened.principal, this.standalone, () =>
      this.#main.disconnect(),
    );
  }

  /** Whether the client takes part: a request of it runs, or it listens. */
  get isInUse(): boolean {
    return this.conversation.isBusy || [...this.#streams.values()].some((stream) => stream.isConnected);
  }

  /** Whether somebody is who opened the session. */
  belongsTo(principal: Principal | undefined): boolean {
    return callerKey(principal) === this.owner;
  }

  /** Is told of whoever comes for the session, before what that caller wants. */
  prove(principal: Principal | undefined): void {
    // What is kept may tell of what this caller may not read.
    if (this.conversation.prove(principal)) this.#main.forget(isResourceUpdate);
  }

  /** Opens a stream for the answer to a request. */
  openStream(): EventStream {
    this.#lastStream += 1;
    const stream = this.#createStream(this.#lastStream, this.conversation.facts);
    this.#forgetEnded();
    return stream;
  }

  /**
   * Answers the stream of an event id, or stream 0 without one; `undefined` for an event that was never sent, and where
   * some of what followed it is forgotten. Of stream 0 what is left is better than nothing: each message of it says
   * only what to look at again.
   */
  streamOf(event: { readonly stream: number; readonly sequence: number } | undefined): EventStream | undefined {
    if (event === undefined) return this.#main;
    const stream = this.#streams.get(event.stream);
    const isGood = event.stream === MAIN ? stream?.knows(event.sequence) : stream?.isComplete(event.sequence);
    return isGood === true ? stream : undefined;
  }

  end(reason: string): void {
    this.#hasEnded = true;
    this.conversation.end(reason);
    for (const stream of this.#streams.values()) {
      stream.end();
      stream.release();
    }
    this.#streams.clear();
  }

  #createStream(number: number, { revision }: ClientFacts): EventStream {
    const { maxStreamEvents: maxEvents, maxStreamBytes: maxBytes } = this.#shared.limits;
    const primes = isAtLeast(revision, '2025-11-25');
    // Nobody comes back for what a session sends that has ended.
    const kept = this.#hasEnded ? 0 : maxBytes;
    const stream = new EventStream(number, { maxEvents, maxBytes: kept, primes, ...this.#options });
    if (!this.#hasEnded) this.#streams.set(number, stream);
    return stream;
  }

  #forgetEnded(): void {
    const ended = [...this.#streams.values()].filter((stream) => stream.hasEnded);
    for (const stream of ended.slice(0, -this.#shared.limits.maxEndedStreams)) {
      stream.release();
      this.#streams.delete(stream.number);
    }
  }
}

function isResourceUpdate(text: string): boolean {
  return (JSON.parse(text) as { readonly method?: string }).method === notifications.resourceUpdated.method;
}
