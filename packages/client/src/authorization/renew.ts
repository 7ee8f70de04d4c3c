import { excerpt, maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Refusal } from '../http/credentials.ts';
import { describeUrl } from '../http/endpoint.ts';
import { type Challenge, parameterOf } from '../http/parse-challenges.ts';
import type { AskGate } from './ask-gate.ts';
import { createAttempts } from './attempts.ts';
import { challengedScopes, tokenOf } from './token-fields.ts';
import type { TokenSource } from './token-source.ts';

/** What is tried after a 401. */
interface RenewOptions {
  readonly context: PeerContext;
  readonly source: TokenSource;
  readonly gate: AskGate;
  /** Refreshes a token once for all who wait; `false` where it cannot be. */
  readonly refresh: (refused: string, challenges: readonly Challenge[], signal: AbortSignal) => Promise<boolean>;
}

/** A server that refuses a request without looking at its token would be asked for ever. */
const MAX_STALE = 2;
/** How much of a challenge an error holds. */
const MAX_SHOWN = 1000;

/**
 * Creates the function that takes a 401 and answers whether the request is worth sending again: with a token that has
 * replaced the refused one, with a refreshed one, with one that was obtained, each once. Rejects with a `ClientError`.
 */
export function createRenew(
  options: RenewOptions,
): (refusal: Refusal, challenges: readonly Challenge[]) => Promise<boolean> {
  const { context, source, gate, refresh } = options;
  const attemptsOf = createAttempts(() => ({ isRefreshed: false, isObtained: false, stale: 0 }));

  return async (refusal, challenges) => {
    const { fields, signal, challenge, hold } = refusal;
    const refused = tokenOf(fields['authorization']);
    const live = source.live();
    const made = attemptsOf(refusal);
    // The refusal belongs to a token that has been replaced since.
    if (live !== undefined && live.tokens.accessToken !== refused) {
      made.stale += 1;
      return made.stale <= MAX_STALE;
    }
    if (made.isObtained) {
      const [said] = parameterOf(challenges, 'error');
      const reason = said === undefined ? '' : `, ${excerpt(said, 80)}`;
      const error = context.fail(
        'unauthorized',
        `it refuses the token that ${describeUrl(live?.tokens.issuer ?? '')} has just given for it (HTTP 401${reason}). ` +
          'Look whether the server trusts that authorization server and expects itself as the audience.',
        { status: 401, challenge: maskedExcerpt(context, challenge, MAX_SHOWN) },
      );
      // Nor is a user asked by the next call for a token that is worth as little.
      gate.refuse(error);
      throw error;
    }
    if (refused !== undefined && live?.tokens.refreshToken !== undefined && !made.isRefreshed) {
      made.isRefreshed = true;
      if (await refresh(refused, challenges, signal)) return true;
    }
    made.isObtained = true;
    const challenged = challengedScopes(challenges);
    await gate.obtain(`obtain ${refused ?? ''}`, { challenges, challenged, refused, mustAsk: false, signal, hold });
    return true;
  };
}
