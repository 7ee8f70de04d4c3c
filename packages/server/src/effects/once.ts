import type { Principal } from '@switchyard/protocol';

import { callerKey } from '../limits/caller-key.ts';
import { InputError } from '../handler/input-error.ts';
import { assertKey } from '../handler/key.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { digestOf, digestOfReceived } from '../state/digest.ts';
import type { OnceOptions } from '../handler/once-options.ts';
import type { Claims } from './claim.ts';

/** Largest recorded value of an effect as JSON: 64 KiB. */
const MAX_EFFECT_BYTES = 64 * 1024;

/** Whose effect it is. */
export interface EffectScope {
  readonly principal: Principal | undefined;
  readonly audience: string;
  readonly method: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly signal: AbortSignal;
}

/** Runs effects at most once. */
export interface Effects {
  /**
   * Runs `work` at most once for each caller, handler and key, and answers its outcome, recorded or new.
   *
   * Rejects with InputError `conflict` when the key was used with other arguments, `unknown-outcome` when whoever ran
   * it died inside; with StoreError when the store does not answer.
   */
  once(
    scope: EffectScope,
    key: string,
    work: () => unknown,
    options: OnceOptions<unknown>,
  ): Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>;
}

/** Makes effects over claims; outcomes are kept for `retentionMs`. */
export function createEffects(claims: Claims, retentionMs: number): Effects {
  return {
    async once({ principal, audience, method, name, arguments: args, signal }, key, work, { reconcile }) {
      assertKey('effect', key);
      const what = `the effect "${key}"`;
      const result = await claims.once({
        key: `once:${digestOf([audience, callerKey(principal), method, name, key])}`,
        subject: digestOfReceived('arguments', args ?? {}),
        retentionMs,
        signal,
        run: () => outcomeOf(what, work, MAX_EFFECT_BYTES),
        reconcile: reconcile === undefined ? undefined : () => outcomeOf(what, reconcile, MAX_EFFECT_BYTES),
      });
      if (result.kind === 'conflict')
        throw new InputError(
          'conflict',
          `${what} already ran with other arguments: use another key for another effect`,
        );
      if (result.kind === 'unknown') {
        throw new InputError(
          'unknown-outcome',
          `${what} began and its outcome is unknown: whoever ran it died inside, or could not record it. It is not run again; look at what it did, or give \`reconcile\``,
        );
      }
      return result.kind === 'ran' ? result : { outcome: result.outcome };
    },
  };
}
