import type { FetchResponse } from './fetch.ts';

const SECONDS = /^\d{1,10}$/;

/**
 * Answers how long a server asks to wait, in milliseconds: `Retry-After` in seconds, or as a date, which is compared
 * with the `Date` of the same answer, so that clocks that differ do not matter. `undefined` where it does not say, or
 * not in a form that HTTP has.
 *
 * Spec: RFC 9110, section 10.2.3.
 */
export function retryAfterMs(headers: FetchResponse['headers']): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (SECONDS.test(value)) return Number(value) * 1000;
  const waitMs = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
