import { unheld } from '../timing/unheld.ts';

/** How long a sign of life is good, in milliseconds; it is renewed three times as often. */
const LEASE_MS = 30_000;

/** A record that tells whether the process that works on it is alive. */
export interface Leased {
  /** Until when it is taken for alive, in milliseconds since the epoch. */
  readonly aliveUntil: number;
}

/** Answers a sign of life that is given at `now`, in milliseconds since the epoch. */
export function signOfLife(now: number): Leased {
  return { aliveUntil: now + LEASE_MS };
}

/** Answers whether the process is taken for alive at `now`, in milliseconds since the epoch. */
export function isAlive({ aliveUntil }: Leased, now: number): boolean {
  return aliveUntil >= now;
}

/**
 * How long a record goes without a sign of life, counted in the pauses of whoever waits: clocks may be set, and those
 * of two processes differ.
 */
export interface Silence {
  /** Counts a pause of the waiter, in milliseconds. */
  count(pauseMs: number): void;
  /** Whether the version of the record is what it was for longer than a living process takes to renew it. */
  isOver(version: string | undefined): boolean;
}

/** Begins to count. */
export function listenForLife(): Silence {
  let seen: string | undefined;
  let silentMs = 0;
  return {
    count: (pauseMs) => void (silentMs += pauseMs),
    isOver(version) {
      if (version !== seen) [seen, silentMs] = [version, 0];
      return silentMs >= LEASE_MS / 2;
    },
  };
}

/**
 * Has signs of life given until it is stopped: one at a time, so that a store that hangs is not asked more and more.
 * `renew` must not reject. Stopping waits for the one that is being given. It does not keep the process.
 */
export function keepAlive(renew: () => Promise<void>): () => Promise<void> {
  let renewing: Promise<void> | undefined;
  const timer = unheld(
    setInterval(() => {
      renewing ??= renew().finally(() => (renewing = undefined));
    }, LEASE_MS / 3),
  );
  return async () => {
    clearInterval(timer);
    await renewing;
  };
}
