import { asyncHooks } from '../timing/async-context.ts';

/** Where code stands that runs: in a piece of work of a handler's run, a step or an effect. */
interface WorkPlace {
  readonly run: object;
  readonly what: string;
  readonly outer: WorkPlace | undefined;
  isOver: boolean;
}

/** Remembers where the code that runs now stands. */
const places = asyncHooks === undefined ? undefined : new asyncHooks.AsyncLocalStorage<WorkPlace>();

/**
 * Runs work of a handler's run, `what` as errors call it, so that {@link insideOf} tells what it does from what is done
 * beside it.
 */
export async function runInside(run: object, what: string, work: () => unknown): Promise<unknown> {
  if (places === undefined) return work();
  const place: WorkPlace = { run, what, outer: openPlace(), isOver: false };
  try {
    // Also what it returns is awaited there, which may be an ask.
    return await places.run(place, async () => work());
  } finally {
    place.isOver = true;
  }
}

/**
 * Answers the piece of work of a run that the calling code stands in, or `undefined` beside all of them. What work left
 * behind when it ended, a timer or a listener, is not inside of it. Where the runtime has no `AsyncLocalStorage`, all
 * code passes for code beside.
 */
export function insideOf(run: object): string | undefined {
  return openPlace(run)?.what;
}

/** The innermost place of a run, by default of any, whose work is not over. */
function openPlace(run?: object): WorkPlace | undefined {
  for (let place = places?.getStore(); place !== undefined; place = place.outer) {
    if (!place.isOver && (run === undefined || place.run === run)) return place;
  }
  return undefined;
}
