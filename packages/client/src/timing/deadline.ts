import { ClientError, type ClientErrorDetails, withEffect } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Hold } from './hold.ts';
import type { LocalWork } from './local-work.ts';

/** The limits of one piece of work. Durations are in milliseconds. */
export interface DeadlineLimits {
  /** What is being waited for, as it stands in a message: `tools/call`. */
  readonly what: string;
  /** The signal of whoever waits for the work. */
  readonly signal?: AbortSignal | undefined;
  /** How long the work may take in all. */
  readonly totalMs: number;
  /** The option that sets `totalMs`, for the message; `maxTimeoutMs` unless given. */
  readonly totalOption?: string;
  /** How long nothing may happen in a {@link Deadline.step}. Default: as long as all may take. */
  readonly idleMs?: number;
  /** What goes with the error when a limit passes. */
  readonly details?: () => ClientErrorDetails;
  /** What else a message says when a limit passes, as sentences. */
  readonly circumstances?: () => string;
}

/**
 * Runs work under limits. The answer settles at the latest when a limit passes or the signal aborts, whether the work
 * heeds its own signal or not: with code `timeout`, `aborted`, or the reason of the signal where that is a
 * `ClientError`. At any time one timer is armed: it goes off when the first limit could pass, and is armed anew where
 * none did.
 *
 * Spec: basic/patterns/cancellation#timeouts (2026-07-28).
 */
export function withDeadline<T>(
  context: PeerContext,
  limits: DeadlineLimits,
  run: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { signal: outer, what } = limits;
  // Nothing of the work was begun.
  if (outer?.aborted === true) return Promise.reject(withEffect(abortError(context, outer, what), false));
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(context, limits, reject);
    startedBy(run, deadline).then(
      (value) => {
        deadline.end();
        resolve(value);
      },
      (error: unknown) => {
        deadline.end();
        reject(error);
      },
    );
  });
}

