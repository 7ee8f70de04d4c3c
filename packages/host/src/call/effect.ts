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

/** The codes of the system and of Node's `fetch` for a connection that was never made. */
const codesOfNoConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function neverConnected(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== 'connect-failed') return false;
  let cause = error.cause;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('code' in cause && codesOfNoConnection.has(cause.code)) return true;
    ({ cause } = cause);
  }
  return false;
}

/**
 * Statuses under 500 that do not say that the request was not carried out: 303 answers one that was, and with 408 and
 * 499 a proxy gives up on one that it may have handed on.
 *
 * RFC 9110, section 15.4.4.
 */
const statusesOfNoRefusal: ReadonlySet<number> = new Set([303, 408, 499]);

/** Whether the server, or what stands before it, answered that it does not take the request. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  const { code, status = 500 } = error;
  if (code === 'http-status') return status < 500 && !statusesOfNoRefusal.has(status);
  return code === 'unauthorized' || code === 'version';
}
