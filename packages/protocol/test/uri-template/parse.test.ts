import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compareTemplates, parseUriTemplate } from '../../src/uri-template.ts';
import { UriTemplateError } from '../../src/uri-template/parts.ts';

function positionOf(template: string): number {
  try {
    parseUriTemplate(template);
  } catch (error) {
    if (error instanceof UriTemplateError) return error.position;
    throw error;
  }
  throw new Error('The template was parsed.');
}

describe('parseUriTemplate', () => {
  test('lists the variables once, in the order of their first use', () => {
    expect(parseUriTemplate('x://{b}{?a,c:3,b}{/d*}').variables).toEqual(['b', 'a', 'c', 'd']);
    expect(parseUriTemplate('x://none').variables).toEqual([]);
    expect(parseUriTemplate('').variables).toEqual([]);
  });

  test.each(['{a.b}', '{a_1}', '{1}', '{%C3%BC}', '{a,b}', '{+a*}', '{?a:9999}'])('[RES-07] accepts %j', (source) => {
    expect(parseUriTemplate(source).source).toBe(source);
  });

  test.each([
    ['x{/id*', 1],
    ['/id*}', 4],
    ['}', 0],
    ['a{b{c}', 2],
    ['{a}}', 3],
    ['{}', 1],
    ['{?}', 2],
    ['{a,}', 3],
    ['{,a}', 1],
    ['{a,,b}', 3],
    ['{=a}', 1],
    ['{,}', 1],
    ['{!a}', 1],
    ['{@a}', 1],
    ['{|a}', 1],
    ['{$a}', 1],
    ['{??a}', 2],
    ['{ a}', 1],
    ['{a }', 1],
    ['{a-b}', 1],
    ['{é}', 1],
    ['{a..b}', 1],
    ['{.a.}', 2],
    ['{%2x}', 1],
    ['x{a,b:}', 5],
    ['{a:0}', 2],
    ['{a:01}', 2],
    ['{a:10000}', 2],
    ['{a:x}', 2],
    ['{a:3*}', 2],
    ['{a*:3}', 1],
    ['{a:3:4}', 2],
    ['{a**}', 1],
    ['100%', 3],
    ['a%2', 1],
    ['a%zz{b}', 1],
    ['a\nb', 1],
    ['\ud800', 0],
  ])('[RES-07] refuses %j at position %i', (source, position) => {
    expect(positionOf(source)).toBe(position);
  });

  test('takes at most 8,192 characters and 64 expressions', () => {
    expect(parseUriTemplate('a'.repeat(8192)).specificity).toBe(8192);
    expect(positionOf('a'.repeat(8193))).toBe(8192);
    expect(parseUriTemplate('{a}'.repeat(64)).variables).toEqual(['a']);
    expect(positionOf('{a}'.repeat(65))).toBe(192);
  });

  test('throws nothing but its own error', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '+',
      '#',
      '.',
      '/',
      ';',
      '?',
      '&',
      ',',
      '*',
      ':',
      '3',
      'a',
      'b',
      '%41',
      '%',
      'é',
      '\ud800',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          parseUriTemplate(pieces.join('')).match(pieces.toReversed().join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(UriTemplateError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('compareTemplates', () => {
  test('puts the template with more literal characters first and keeps the order of equals', () => {
    const sources = ['x://{a}/{b}', 'x://{+rest}', 'x://items/{id}', 'x://{c}/{d}', 'x://items/new', 'x://{e}/edit'];
    expect(
      sources
        .map((source) => parseUriTemplate(source))
        .sort(compareTemplates)
        .map(({ source }) => source),
    ).toEqual(['x://items/new', 'x://items/{id}', 'x://{e}/edit', 'x://{a}/{b}', 'x://{c}/{d}', 'x://{+rest}']);
  });
});
