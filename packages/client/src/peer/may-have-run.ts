import type { ClientErrorCode } from './client-error-code.ts';

/** Codes of failures before the server had the request, or by which it said that it does not carry it out. */
const codesOfRefusals: ReadonlySet<ClientErrorCode> = new Set([
  'start-failed',
  'connect-failed',
  'unauthorized',
  'version',
  'circuit-open',
  'authorization',
  'invalid-argument',
]);

/** With these a proxy gives up on a request that it may have handed on. */
const statusesOfGivingUp: ReadonlySet<number> = new Set([408, 499]);
/** The statuses from 500 up whose meaning is that nothing was done. */
const statusesOfInability: ReadonlySet<number> = new Set([501, 505, 511]);

/** Where what is known of a failure is not all in its code. */
interface FailureTraits {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Answers whether a server may have carried out the request that failed with `code`, as far as code and status say so.
 * Of statuses without an answer, those of refusals rule it out: 307 and 308, 4xx but 408 and 499, 501, 505 and 511, and
 * 503 with a time to come back. A server may answer with another redirect after it did what a POST asks for, and a proxy
 * with 500, 502 to 504 or 520 to 530 after it handed the request on.
 *
 * Spec: RFC 9110, sections 15.4 to 15.6.
 */
export function saysItMayHaveRun(code: ClientErrorCode, { status, retryAfterMs }: FailureTraits): boolean {
  if (code !== 'http-status' || status === undefined) return !codesOfRefusals.has(code);
  if (status < 400) return status !== 307 && status !== 308;
  if (status < 500) return statusesOfGivingUp.has(status);
  return !statusesOfInability.has(status) && !(status === 503 && retryAfterMs !== undefined);
}
