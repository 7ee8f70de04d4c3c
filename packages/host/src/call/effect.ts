import { ClientError } from '@switchyard/client';
import type { CallEffect } from '../audit/record.ts';
import type { Call } from './call.ts';
import { argumentsOf, traitsOf } from './operation.ts';

/** What is known of the effect of a call, and the sentence that tells it to whoever may want to repeat the call. */
export interface KnownEffect {
  readonly effect: CallEffect;
  readonly sentence: string;
}

/** Of a call that never reached a connection. */
export const notSent: KnownEffect = { effect: 'none', sentence: 'The call was not sent.' };

/**
 * Answers what a call that `error` ended may have done, or `undefined` for a method that only reads. Where it cannot be
 * ruled out that the server has the request, the effect is unknown.
 */
export function effectOf({ frozen, resolution }: Call, error?: unknown): KnownEffect | undefined {
  if (frozen === undefined || resolution === undefined || !traitsOf(frozen).hasEffect) return undefined;
  if (!resolution.upstream.wasSent(argumentsOf(frozen)) || neverConnected(error)) return notSent;
  if (isRefusal(error)) return { effect: 'none', sentence: 'The call was refused there and not carried out.' };
  const sentence =
    'The call was sent, and its outcome is unknown: look whether it took effect before you make it again.';
  return { effect: 'unknown', sentence };
}

function neverConnected(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'connect-failed';
}

/** Whether the server, or what stands before it, answered that it does not take the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof ClientError && !error.mayHaveRun;
}
