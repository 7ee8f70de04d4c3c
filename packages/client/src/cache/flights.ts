import { withDeadline } from '../timing/deadline.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** A request that is under way for everybody who wants its answer. */
interface Flight<T> {
  readonly answer: Promise<T>;
  readonly abort: (reason: unknown) => void;
  /** Whether its answer may be older than what whoever comes now must get. */
  readonly isOutdated: () => boolean;
  /** What goes out when this one is back, for those who came when it was outdated. */
  next: Flight<T> | undefined;
  waiting: number;
  /** Given up or over: nobody joins it any more. */
  isOver: boolean;
}

/** How a flight is made. */
export interface FlightPlan<T> {
  /** What is asked for, for messages. */
  readonly what: string;
  /** Equal requests with the same time limits have the same key. */
  readonly key: string;
  /** Gives the waiting up; the request is given up with the last who waits for it. */
  readonly signal: AbortSignal | undefined;
  /** Whether only a request that begins from now on will do. */
  readonly isFresh: boolean;
  /** Makes the request, after `before` came to its end; it heeds `signal` from the beginning. */
  readonly fly: (signal: AbortSignal, before: Promise<void> | undefined) => FlightWork<T>;
}

/** A request that was begun. */
export interface FlightWork<T> {
  readonly answer: Promise<T>;
  readonly isOutdated: () => boolean;
}

const LONGEST_MS = 2 ** 31 - 1;

/**
 * Creates what lets equal requests share one. Whoever comes while a request is under way whose answer a change has
 * outdated shares the next one, which goes out when that is back: however many changes come, at most one request is
 * under way and one waits.
 */
export function createFlights<T>(context: PeerContext) {
  const flights = new Map<string, Flight<T>>();

  return {
    join(plan: FlightPlan<T>): Promise<T> {
      const present = flights.get(plan.key);
      if (present === undefined || present.isOver) return waitFor(begin(plan, undefined), plan);
      if (!plan.isFresh && !present.isOutdated()) return waitFor(present, plan);
      if (present.next === undefined || present.next.isOver) present.next = begin(plan, present);
      return waitFor(present.next, plan);
    },
  };

  function begin({ key, fly }: FlightPlan<T>, before: Flight<T> | undefined): Flight<T> {
    const controller = new AbortController();
    let hasBegun = before === undefined;
    const { answer, isOutdated } = fly(controller.signal, before && settled(before.answer));
    const flight: Flight<T> = {
      answer,
      abort(reason) {
        flight.isOver = true;
        controller.abort(reason);
      },
      isOutdated: () => hasBegun && isOutdated(),
      next: undefined,
      waiting: 0,
      isOver: false,
    };
    if (before === undefined) flights.set(key, flight);
    void settled(before?.answer).then(() => {
      hasBegun = true;
    });
    void settled(answer).then(() => {
      flight.isOver = true;
      if (flights.get(key) !== flight) return;
      if (flight.next === undefined || flight.next.isOver) flights.delete(key);
      else flights.set(key, flight.next);
    });
    return flight;
  }

  async function waitFor(flight: Flight<T>, { what, signal }: FlightPlan<T>): Promise<T> {
    flight.waiting += 1;
    try {
      if (signal === undefined) return await flight.answer;
      return await withDeadline(context, { what, signal, totalMs: LONGEST_MS }, () => flight.answer);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0 && !flight.isOver) flight.abort(signal?.reason);
    }
  }
}

/** Resolves when work is over, however it ended. */
async function settled(work: Promise<unknown> | undefined): Promise<void> {
  try {
    await work;
  } catch {
    // Whoever waits for it gets the reason.
  }
}
