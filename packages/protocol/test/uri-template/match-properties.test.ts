import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseUriTemplate } from '../../src/uri-template.ts';

describe('match', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });

  test('inverts expand for simple templates and any values', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (list) => {
        const names = list.map((_, index) => `v${index}`);
        const values = Object.fromEntries(list.map((value, index) => [`v${index}`, value]));
        const template = parseUriTemplate(`orders://${names.map((name) => `{${name}}`).join('/')}`);
        expect(template.match(template.expand(values))).toEqual(values);
      }),
    );
  });

  test('inverts expand for path, fragment, parameters and query, with absent values and lists', () => {
    const list = fc.array(text, { minLength: 1, maxLength: 4 });
    const values = fc.record(
      {
        a: text,
        b: fc.string({ unit: 'binary' }),
        p: fc.string({ unit: 'binary' }),
        q: text,
        list,
        more: list,
        frag: fc.string({ unit: fc.constantFrom(...'aé/?#&=, 7') }),
      },
      { requiredKeys: ['a'] },
    );
    const template = parseUriTemplate('x://{a}{/list*}{;p,b}{?q,more*}{#frag}');
    fc.assert(
      fc.property(values, (value) => {
        expect(template.match(template.expand(value))).toEqual(value);
      }),
    );
  });

  const scalar = fc.string({
    unit: fc.constantFrom('a', 'b', '/', '.', ',', ';', '?', '&', '=', '%', 'é', '-'),
    minLength: 1,
    maxLength: 4,
  });
  const operator = fc.constantFrom('', '.', '/', ';', '?', '&');
  const literal = fc.constantFrom('a', '.', '/', ';', '-', 'é', 'ab', '#', ',');
  const template = fc
    .array(fc.oneof(literal, fc.record({ operator, size: fc.integer({ min: 1, max: 3 }), explode: fc.boolean() })), {
      maxLength: 5,
    })
    .map((pieces) => {
      let count = 0;
      return pieces
        .map((piece) => {
          if (typeof piece === 'string') return piece;
          const names = Array.from({ length: piece.size }, () => `v${(count += 1)}${piece.explode ? '*' : ''}`);
          return `{${piece.operator}${names.join(',')}}`;
        })
        .join('');
    });

  test('matches every expansion whose variables all have text, and finds values that make an equal URI', () => {
    fc.assert(
      fc.property(template, fc.array(scalar, { minLength: 15, maxLength: 15 }), (source, texts) => {
        const parsed = parseUriTemplate(source);
        const values = Object.fromEntries(parsed.variables.map((name, index) => [name, texts[index] ?? 'x']));
        // Only the first question mark of a URI begins a query.
        fc.pre(source.split('{?').length <= 2);
        const found = parsed.match(parsed.expand(values));
        expect(found).toBeDefined();
        expect(parsed.match(parsed.expand(found ?? {}))).toEqual(found);
      }),
      { numRuns: 3000 },
    );
  });

  test('agrees with a backtracking matcher on which URIs match', () => {
    const segment = "(?:[A-Za-z0-9._~!$&'()*+,;=:@é-]|%[0-9A-F]{2})";
    const anyCharacter = "(?:[A-Za-z0-9._~!$&'()*+,;=:@é/?#[\\]-]|%[0-9A-F]{2})";
    const patterns: Record<string, (size: number) => string> = {
      '': () => `${segment}+`,
      '+': () => `${anyCharacter}+`,
      '#': () => `(?:#${anyCharacter}*)?`,
      '.': () => `(?:\\.${segment}*)?`,
      '/': (size) => `(?:/${segment}*){0,${size}}`,
    };
    const piece = fc.oneof(
      fc.constantFrom('a', '/', '.', '-', 'ab', '#'),
      fc.record({ operator: fc.constantFrom('', '+', '#', '.', '/'), size: fc.integer({ min: 1, max: 3 }) }),
    );
    const uri = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '-', '#', '%41', '%2F', ','), maxLength: 10 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), uri, (pieces, candidate) => {
        let count = 0;
        const source = pieces.map((each) =>
          typeof each === 'string'
            ? each
            : `{${each.operator}${Array.from({ length: each.size }, () => `v${(count += 1)}`).join(',')}}`,
        );
        const pattern = pieces.map((each) =>
          typeof each === 'string' ? each.replaceAll(/[/.]/g, '\\$&') : patterns[each.operator]?.(each.size),
        );
        const expected = new RegExp(`^(?:${pattern.join('')})$`, 'u').test(candidate.replaceAll('%41', 'A'));
        expect(parseUriTemplate(source.join('')).match(candidate) !== undefined).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test('never throws on any URI', () => {
    const templates = ['x:{a}', 'x:{+a}{?b,c*}{#d}', 'x:{/a*,b}{;c}{.d}', '{a:3}{+a}'].map((source) =>
      parseUriTemplate(source),
    );
    const piece = fc.constantFrom(
      'x:',
      'a',
      '/',
      '?',
      '&',
      '=',
      ';',
      '#',
      '.',
      ',',
      '%',
      '%C3',
      '%A9',
      '%2F',
      'b=',
      'é',
      '\ud800',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        for (const each of templates) each.match(pieces.join(''));
      }),
      { numRuns: 2000 },
    );
  });
});
