import { unheld } from './unheld.ts';

/** Something that may run too long. */
export interface Watched {
  /** Called once when it has run for the time limit. Answers false to be given the whole time again. */
  expire(): boolean;
}

/** Ends what runs too long. */
export interface Deadlines {
  watch(watched: Watched): void;
  /** Ends the watch; of something that is not watched it does nothing. */
  forget(watched: Watched): void;
}

/** How often the time limit is looked at while it runs: an expiry is late by a tenth of it at most. */
const TICKS = 10;

/** Deadlines that never come. */
const noDeadlines: Deadlines = { watch: () => undefined, forget: () => undefined };

/**
 * Makes deadlines of one time limit in milliseconds; `Infinity` for none. One timer serves everything that is watched, so that what ends in
 * time costs next to nothing.
 */
export function createDeadlines(timeoutMs: number): Deadlines {
  if (timeoutMs === Infinity) return noDeadlines;
  const since = new Map<Watched, number>();
  let tick = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    tick += 1;
    for (const [watched, from] of since) {
      // In the order of their starts: all that follow are younger.
      if (tick - from <= TICKS) break;
      since.delete(watched);
      if (!watched.expire()) since.set(watched, tick);
    }
    if (since.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(watched) {
      since.set(watched, tick);
      timer ??= unheld(setInterval(look, timeoutMs / TICKS));
    },
    forget: (watched) => void since.delete(watched),
  };
}

/** Answers why the signal aborts of what ran for the whole time limit, and the sentence that says so; `what` is its subject. */
export function timedOut(what: string, timeoutMs: number): { readonly reason: DOMException; readonly message: string } {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return {
    reason: new DOMException(`${what} ran for ${seconds} s`, 'TimeoutError'),
    message: `${what} did not end within ${seconds} s`,
  };
}
