import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';
import { assertMilliseconds } from '../timing/assert-limits.ts';
import type { ClientErrorCode } from '../peer/client-error-code.ts';
import { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { backOffMs } from '../timing/back-off.ts';

/** When a server that keeps ending is started again. */
export interface RestartOptions {
  /**
   * How many short lives in a row open the circuit: starts that failed, and connections that ended within ten seconds
   * of the moment when they could be used. Default 5; `Infinity` never opens it.
   */
  readonly maxShortLives?: number;
  /** How long the circuit stays open, in milliseconds. Default 30,000. */
  readonly circuitOpenMs?: number;
}

/** What is known of the lives of one server. Clients of the same server may share it. */
export interface RestartPolicy {
  /** Closes the circuit and forgets what was: the next start is made at once. For a retry by hand. */
  reset(): void;
}

/** A policy as the session keepers of this package use it. */
export interface SharedRestarts extends RestartPolicy {
  /**
   * Begins a life of the server. Throws a {@link ClientError} with code `circuit-open` while the circuit is open: it
   * names how the server ended last, and when it may be started again.
   */
  begin(context: PeerContext): Life;
}

/** One start of a server and what becomes of it. */
export interface Life {
  /** How long the start has to wait, in milliseconds. */
  readonly delayMs: number;
  /** The server can be used: from now on it lives. A start alone, however long, is no life. */
  opened(): void;
  /**
   * The life is over: with how it failed or ended, or with `undefined` where it was ended on purpose. `starts` is how
   * many processes a start took that failed: one that exits on the probe is started twice, and each counts. Once.
   */
  ended(reason: unknown, starts?: number): void;
}

/** A connection that lasted this long counts as healthy. */
const HEALTHY_MS = 10_000;
const backOff = { firstMs: 100, maxMs: 5000 };
const DEFAULT_MAX_SHORT_LIVES = 5;
const DEFAULT_CIRCUIT_OPEN_MS = 30_000;

/** These say that the server is there and answers, or that nobody asked it. */
const codesOfNoEnd: ReadonlySet<ClientErrorCode> = new Set([
  'aborted',
  'authorization',
  'circuit-open',
  'invalid-argument',
  'unauthorized',
  'version',
]);

/**
 * Creates the policy by which one server is started again. The first time it is at once; one that keeps ending within
 * ten seconds waits 100 ms, then twice that, and so on up to five seconds, each shortened at random by up to half, and
 * counted from its last end. After five short lives in a row the circuit is open: for 30 seconds every start is refused
 * at once. Then one start is let through, and how that goes decides: a life of ten seconds makes everything as new, a
 * short one opens the circuit again. Others wait until that one can be used.
 *
 * Give the same policy to `connect` for each client of one server, and they share its count, its delays and its
 * circuit. Connections of several that end together, as when a machine sleeps, count as one short life.
 *
 * Throws a `TypeError` for an option that there is not; `connect` looks at their values.
 */
export function createRestartPolicy(options: RestartOptions = {}): RestartPolicy {
  return createSharedRestarts('createRestartPolicy', options);
}

const restartOptions: KnownOptions<RestartOptions> = { maxShortLives: true, circuitOpenMs: true };

function createSharedRestarts(what: string, options: RestartOptions): SharedRestarts {
  assertKnownOptions(what, options, restartOptions);
  const { maxShortLives = DEFAULT_MAX_SHORT_LIVES, circuitOpenMs = DEFAULT_CIRCUIT_OPEN_MS } = options;
  let shortLives = 0;
  let endedAt = 0;
  let lastReason: unknown;
  /** How many short lives were counted so far, so that a life knows whether one was since it began. */
  let counted = 0;
  /** The life that decides about the circuit, until it is healthy or one was short. */
  let trial: { openedAt: number | undefined } | undefined;

  return { begin, reset };

  function begin(context: PeerContext): Life {
    const { clock } = context;
    const isTrial = shortLives >= maxShortLives;
    if (isTrial) assertDue(context);
    const life: { openedAt: number | undefined } = { openedAt: undefined };
    const countedBefore = counted;
    if (isTrial) trial ??= life;
    return {
      delayMs: isTrial ? 0 : Math.max(0, endedAt + delayAfter(context) - clock.now()),
      opened() {
        life.openedAt = clock.now();
      },
      ended(reason, starts = 1) {
        if (trial === life) trial = undefined;
        const isHealthy = hasLivedWell(life, clock.now());
        if (isHealthy) shortLives = 0;
        if (!isBadEnd(reason)) return;
        endedAt = clock.now();
        lastReason = reason;
        // One that ends with another, of which it was no consequence, tells of the same event.
        const isSameEvent = life.openedAt !== undefined && countedBefore !== counted;
        if (isHealthy || isSameEvent) return;
        counted += 1;
        shortLives += Math.max(1, starts);
        // A start that went well proves nothing any more.
        if (trial?.openedAt !== undefined) trial = undefined;
      },
    };
  }

  function assertDue(context: PeerContext): void {
    const now = context.clock.now();
    if (trial?.openedAt !== undefined) {
      // It can be used, and so this is a further client's start.
      if (!hasLivedWell(trial, now)) return;
      trial = undefined;
      shortLives = 0;
      return;
    }
    const waitMs = endedAt + circuitOpenMs - now;
    if (waitMs <= 0 && trial === undefined) return;
    const when = trial === undefined ? `in ${Math.ceil(waitMs / 1000)} s` : 'right now, by another caller';
    throw context.fail(
      'circuit-open',
      `it failed ${shortLives} times in a row, so calls are refused; it is tried again ${when}. ` +
        `Last time ${howItEnded(lastReason)}`,
      { cause: lastReason, stderr: lastReason instanceof ClientError ? (lastReason.stderr ?? '') : '' },
    );
  }

  /** The first return costs nothing. */
  function delayAfter({ random }: PeerContext): number {
    if (shortLives < 2) return 0;
    return backOffMs(backOff, shortLives - 2, random);
  }

  function reset(): void {
    shortLives = 0;
    trial = undefined;
    endedAt = 0;
    lastReason = undefined;
  }
}

/** Answers the policy that an option of `connect` means; throws with `invalid-argument` for what it cannot mean. */
export function toSharedRestarts(context: PeerContext, restart: RestartOptions | RestartPolicy = {}): SharedRestarts {
  if (isShared(restart)) return restart;
  assertKnownOptions('connect, restart', restart as RestartOptions, restartOptions);
  const { maxShortLives = DEFAULT_MAX_SHORT_LIVES, circuitOpenMs } = restart as RestartOptions;
  assertMilliseconds(context, 'restart.circuitOpenMs', circuitOpenMs);
  if (!(Number.isSafeInteger(maxShortLives) || maxShortLives === Infinity) || maxShortLives < 1) {
    throw context.fail(
      'invalid-argument',
      `restart.maxShortLives must be a positive integer or Infinity, not ${maxShortLives}.`,
    );
  }
  return createSharedRestarts('connect, restart', restart as RestartOptions);
}

function isShared(restart: RestartOptions | RestartPolicy): restart is SharedRestarts {
  return 'begin' in restart && typeof restart.begin === 'function';
}

function hasLivedWell({ openedAt }: { readonly openedAt: number | undefined }, now: number): boolean {
  return openedAt !== undefined && now - openedAt >= HEALTHY_MS;
}

function isBadEnd(reason: unknown): boolean {
  if (reason === undefined) return false;
  return !(reason instanceof ClientError && codesOfNoEnd.has(reason.code));
}

function howItEnded(reason: unknown): string {
  return reason instanceof ClientError ? reason.reason : `it answered: ${excerpt(String(reason))}.`;
}
