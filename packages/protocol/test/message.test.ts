import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isMessageId, parseMessage } from '../src/message.ts';

describe('message ids', () => {
  it.each([
    ['zero', 0],
    ['a negative integer', -3],
    ['the largest exact integer', Number.MAX_SAFE_INTEGER],
    ['the empty string', ''],
    ['a string of digits', '007'],
    ['a string with a space', 'a b'],
  ])('[MSG-03] takes %s', (_, id) => {
    expect(isMessageId(id)).toBe(true);
    expect(parseMessage({ jsonrpc: '2.0', id, method: 'tools/list' })).toMatchObject({
      kind: 'request',
      message: { id },
    });
  });

  it.each([
    ['null', null],
    ['a fraction', 1.5],
    ['an integer that a double cannot hold', 2 ** 53],
    ['infinity', Infinity],
    ['not a number', NaN],
    ['true', true],
    ['an object', { a: 1 }],
    ['an array', []],
    ['a bigint', 1n],
  ])('[MSG-04] refuses %s, as a request and never as a notification', (_, id) => {
    expect(isMessageId(id)).toBe(false);
    expect(parseMessage({ jsonrpc: '2.0', id, method: 'tools/list' })).toEqual({
      kind: 'invalid',
      id: undefined,
      problem: 'id must be a string or an integer',
    });
  });
});

describe('parseMessage', () => {
  it.each<[string, object, string]>([
    ['a request', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, 'request'],
    ['a request without params', { jsonrpc: '2.0', id: 'x', method: 'tools/list' }, 'request'],
    ['a request with an empty method', { jsonrpc: '2.0', id: 1, method: '' }, 'request'],
    ['a request with further members', { jsonrpc: '2.0', id: 1, method: 'x', extra: [] }, 'request'],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, 'notification'],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }, 'response'],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -32603, message: '' } }, 'response'],
    ['an error without an id', { jsonrpc: '2.0', error: { code: -32700, message: 'x' } }, 'response'],
    ['an error whose id is null', { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } }, 'response'],
  ])('[MSG-01] recognises %s and keeps it as it came', (_, value, kind) => {
    expect(parseMessage(value)).toStrictEqual({ kind, message: value });
  });

  it.each<[string, unknown, number | undefined, RegExp]>([
    ['null', null, undefined, /object/],
    ['a number', 42, undefined, /object/],
    ['a string', 'tools/list', undefined, /object/],
    ['true', true, undefined, /object/],
    ['nothing', undefined, undefined, /object/],
    ['an empty batch', [], undefined, /batch/],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], undefined, /batch/],
    ['an empty object', {}, undefined, /jsonrpc/],
    ['another JSON-RPC version', { jsonrpc: '1.0', id: 5, method: 'tools/list' }, 5, /jsonrpc/],
    ['a version of another type', { jsonrpc: 2, id: 5, method: 'tools/list' }, 5, /jsonrpc/],
    ['a method of another type', { jsonrpc: '2.0', id: 1, method: ['x'] }, 1, /method/],
    ['a method that is null', { jsonrpc: '2.0', id: 1, method: null }, 1, /method/],
    ['params that are an array', { jsonrpc: '2.0', id: 2, method: 'tools/call', params: [1, 2] }, 2, /params/],
    ['params that are null', { jsonrpc: '2.0', id: 2, method: 'tools/call', params: null }, 2, /params/],
    ['a method beside a result', { jsonrpc: '2.0', id: 3, method: 'x', result: {} }, 3, /either/],
    ['a method beside an error', { jsonrpc: '2.0', id: 3, method: 'x', error: {} }, 3, /either/],
    ['neither method nor result nor error', { jsonrpc: '2.0', id: 4 }, 4, /a message has/],
    ['a result beside an error', { jsonrpc: '2.0', id: 4, result: {}, error: { code: 1, message: '' } }, 4, /not both/],
    ['a result that is no object', { jsonrpc: '2.0', id: 4, result: 'ok' }, 4, /result/],
    ['a result without an id', { jsonrpc: '2.0', result: {} }, undefined, /id/],
    ['a result whose id is null', { jsonrpc: '2.0', id: null, result: {} }, undefined, /id/],
    ['an error that is no object', { jsonrpc: '2.0', id: 4, error: 'boom' }, 4, /error/],
    ['an error code that is a string', { jsonrpc: '2.0', id: 4, error: { code: '-32603', message: '' } }, 4, /code/],
    ['an error code that is a fraction', { jsonrpc: '2.0', id: 4, error: { code: 1.5, message: '' } }, 4, /code/],
    ['an error without a message', { jsonrpc: '2.0', id: 4, error: { code: 1 } }, 4, /message/],
    ['an error with an unreadable id', { jsonrpc: '2.0', id: 1.5, error: { code: 1, message: '' } }, undefined, /id/],
  ])('[MSG-01] calls %s invalid, with the id where it could be read', (_, value, id, problem) => {
    expect(parseMessage(value)).toStrictEqual({ kind: 'invalid', id, problem: expect.stringMatching(problem) });
  });

  it('never throws, and takes nothing for a message that lacks the members of its kind', () => {
    const member = fc.oneof(fc.constant('2.0'), fc.jsonValue());
    const keys = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'] as const;
    const record = fc.record(Object.fromEntries(keys.map((key) => [key, member])), { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(record, fc.jsonValue()), (value) => {
        const parsed = parseMessage(value);
        if (parsed.kind === 'invalid') return;
        expect(parsed.message).toBe(value);
        expect(parsed.message.jsonrpc).toBe('2.0');
        expect('method' in parsed.message).toBe(parsed.kind !== 'response');
        if (parsed.kind === 'request') expect(isMessageId(parsed.message.id)).toBe(true);
        if (parsed.kind === 'notification') expect('id' in parsed.message).toBe(false);
      }),
    );
  });
});
