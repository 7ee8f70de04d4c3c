import type { FetchResponse } from './fetch.ts';

const SECONDS = /^\d+$/;
/** The three forms of a date in HTTP; all are in GMT. */
const DATE = new RegExp(
  '^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT' +
    '|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-[A-Z][a-z]{2}-\\d{2} \\d{2}:\\d{2}:\\d{2} GMT' +
    '|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4})$',
);

/**
 * Answers how long a server asks to wait, in milliseconds: `Retry-After` in seconds, or as a date, which is compared
 * with the `Date` of the same answer, so that clocks that differ do not matter, and where there is none with
 * `epochNow`, this machine's own time by default. Any number of seconds is a wait, of `Number.MAX_SAFE_INTEGER` ms at
 * most. `undefined` where it does not say, not in a form that HTTP has, or two different things.
 *
 * Spec: RFC 9110, sections 5.6.7, 6.6.1 and 10.2.3.
 */
export function retryAfterMs(
  headers: FetchResponse['headers'],
  epochNow: () => number = platformNow,
): number | undefined {
  const value = saidOnce(headers.get('retry-after') ?? '');
  if (value === '') return undefined;
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const sent = timeOf(headers.get('date')?.trim() ?? '');
  const waitMs = timeOf(value) - (Number.isNaN(sent) ? epochNow() : sent);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** A field that comes twice reads as a list, and what it says twice is said once. A date may have a comma of its own. */
function saidOnce(list: string): string {
  const parts = list.split(',').map((part) => part.trim());
  const count = [1, 2].find(
    (each) => parts.length % each === 0 && parts.every((part, at) => part === parts[at % each]),
  );
  return parts.slice(0, count).join(', ');
}

const platformNow = (): number => Date.now();

/** `Date.parse` takes far more than HTTP has, such as `in 60`. */
function timeOf(text: string): number {
  if (!DATE.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
