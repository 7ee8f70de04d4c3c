import { expect, it } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.ts';

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

function waitMs(value: string, date = DATE): number | undefined {
  return retryAfterMs(new Headers({ 'retry-after': value, date }));
}

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
  ['Sunday, 06-Nov-94 08:49:47 GMT', 10_000],
  ['Sun Nov  6 08:49:47 1994', 10_000],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
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
  '60, 60',
  '120;x',
  'PT5S',
  '1994-11-06T08:49:47Z',
  'Sun, 06 Nov 1994 08:49:47 +0100',
  'Sun, 99 Nov 1994 08:49:47 GMT',
])('Retry-After: %j has no form that HTTP has, and says nothing', (value) => {
  expect(waitMs(value)).toBeUndefined();
});

it('a date says nothing beside a Date that is none', () => {
  expect(waitMs('Sun, 06 Nov 1994 08:49:47 GMT', '2')).toBeUndefined();
});
