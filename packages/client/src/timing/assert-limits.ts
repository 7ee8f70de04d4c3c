import type { PeerContext } from '../peer/peer-context.ts';

/** The longest time that a timer of the platform takes, in milliseconds: almost 25 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a `ClientError` with code `invalid-argument` for a duration that no timer takes. */
export function assertMilliseconds(context: PeerContext, name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS)) return;
  throw context.fail(
    'invalid-argument',
    `${name} must be a number of milliseconds from 1 to ${MAX_TIMER_MS}, not ${value}.`,
  );
}

/** Throws a `ClientError` with code `invalid-argument` for what is no positive integer. */
export function assertPositive(context: PeerContext, name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw context.fail('invalid-argument', `${name} must be a positive integer, not ${value}.`);
}
