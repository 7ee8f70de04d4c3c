import { randomUUID } from 'node:crypto';

import type { RecordStore } from '@switchyard/stores';

/** A review that somebody began: so many cards, so many done. */
export interface Review {
  readonly topic: string;
  readonly cards: number;
  readonly done: number;
}

/** What the store holds for a handle: the review, and whose it is. */
interface Kept extends Review {
  readonly owner: string;
}

/** How many cards each topic has. */
export const topics: { readonly [topic: string]: number } = { protocols: 12, statistics: 30, 'plate tectonics': 8 };

/** The reviews of all callers, under handles that the application hands out. */
export interface Reviews {
  /** Begins a review and answers its handle; `undefined` for a topic that there is none of. */
  start(owner: string, topic: string): Promise<{ readonly handle: string; readonly review: Review } | undefined>;
  /** Answers a review to its owner alone; `undefined` for a handle that is unknown, expired or somebody else's. */
  find(owner: string, handle: string): Promise<Review | undefined>;
}

/** How long a handle is good, in milliseconds. The description of `start_review` says so to whoever keeps one. */
export const HANDLE_TTL_MS = 60 * 60 * 1000;

/**
 * Keeps reviews in a store. Memory does for one process; behind a load balancer every instance opens the same one,
 * since any of them may be asked for a handle that another one gave.
 */
export function createReviews(store: RecordStore, options: { readonly ttlMs?: number } = {}): Reviews {
  const { ttlMs = HANDLE_TTL_MS } = options;
  return {
    async start(owner, topic) {
      const cards = Object.hasOwn(topics, topic) ? topics[topic] : undefined;
      if (cards === undefined) return undefined;
      // A handle is a name that others could guess if it counted: 122 random bits, and the owner is checked all the
      // same.
      const handle = randomUUID();
      const kept: Kept = { owner, topic, cards, done: 0 };
      await store.put(`review:${handle}`, JSON.stringify(kept), { expected: undefined, ttlMs });
      return { handle, review: { topic, cards, done: 0 } };
    },
    async find(owner, handle) {
      const record = await store.get(`review:${handle}`);
      if (record === undefined) return undefined;
      const { owner: whose, ...review } = JSON.parse(record.value) as Kept;
      return whose === owner ? review : undefined;
    },
  };
}
