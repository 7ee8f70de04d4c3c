import { describe, expect, it } from 'vitest';
import { configurationSchema } from '../src/configuration-schema.ts';
import { isHeaderName, isHeaderValue, problemOfName } from '../src/index.ts';

describe('the name of a server or an agent', () => {
  it.each(['orders', 'Bestellungen-ä', 'a b', 'x'.repeat(64), '注文'])('may be %j', (name) => {
    expect(problemOfName(name)).toBeUndefined();
  });

  it.each(['', 'a/b', 'a:b', 'a*', ' a', 'a ', 'a\n', 'a\u202e', '\ud800', 'x'.repeat(65)])('may not be %j', (name) => {
    expect(problemOfName(name)).toMatch(/^must /);
  });
});

describe('an HTTP header', () => {
  it('has a token as its name', () => {
    for (const name of ['Authorization', "x!#$%&'*+-.^_`|~9"]) expect(isHeaderName(name)).toBe(true);
    for (const name of ['', 'a b', 'a:', 'ä', 'a\n']) expect(isHeaderName(name)).toBe(false);
    expect(
      new RegExp(
        configurationSchema.properties.mcpServers.additionalProperties.properties.headers.propertyNames.pattern,
      ).test('a:'),
    ).toBe(false);
  });

  it('has visible Latin-1, spaces and tabs as its value', () => {
    for (const value of ['', 'Bearer x', 'a\tb', 'é']) expect(isHeaderValue(value)).toBe(true);
    for (const value of ['a\nb', 'a\0', '…']) expect(isHeaderValue(value)).toBe(false);
  });
});
