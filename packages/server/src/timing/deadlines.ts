import { inThisContext } from './async-context.ts';
import { unheld } from './unheld.ts';

/**
 * Something that may run too long: by one set of deadlines at a time. It is a link of the list that they keep, so that
 * to watch it takes no memory, and no look into a table, of its own.
 */
export abstract class Watched {
  /** Of the deadlines that watch it, which alone set these. */
  since = NOT_WATCHED;
  earlier: Watched | undefined = undefined;
  later: Watched | undefined = undefined;

  /** Called once when it has run for the time limit. Answers false to be given the whole time again. */
  abstract expire(): boolean;
}

/** Ends what runs too long. */
export interface Deadlines {
  watch(watched: Watched): void;
  /** Ends the watch; of something that is not watched it does nothing. */
  forget(watched: Watched): void;
  /**
   * Answers what a promise does, or what `onLate` answers or throws once the promise took longer than the time limit.
   */
  race<T>(answer: PromiseLike<T>, onLate: () => T): Promise<T>;
}

/** How often the time limit is looked at while it runs: an expiry is late by a tenth of it at most. */
const TICKS = 10;

const NOT_WATCHED = -1;

/**
 * Makes deadlines of one time limit in milliseconds; `Infinity` for none. One timer serves everything that is watched,
 * so that what ends in time costs next to nothing. `onFailure` is told what an `expire` threw, which counts as over; it
 * must not throw.
 */
export function createDeadlines(timeoutMs: number, onFailure?: (error: unknown) => void): Deadlines {
  // In the order of their starts.
  let first: Watched | undefined;
  let last: Watched | undefined;
  let tick = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** The timer outlives whoever is watched first, and must not hold what belongs to that. */
  const start = inThisContext(() => unheld(setInterval(look, timeoutMs / TICKS)));

  function append(watched: Watched): void {
    forget(watched);
    watched.since = tick;
    watched.earlier = last;
    if (last === undefined) first = watched;
    else last.later = watched;
    last = watched;
  }

  function forget(watched: Watched): void {
    if (watched.since === NOT_WATCHED) return;
    const { earlier, later } = watched;
    if (earlier === undefined) first = later;
    else earlier.later = later;
    if (later === undefined) last = earlier;
    else later.earlier = earlier;
    watched.since = NOT_WATCHED;
    watched.earlier = undefined;
    watched.later = undefined;
  }

  function look(): void {
    tick += 1;
    // All that follow the first that has time left are younger; who is given its time again is the youngest.
    for (let oldest = first; oldest !== undefined && tick - oldest.since > TICKS; oldest = first) {
      forget(oldest);
      if (!hasExpired(oldest)) append(oldest);
    }
    if (first !== undefined) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** One that fails must not keep the others. */
  function hasExpired(watched: Watched): boolean {
    try {
      return watched.expire();
    } catch (error) {
      onFailure?.(error);
      return true;
    }
  }

  function watch(watched: Watched): void {
    if (timeoutMs === Infinity) return;
    append(watched);
    timer ??= start();
  }

  return {
    watch,
    forget,
    race: (answer, onLate) =>
      new Promise((resolve, reject) => {
        const racer = new Racer(() => {
          try {
            resolve(onLate());
          } catch (error) {
            reject(error);
          }
        });
        watch(racer);
        answer.then(resolve, reject).then(() => forget(racer));
      }),
  };
}

class Racer extends Watched {
  readonly #onLate: () => void;

  constructor(onLate: () => void) {
    super();
    this.#onLate = onLate;
  }

  expire(): boolean {
    this.#onLate();
    return true;
  }
}

/**
 * Answers why the signal aborts of what ran for the whole time limit, and the sentence that says so; `what` is its
 * subject.
 */
export function timedOut(what: string, timeoutMs: number): { readonly reason: DOMException; readonly message: string } {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return {
    reason: new DOMException(`${what} ran for ${seconds} s`, 'TimeoutError'),
    message: `${what} did not end within ${seconds} s`,
  };
}
