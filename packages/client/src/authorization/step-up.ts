import type { Clock } from '../peer/clock.ts';
import { excerpt, maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Refusal } from '../http/credentials.ts';
import { type Challenge, parameterOf } from '../http/parse-challenges.ts';
import type { AskGate } from './ask-gate.ts';
import { challengedScopes, tokenOf } from './token-fields.ts';
import type { LiveToken } from './token-keeper.ts';

/** What is tried after a 403. */
interface StepUpOptions {
  readonly context: PeerContext;
  readonly clock: Clock;
  readonly live: () => LiveToken | undefined;
  readonly gate: AskGate;
  readonly maxStepUps: number;
}

const WINDOW_MS = 600_000;
/** How much of a challenge an error holds. */
const MAX_SHOWN = 1000;

/**
 * Creates the function that takes a 403 and answers whether the request is worth sending again: where its token lacks
 * scopes (`insufficient_scope`) it asks for more, at most `maxStepUps` times an operation within ten minutes. Rejects
 * with a `ClientError` of code `authorization` where that does not help.
 *
 * Spec: basic/authorization#step-up-authorization-flow (2026-07-28).
 */
export function createStepUp(
  options: StepUpOptions,
): (refusal: Refusal, challenges: readonly Challenge[]) => Promise<boolean> {
  const { context, clock, live, gate, maxStepUps } = options;
  const stepUps = new Map<string, readonly number[]>();

  return async ({ fields, operation, signal, challenge, hold }, challenges) => {
    const refused = tokenOf(fields['authorization']);
    const used = live();
    if (refused === undefined || used === undefined) return false;
    if (!parameterOf(challenges, 'error').includes('insufficient_scope')) return false;
    const wanted = challengedScopes(challenges);
    const isCovered = covers(used, wanted);
    if (used.tokens.accessToken !== refused && isCovered) return true;
    const since = clock.now() - WINDOW_MS;
    const tried = (stepUps.get(operation) ?? []).filter((at) => at > since);
    // Where it does not say what is missing, asking twice is asking for the same.
    if (isCovered || tried.length >= (wanted.length === 0 ? Math.min(1, maxStepUps) : maxStepUps)) {
      const named = wanted.length === 0 ? 'it does not say which' : excerpt(wanted.join(' '));
      throw context.fail(
        'authorization',
        `it refuses ${operation} for want of scopes (insufficient_scope: ${named}), ` +
          (isCovered ? 'which the token has.' : `and ${tried.length} requests for more did not help.`) +
          ' Look at what the user may do there, and sign in again where that has changed.',
        { status: 403, challenge: maskedExcerpt(context, challenge, MAX_SHOWN), oauthError: 'insufficient_scope' },
      );
    }
    await gate.obtain(`step up ${refused} ${wanted.join(' ')}`, {
      challenges,
      challenged: wanted,
      refused,
      mustAsk: true,
      signal,
      hold,
      isMoot() {
        const now = live();
        return now?.tokens.accessToken !== refused && covers(now, wanted);
      },
      onStart() {
        for (const [name, times] of stepUps) if (times.every((at) => at <= since)) stepUps.delete(name);
        stepUps.set(operation, [...tried, clock.now()]);
      },
    });
    return true;
  };
}

/** Whether a token has what a challenge names. */
function covers(live: LiveToken | undefined, wanted: readonly string[]): boolean {
  const has = new Set(live?.tokens.granted ?? live?.tokens.scopes);
  return wanted.length > 0 && wanted.every((scope) => has.has(scope));
}
