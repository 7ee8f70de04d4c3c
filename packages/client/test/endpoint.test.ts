import { describe, expect, it } from 'vitest';
import { excerpt, quoted } from '../src/peer/excerpt.ts';
import { describeUrl, readEndpoint } from '../src/http/endpoint.ts';
import { isJsonMediaType, mediaTypeOf } from '../src/http/media-type.ts';
import { createPeerContext } from '../src/peer/peer-context.ts';

const context = createPeerContext({ server: 'depot' });

describe('an endpoint', () => {
  it('is asked without user, password and fragment, and shown without its query', () => {
    const endpoint = readEndpoint(context, 'https://mira:s%3Acret@depot.test:8443/mcp?key=1#x', { 'X-Key': 'k' });
    expect(endpoint).toEqual({
      url: 'https://depot.test:8443/mcp?key=1',
      shown: 'https://depot.test:8443/mcp',
      headers: { authorization: `Basic ${btoa('mira:s:cret')}`, 'x-key': 'k' },
    });
  });

  it('keeps a configured Authorization header before that of its URL', () => {
    expect(readEndpoint(context, 'https://a:b@depot.test', { Authorization: 'Bearer t' }).headers).toEqual({
      authorization: 'Bearer t',
    });
  });

  it.each(['ws://depot.test', 'file:///mcp', 'no-url', 'http://a:%ZZ@depot.test'])(
    'refuses %s without repeating it',
    (url) => {
      const read = (): unknown => readEndpoint(context, url, {});
      expect(read).toThrowError(expect.objectContaining({ code: 'invalid-argument', server: 'depot' }) as Error);
      expect(read).not.toThrowError(url);
    },
  );

  it.each([
    ['https://a:b@depot.test/mcp?k=v#f', 'https://depot.test/mcp'],
    ['nonsense:// secret', 'an unreadable URL'],
  ])('is described as a message may show it: %s', (url, shown) => {
    expect(describeUrl(url)).toBe(shown);
  });
});

describe('an excerpt', () => {
  it.each([
    ['plain', 'plain'],
    ['two\r\nlines\u2028and\ttabs', 'two lines and tabs'],
    ['\u001b[31mred\u001b[0m', '[31mred [0m'],
    ['admin\u202Etxt.exe\u200B', 'admintxt.exe'],
    ['', ''],
  ])('of %j is one clean line', (text, expected) => {
    expect(excerpt(text)).toBe(expected);
  });

  it('is no longer than it should be, however long the text', () => {
    expect(excerpt('x'.repeat(1e6), 10)).toBe(`${'x'.repeat(10)}…`);
    expect(excerpt(`a${'😀'.repeat(100)}`, 10)).toBe('a😀😀😀😀…');
    expect(excerpt(`ab${' '.repeat(1000)}`, 10)).toBe('ab…');
    expect(quoted('a "name"')).toBe('"a "name""');
  });
});

describe('a media type', () => {
  it.each([
    ['Text/Event-Stream; charset=UTF-8', 'text/event-stream'],
    [' application/json ', 'application/json'],
    ['', undefined],
    [null, undefined],
  ])('of %j is %s', (header, type) => {
    expect(mediaTypeOf(header)).toBe(type);
  });

  it.each([
    ['application/json', true],
    ['application/problem+json', true],
    ['text/plain', false],
  ])('%s is JSON: %s', (type, isJson) => {
    expect(isJsonMediaType(type)).toBe(isJson);
  });
});
