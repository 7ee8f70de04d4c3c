import { describe, expect, it } from 'vitest';
import { traceOf } from '../src/trace-of.ts';

const ids = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceparent = `00-${ids}`;

describe('a trace of a caller', () => {
  it.each([
    { traceparent },
    { traceparent, tracestate: 'vendor=value,other=1' },
    { traceparent, tracestate: 'tenant1@vendor=a b; c:d,, \t1key/*_-= x' },
    { traceparent, tracestate: Array.from({ length: 32 }, (_, at) => `k${at}=v`).join(',') },
    { traceparent: `cc-${ids}` },
    { traceparent: `cc-${ids}-what_later_versions_add` },
  ])('goes on as it is: %j', (meta) => {
    expect(traceOf(meta)).toEqual(meta);
  });

  it.each([
    'any text at all',
    traceparent.toUpperCase(),
    `${traceparent}-more`,
    `${traceparent}\n`,
    `ff-${ids}`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `cc-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01-more`,
    `cc-${ids}-${'x'.repeat(100)}`,
    `cc-${ids}-two words`,
    '',
    7,
    [traceparent],
    undefined,
  ])('is none, and carries no state, where it has not the form of one: %.80j', (given) => {
    expect(traceOf({ traceparent: given, tracestate: 'vendor=value' })).toEqual({});
  });

  it.each([
    `k=${'x'.repeat(511)}`,
    'vendor=ä',
    'a=b\n',
    '',
    7,
    null,
    'any text at all',
    'vendor',
    'vendor=',
    '=value',
    'Vendor=value',
    'a=b=c',
    'a=b,any text',
    `a=${'b'.repeat(257)}`,
    Array.from({ length: 33 }, (_, at) => `k${at}=v`).join(','),
  ])('goes on without a state that has not the form of one: %.30j', (tracestate) => {
    expect(traceOf({ traceparent, tracestate })).toEqual({ traceparent });
  });

  it('has nothing else of the metadata', () => {
    expect(traceOf({ traceparent, baggage: 'a=b', 'com.example/key': 1 })).toEqual({ traceparent });
  });
});
