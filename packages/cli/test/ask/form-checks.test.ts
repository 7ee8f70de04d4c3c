import type { FormField } from '@switchyard/client';
import { describe, expect, it } from 'vitest';
import { allowedLine, readFieldText } from '../../src/ask/field-text.ts';
import { createFormChecks } from '../../src/ask/form-checks.ts';

describe('the checks of a form', () => {
  it('follow references into the form, and demand of one field nothing of the others', () => {
    const checks = createFormChecks({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 3 }, b: { type: 'string', $ref: '#/properties/a' } },
      required: ['a', 'b'],
      minProperties: 2,
    });
    expect(checks.field('b', 'four')).toMatch(/maxLength/);
    expect(checks.field('b', 'two')).toBeUndefined();
    expect(checks.form({ b: 'two' })).toMatch(/required|minProperties/);
  });

  it('follow references by the name of the form', () => {
    const checks = createFormChecks({
      $id: 'https://forms.example/a',
      type: 'object',
      properties: { b: { type: 'string', $ref: 'https://forms.example/a#/$defs/short' } },
      $defs: { short: { maxLength: 3 } },
    });
    expect(checks.field('b', 'four')).toMatch(/maxLength/);
  });

  it.each([{ $ref: '#/nowhere' }, { $ref: 'https://elsewhere.example/x' }, { type: 5 }, { pattern: '(' }])(
    'pass what they cannot check and the client checks again: %j',
    (field) => {
      const checks = createFormChecks({ type: 'object', properties: { a: field } });
      expect([checks.field('a', 'x'), checks.form({ a: 'x' })]).toEqual([undefined, undefined]);
    },
  );

  it('of a part that refers to the whole do not throw', () => {
    const checks = createFormChecks({
      type: 'object',
      properties: { a: { type: 'string', $ref: '#/allOf/0' } },
      allOf: [{ maxLength: 3 }],
    });
    expect(() => checks.field('a', 'four')).not.toThrow();
  });
});

describe('a choice', () => {
  const field = (...options: readonly (readonly [string, string])[]): FormField => ({
    name: 'level',
    type: 'choice',
    title: 'Level',
    description: undefined,
    isRequired: true,
    default: undefined,
    options: options.map(([value, title]) => ({ value, title })),
    format: undefined,
  });

  it.each([
    [field(['3', '3'], ['2', '2'], ['1', '1']), '1', '1'],
    [field(['3', '3'], ['2', '2'], ['1', '1']), '3', '3'],
    [field(['a', '2'], ['b', '1']), '1', 'b'],
    [field(['a', 'A'], ['b', 'B']), '2', 'b'],
    [field(['10', 'ten'], ['20', 'twenty']), '2', '20'],
  ])('is what it is called before it is what it is numbered (%#)', (choice, typed, value) => {
    expect(readFieldText(choice, typed)).toEqual({ value });
  });
});

describe('a field without choices', () => {
  const field: FormField = {
    name: 'level',
    type: 'integer',
    title: 'Level',
    description: undefined,
    isRequired: true,
    default: undefined,
    options: undefined,
    format: undefined,
  };
  const form = (level: object) => ({ type: 'object', properties: { level } });

  it.each([
    [{ type: 'integer', enum: [10, 20n, 30] }, '  One of 10, 20, 30'],
    [{ type: 'string', enum: ['a\u001b[2J', null] }, '  One of a, null'],
    [{ type: 'integer', enum: Array.from({ length: 60 }, () => 1) }, `  One of ${'1, '.repeat(50)}… and 10 more`],
    [{ type: 'integer' }, undefined],
  ])('has the values shown that its form allows (%#)', (schema, line) => {
    expect(allowedLine(field, form(schema))).toBe(line);
  });

  it('shows no second list where it has choices', () => {
    const choice: FormField = { ...field, type: 'choice', options: [{ value: 'a', title: 'A' }] };
    expect(allowedLine(choice, form({ type: 'string', enum: ['a'] }))).toBeUndefined();
  });
});