/** Work that throws before it answers a promise must end its limits, too. */
function startedBy<T>(run: (deadline: Deadline) => Promise<T>, deadline: Deadline): Promise<T> {
  try {
    return run(deadline);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The limits of work that runs. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #context: PeerContext;
  readonly #limits: DeadlineLimits;
  readonly #idleMs: number;
  readonly #straysBefore: number;
  readonly #reject: (reason: ClientError) => void;
  #totalAt: number;
  #idleAt = Infinity;
  #armedAt: number;
  #disarm: () => void;
  #step = '';
  #local: string | undefined;
  #holds = 0;
  #heldAt = 0;
  #isOver = false;

  /** Arms the timer. `reject` is told once when a limit passes or the limits' signal aborts. */
  constructor(context: PeerContext, limits: DeadlineLimits, reject: (reason: ClientError) => void) {
    const { clock } = context;
    const { totalMs, idleMs = Infinity } = limits;
    const now = clock.now();
    this.#context = context;
    this.#limits = limits;
    this.#idleMs = idleMs;
    this.#straysBefore = context.strays.count();
    this.#reject = reject;
    this.#totalAt = now + totalMs;
    this.#armedAt = now + Math.min(idleMs, totalMs);
    this.#disarm = clock.after(Math.min(idleMs, totalMs), this.#look);
    limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborts with a {@link ClientError} as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs one step of the work under the idle limit. One step at a time. */
  async step<T>(what: string, run: () => Promise<T>): Promise<T> {
    this.begin(what);
    try {
      return await run();
    } finally {
      this.finish();
    }
  }

  /** Begins one step of the work, until {@link finish}. Throws where a limit has passed. */
  begin(what: string): void {
    const now = this.#now();
    // A peer in this process can answer so fast, time and again, that no timer gets its turn.
    if (now >= this.#totalAt) this.#look();
    this.signal.throwIfAborted();
    this.#step = what;
    this.#idleAt = now + this.#idleMs;
    if (this.#idleAt < this.#armedAt) this.#arm();
  }

  /** Runs work in which the server has no part, `what` by name: a limit that passes meanwhile is not put down to the server. */
  readonly local: LocalWork = async (what, run) => {
    this.#local = what;
    try {
      return await run();
    } finally {
      this.#local = undefined;
    }
  };

  /** Ends the step that was begun. */
  finish(): void {
    this.#idleAt = Infinity;
  }

  /** Starts the idle time of the step anew, because the peer showed a sign of life. */
  extend(): void {
    // A timer that goes off too early costs less than one that is armed for each sign of life.
    if (this.#idleAt !== Infinity) this.#idleAt = this.#now() + this.#idleMs;
  }

  /** How long it takes until the first limit passes where nothing happens, in milliseconds. */
  readonly leftMs = (): number => Math.min(this.#idleAt, this.#totalAt) - this.#now();

  /** How much is left of the total limit, in milliseconds. */
  totalLeftMs(): number {
    return this.#totalAt - this.#now();
  }

  /** Runs work that a person may take his time for: no limit comes nearer while it lasts. Several may run at a time. */
  readonly hold: Hold = async (run) => {
    const { clock } = this.#context;
    if (this.#holds === 0) {
      this.#heldAt = clock.now();
      this.#disarm();
    }
    this.#holds += 1;
    try {
      return await run();
    } finally {
      this.#holds -= 1;
      if (this.#holds === 0) {
        const heldMs = clock.now() - this.#heldAt;
        this.#totalAt += heldMs;
        this.#idleAt += heldMs;
        this.#arm();
      }
    }
  };

  /** Lets no limit pass any more, since the work is done. */
  end(): void {
    this.#isOver = true;
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    this.#disarm();
  }

  readonly #onAbort = (): void => {
    const { signal, what } = this.#limits;
    if (signal !== undefined) this.#giveUp(abortError(this.#context, signal, what));
  };

  readonly #look = (): void => {
    const { what, totalMs, totalOption = 'maxTimeoutMs', details } = this.#limits;
    const time = this.#context.clock.now();
    if (time >= this.#totalAt) this.#giveUp(this.#timeoutError(what, totalMs, totalOption, details?.()));
    else if (time < this.#idleAt) this.#arm();
    else this.#giveUp(this.#timeoutError(this.#step, this.#idleMs, 'timeoutMs', details?.()));
  };

  #timeoutError(what: string, ms: number, option: string, details: ClientErrorDetails | undefined): ClientError {
    const local = this.#local;
    const advice =
      local === undefined
        ? 'Look whether the server is busy or stuck'
        : `The server has answered, and ${local} took too long: look at that`;
    const sentences = [
      `${what} was not done within ${ms} ms and was given up. ${advice}, or raise ${option}.`,
      this.#limits.circumstances?.() ?? '',
      local === undefined ? this.#context.strays.describe(this.#straysBefore).trim() : '',
    ];
    return this.#context.fail('timeout', sentences.filter((sentence) => sentence !== '').join(' '), details);
  }

  /** Whoever waits learns of it at once, whatever the work does with its signal. */
  #giveUp(reason: ClientError): void {
    this.end();
    this.#controller.abort(reason);
    this.#reject(reason);
  }

  /** Time as the limits see it. */
  #now(): number {
    return this.#holds > 0 ? this.#heldAt : this.#context.clock.now();
  }

  #arm(): void {
    if (this.#holds > 0 || this.#isOver) return;
    this.#disarm();
    this.#armedAt = Math.min(this.#idleAt, this.#totalAt);
    const { clock } = this.#context;
    // The clock went on since the limits were looked at.
    this.#disarm = clock.after(Math.max(0, this.#armedAt - clock.now()), this.#look);
  }
}

function abortError(context: PeerContext, signal: AbortSignal, what: string): ClientError {
  const reason: unknown = signal.reason;
  if (reason instanceof ClientError) return reason;
  return context.fail('aborted', `${what} was given up because the caller aborted it.`, { cause: reason });
}
