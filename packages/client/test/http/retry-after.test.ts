import { expect, it } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.ts';

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

const LOCAL = Date.parse('Sun, 06 Nov 1994 08:49:40 GMT');

function waitMs(value: string, date = DATE): number | undefined {
  const headers = new Headers({ 'retry-after': value, ...(date === '' ? {} : { date }) });
  return retryAfterMs(headers, () => LOCAL);
}

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
  ['Sunday, 06-Nov-94 08:49:47 GMT', 10_000],
  ['Sun Nov  6 08:49:47 1994', 10_000],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ['99999999999', 99_999_999_999_000],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['60, 60', 60_000],
  ['60 ,60,\t60', 60_000],
  ['Sun, 06 Nov 1994 08:49:47 GMT, Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
  ['Sun Nov  6 08:49:47 1994, Sun Nov  6 08:49:47 1994', 10_000],
])('Retry-After: %s is a wait of %i ms', (value, expected) => {
  expect(waitMs(value)).toBe(expected);
});

it.each([
  '',
  '-5',
  '+10',
  '1.5',
  '1e3',
  '30s',
  '5 seconds',
  'in 60',
  'never 1',
  '60, 61',
  '60, ',
  '60, 61, 60, 61',
  'Sun, 06 Nov 1994 08:49:47 GMT, Sun, 06 Nov 1994 08:49:48 GMT',
  '120;x',
  'PT5S',
  '1994-11-06T08:49:47Z',
  'Sun, 06 Nov 1994 08:49:47 +0100',
  'Sun, 99 Nov 1994 08:49:47 GMT',
])('Retry-After: %j has no form that HTTP has, and says nothing', (value) => {
  expect(waitMs(value)).toBeUndefined();
});

it.each(['', '2'])('a date is compared with the time of this machine beside the Date %j', (date) => {
  expect(waitMs('Sun, 06 Nov 1994 08:49:47 GMT', date)).toBe(7000);
});
