import { type JsonObject, parseJson, type Result, stringifyJson } from '@switchyard/protocol';

import { outcomeOf, replayOutcome } from './outcome.ts';
import { digestOfReceived, digestOfText } from '../state/digest.ts';
import type { Claims } from './claim.ts';
import { MAX_RECORDED_CHARS } from './max-recorded-chars.ts';

/** How long an identical retry gets the recorded outcome, in milliseconds. */
const REPLAY_MS = 60_000;
/** Largest data of an error that is recorded as JSON, in bytes. */
const MAX_DATA_BYTES = 512 * 1024;

/** Holds request states to a single use. */
export interface SingleUse {
  /**
   * Serves a retry with `run` unless its state was used before: the identical retry within 60 s, after a response that
   * was lost, gets the recorded outcome, and every other one `refused`, an identical one after a result of more than
   * 500,000 characters, too. A run after which `isUnused` is no use of the state; while it runs, another retry waits.
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
        run: async () => {
          let sent: string | undefined;
          const ended = await outcomeOf(
            'the result',
            async () => {
              try {
                const result = await run();
                here.end = () => result;
                sent = recordable(result);
              } catch (thrown) {
                here.end ??= () => {
                  throw thrown;
                };
                throw thrown;
              }
            },
            MAX_DATA_BYTES,
          );
          return sent === undefined ? ended : { outcome: { value: sent } };
        },
      });
      // What this process ran counts, whatever of it could be recorded.
      if (here.end !== undefined) return here.end();
      if (claimed.kind !== 'recorded' || claimed.ageMs > REPLAY_MS) return 'refused';
      const text = replayOutcome(claimed.outcome);
      return typeof text === 'string' ? (parseJson(text, { exactIntegers: true }) as Result) : 'refused';
    },
  };
}

/** The JSON text of a result as it is sent, `undefined` for one that is too large. */
function recordable(result: Result): string | undefined {
  const text = stringifyJson(result);
  return text.length > MAX_RECORDED_CHARS ? undefined : text;
}
