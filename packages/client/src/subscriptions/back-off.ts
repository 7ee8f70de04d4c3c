import { errorCodes, ProtocolError } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/**
 * Answers how long to wait before the next attempt: a second, with each failure in a row twice that, up to a minute. Up
 * to half of it is taken off by chance, so that not every client of a server comes back at once.
 */
export function delayMs(failures: number, random: () => number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS) * (1 - random() / 2);
}

/** Answers an interval for the next look at something, with a fifth of chance, and longer the oftener that failed. */
export function pollDelayMs(pollMs: number, failures: number, random: () => number): number {
  return pollMs * 2 ** Math.min(failures, 3) * (0.9 + random() / 5);
}

const finalCodes: ReadonlySet<number> = new Set([
  errorCodes.methodNotFound.code,
  errorCodes.invalidParams.code,
  errorCodes.missingRequiredClientCapability.code,
]);

const finalFailures: ReadonlySet<string> = new Set(['unauthorized', 'authorization', 'version', 'invalid-argument']);

/** Answers whether asking again would come to the same: the server does not have it, or not for this caller. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ProtocolError) return finalCodes.has(error.code);
  if (!(error instanceof ClientError)) return false;
  return finalFailures.has(error.code) || (error.code === 'http-status' && error.status === 403);
}
