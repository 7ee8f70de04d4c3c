import type { PeerContext } from '../peer/peer-context.ts';
import { weightOf } from '../peer/weight-of.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import type { Asker } from './asker.ts';
import type { InputAnswerer, InputResponses } from './input-answerer.ts';

const MAX_QUESTIONS = 100;
/** What the forms of one result may weigh together, roughly in characters: all of them are looked at in one go. */
const MAX_FORMS_WEIGHT = 1024 * 1024;

/**
 * Creates the answerer over the handlers of a client. More than 100 questions at once are refused, and so are forms of
 * more than 1 Mi characters.
 */
export function createInputAnswerer(context: PeerContext, asker: Asker): InputAnswerer {
  return {
    async answer(requests, origin, signal) {
      const entries = Object.entries(requests);
      if (entries.length > MAX_QUESTIONS) {
        throw context.fail(
          'invalid-response',
          `it asks ${entries.length} questions at once; up to ${MAX_QUESTIONS} are answered.`,
        );
      }
      let weightLeft = MAX_FORMS_WEIGHT;
      for (const [, { params }] of entries) weightLeft -= weightOf(params?.['requestedSchema'], weightLeft);
      if (weightLeft < 0) {
        throw context.fail('invalid-response', `its forms have more than ${MAX_FORMS_WEIGHT} characters together.`);
      }
      const giveUp = new AbortController();
      return withAnySignal([signal, giveUp.signal], async (until): Promise<InputResponses> => {
        try {
          return Object.fromEntries(
            await Promise.all(
              entries.map(async ([key, request]) => {
                const outcome = await asker.ask({ key, request, origin, signal: until });
                if ('failure' in outcome) throw outcome.failure;
                return [key, outcome.answer] as const;
              }),
            ),
          );
        } catch (error) {
          // Nothing is sent any more, so nobody need go on answering.
          giveUp.abort(error);
          throw error;
        }
      });
    },
  };
}
