import { withDeadline } from '../timing/deadline.ts';
import { MAX_TIMER_MS } from '../timing/assert-limits.ts';
import { settled } from '../timing/settled.ts';
import { ClientError } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** A request that is under way, or waits for one, for everybody who wants its answer. */
interface Flight<T> {
  readonly answer: Promise<T>;
  readonly abort: (reason: unknown) => void;
  /** Whether it was sent, so that its time limits run. */
  readonly wasSent: () => boolean;
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
  /** Makes the request; its time limits begin now. It heeds `signal`. */
  readonly fly: (signal: AbortSignal) => FlightWork<T>;
}

/** A request that was begun. */
export interface FlightWork<T> {
  readonly answer: Promise<T>;
  readonly isOutdated: () => boolean;
}

/**
 * Creates what lets equal requests share one. Whoever comes while a request is under way whose answer a change has
 * outdated shares the next one, which goes out when that is back: however many changes come, at most one request is
 * under way and one waits. Nobody has less time than his own limits say: a request that waited has them from when it is
 * sent, and whoever came late to one that ran out of time shares another one.
 */
export function createFlights<T>(context: PeerContext) {
  const flights = new Map<string, Flight<T>>();

  return {
    async join(plan: FlightPlan<T>): Promise<T> {
      const flight = find(plan);
      const isLate = flight.wasSent() && flight.waiting > 0;
      try {
        return await waitFor(flight, plan);
      } catch (error) {
        const isOut = error instanceof ClientError && error.code === 'timeout';
        if (!isLate || !isOut || plan.signal?.aborted === true) throw error;
        flight.isOver = true;
      }
      return waitFor(find(plan), plan);
    },
  };

  function find(plan: FlightPlan<T>): Flight<T> {
    const present = flights.get(plan.key);
    if (present === undefined || present.isOver) return begin(plan, undefined);
    if (!plan.isFresh && !present.isOutdated()) return present;
    if (present.next === undefined || present.next.isOver) present.next = begin(plan, present);
    return present.next;
  }

  function begin({ key, fly }: FlightPlan<T>, before: Flight<T> | undefined): Flight<T> {
    const controller = new AbortController();
    const { signal } = controller;
    let work: FlightWork<T> | undefined;
    const send = (): Promise<T> => {
      work = fly(signal);
      return work.answer;
    };
    const flight: Flight<T> = {
      answer: before === undefined ? send() : sendAfter(before.answer, signal, send),
      abort(reason) {
        flight.isOver = true;
        controller.abort(reason);
      },
      wasSent: () => work !== undefined,
      isOutdated: () => work?.isOutdated() === true,
      next: undefined,
      waiting: 0,
      isOver: false,
    };
    if (before === undefined) flights.set(key, flight);
    void settled(flight.answer).then(() => {
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
      return await withDeadline(context, { what, signal, totalMs: MAX_TIMER_MS }, () => flight.answer);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0 && !flight.isOver) flight.abort(signal?.reason);
    }
  }
}

async function sendAfter<T>(before: Promise<T>, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
  await settled(before);
  signal.throwIfAborted();
  return send();
}
