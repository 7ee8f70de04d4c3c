import { describe, expect, it } from 'vitest';

import { traceForms } from '../src/trace-context.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the form of a trace', () => {
  it('[META-18] is known of each key that carries one', () => {
    expect([...traceForms.keys()]).toEqual(['traceparent', 'tracestate', 'baggage']);
  });

  it.each<[string, unknown]>([
    ['traceparent', traceparent],
    ['traceparent', `cc${traceparent.slice(2)}-more`],
    ['tracestate', 'vendor=value,other=1'],
    ['tracestate', `k=${'x'.repeat(256)},l=${'x'.repeat(256)},m=${'x'.repeat(256)}`],
    ['baggage', 'userId=alice'],
    ['baggage', 'a=1,b=%20;public;ttl = 5 , c=x=y'],
    ['baggage', 'a='],
  ])('[META-18] is kept by %s: %.60j', (key, value) => {
    expect(traceForms.get(key)?.(value)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['traceparent', 'zzz'],
    ['traceparent', `${traceparent}\n`],
    ['traceparent', 5],
    ['traceparent', null],
    ['tracestate', {}],
    ['tracestate', ''],
    ['tracestate', 'no state'],
    ['baggage', 5],
    ['baggage', ''],
    ['baggage', 'alone'],
    ['baggage', 'a=1,'],
    ['baggage', 'a b=1'],
    ['baggage', 'a="quoted"'],
    ['baggage', 'a=ä'],
    ['baggage', 'a=1;'],
    ['baggage', 'a=1\n'],
  ])('[META-18] is broken by %s: %.60j', (key, value) => {
    expect(traceForms.get(key)?.(value)).toBe(false);
  });
});
