import type { JsonObject, Result } from '@switchyard/protocol';

import { outcomeOf, replayOutcome } from './outcome.ts';
import { digestOfReceived, digestOfText } from '../state/digest.ts';
import type { Claims } from './claim.ts';

/** How long an identical retry gets the recorded outcome, in milliseconds. */
const REPLAY_MS = 60_000;
/** Largest result that is recorded; a retry after a larger one is refused. */
const MAX_RESULT_BYTES = 512 * 1024;

/** Holds request states to a single use. */
export interface SingleUse {
  /**
   * Serves a retry with `run` unless its state was used before: the identical retry within 60 s, after a response that was lost, gets the
   * recorded outcome, and every other one `refused`. A run after which `isUnused` is no use of the state.
   */
  serve(
    retry: {
      readonly state: string;
      readonly answers: JsonObject;
      /** How long the state is still good, in milliseconds. */
      readonly remainingMs: number;
      readonly signal: AbortSignal;
      /** Answers, after the run, whether it ended before anything of the answers had reached the handler. */
      readonly isUnused: () => boolean;
    },
    run: () => Promise<Result>,
  ): Promise<Result | 'refused'>;
}

/** Makes single use over claims. */
export function createSingleUse(claims: Claims): SingleUse {
  return {
    async serve({ state, answers, remainingMs, signal, isUnused }, run) {
      const here: { end?: () => Result } = {};
      const claimed = await claims.once({
        key: `used:${digestOfText(state)}`,
        subject: digestOfReceived('input responses', answers),
        // Longer than the state itself, so that a state is never good when its use is forgotten.
        retentionMs: remainingMs + REPLAY_MS,
        unfinishedMs: remainingMs + REPLAY_MS,
        signal,
        cameToNothing: isUnused,
        run: () =>
          outcomeOf(
            'the result',
            async () => {
              try {
                const result = await run();
                here.end = () => result;
                return result;
              } catch (thrown) {
                here.end = () => {
                  throw thrown;
                };
                throw thrown;
              }
            },
            MAX_RESULT_BYTES,
          ),
      });
      // What this process ran counts, whatever of it could be recorded.
      if (here.end !== undefined) return here.end();
      if (claimed.kind !== 'recorded' || claimed.ageMs > REPLAY_MS) return 'refused';
      return replayOutcome(claimed.outcome) as Result;
    },
  };
}
