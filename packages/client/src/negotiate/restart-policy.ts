import { assertMilliseconds } from '../timing/assert-limits.ts';
import { ClientError, type ClientErrorCode } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** When a server that keeps ending is started again. */
export interface RestartOptions {
  /**
   * How many short lives in a row open the circuit: connections that failed or ended within ten seconds. Default 5;
   * `Infinity` never opens it.
   */
  readonly maxShortLives?: number;
  /** How long the circuit stays open, in milliseconds. Default 30,000. */
  readonly circuitOpenMs?: number;
}

/** What is known of the lives of one server. Clients of the same server may share it. */
export interface RestartPolicy {
  /**
   * Begins a life of the server. Throws a {@link ClientError} with code `circuit-open` while the circuit is open: it
   * names how the server ended last, and when it may be started again.
   */
  begin(context: PeerContext): Life;
  /** Closes the circuit and forgets what was: the next start is made at once. For a retry by hand. */
  reset(): void;
}

/** One start of a server and what becomes of it. */
export interface Life {
  /** How long the start has to wait, in milliseconds. */
  readonly delayMs: number;
  /** The wait is over: from now on the server lives. */
  started(): void;
  /**
   * The life is over: with how it failed or ended, or with `undefined` where it was ended on purpose. `starts` is how
   * many processes a start took that failed: one that exits on the probe is started twice, and each counts. Once.
   */
  ended(reason: unknown, starts?: number): void;
}

/** A connection that lasted this long counts as healthy. */
const HEALTHY_MS = 10_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;
const DEFAULT_MAX_SHORT_LIVES = 5;
const DEFAULT_CIRCUIT_OPEN_MS = 30_000;

/** These say that the server is there, or that nobody asked it. */
const codesOfNoEnd: ReadonlySet<ClientErrorCode> = new Set([
  'aborted',
  'authorization',
  'circuit-open',
  'invalid-argument',
  'unauthorized',
]);

/**
 * Creates the policy by which one server is started again. The first time it is at once; one that keeps ending within
 * ten seconds waits 100 ms, then twice that, and so on up to five seconds, each shortened at random by up to half, and
 * counted from its last end. After five short lives in a row the circuit is open: for 30 seconds every start is refused
 * at once. Then one start is let through, and how that goes decides: a life of ten seconds makes everything as new, a
 * short one opens the circuit again.
 *
 * Give the same policy to `connect` for each client of one server, and they share its count, its delays and its
 * circuit.
 */
export function createRestartPolicy(options: RestartOptions = {}): RestartPolicy {
  const { maxShortLives = DEFAULT_MAX_SHORT_LIVES, circuitOpenMs = DEFAULT_CIRCUIT_OPEN_MS } = options;
  let shortLives = 0;
  let endedAt = 0;
  let lastReason: unknown;
  /** The life that decides about the circuit, until it is healthy or over. */
  let trial: { startedAt: number } | undefined;

  return { begin, reset };

  function begin(context: PeerContext): Life {
    const { clock } = context;
    const isTrial = shortLives >= maxShortLives;
    if (isTrial) assertDue(context);
    const life = { startedAt: clock.now() };
    if (isTrial) trial = life;
    return {
      delayMs: isTrial ? 0 : Math.max(0, endedAt + delayAfter(context) - clock.now()),
      started() {
        life.startedAt = clock.now();
      },
      ended(reason, starts = 1) {
        if (trial === life) trial = undefined;
        if (clock.now() - life.startedAt >= HEALTHY_MS) shortLives = 0;
        if (!isBadEnd(reason)) return;
        endedAt = clock.now();
        lastReason = reason;
        if (endedAt - life.startedAt < HEALTHY_MS) shortLives += Math.max(1, starts);
      },
    };
  }

  function assertDue(context: PeerContext): void {
    const now = context.clock.now();
    if (trial !== undefined && now - trial.startedAt >= HEALTHY_MS) {
      // It is alive and well, and so this is a further client's start.
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
    return Math.min(FIRST_DELAY_MS * 2 ** (shortLives - 2), MAX_DELAY_MS) * (1 - random() / 2);
  }

  function reset(): void {
    shortLives = 0;
    trial = undefined;
    endedAt = 0;
    lastReason = undefined;
  }
}

/** Answers the policy that an option of `connect` means; throws with `invalid-argument` for what it cannot mean. */
export function toRestartPolicy(context: PeerContext, restart: RestartOptions | RestartPolicy = {}): RestartPolicy {
  if ('begin' in restart) return restart;
  const { maxShortLives = DEFAULT_MAX_SHORT_LIVES, circuitOpenMs } = restart;
  assertMilliseconds(context, 'restart.circuitOpenMs', circuitOpenMs);
  if (!(Number.isSafeInteger(maxShortLives) || maxShortLives === Infinity) || maxShortLives < 1) {
    throw context.fail(
      'invalid-argument',
      `restart.maxShortLives must be a positive integer or Infinity, not ${maxShortLives}.`,
    );
  }
  return createRestartPolicy(restart);
}

function isBadEnd(reason: unknown): boolean {
  if (reason === undefined) return false;
  return !(reason instanceof ClientError && codesOfNoEnd.has(reason.code));
}

/** Answers the sentence of an error without the name of the server and its stderr, which stand beside it. */
function howItEnded(reason: unknown): string {
  if (!(reason instanceof ClientError)) return `it answered: ${excerpt(String(reason))}.`;
  const { message, server, stderr } = reason;
  const prefix = `MCP server "${server}": `;
  const start = message.startsWith(prefix) ? prefix.length : 0;
  const end = stderr === undefined ? message.length : message.indexOf('\nIts last lines on stderr:');
  return message.slice(start, end === -1 ? message.length : end);
}
