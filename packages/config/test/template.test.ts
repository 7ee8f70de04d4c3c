import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { literalText, parseTemplate, renderTemplate } from '../src/template.ts';

const ENV = { A: 'one', EMPTY: '', DOLLAR: '${A} $$ ${', UNDEFINED: undefined };

const render = (text: string): unknown => {
  const { text: rendered, unset, faults } = renderTemplate(parseTemplate(text), ENV);
  return rendered ?? { unset, faults };
};

describe('a template', () => {
  it.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['${A}', 'one'],
    ['${env:A}', 'one'],
    ['x${A}y${A}z', 'xoneyonez'],
    ['${EMPTY}', ''],
    ['${EMPTY:-two}', 'two'],
    ['${NOPE:-two}', 'two'],
    ['${env:NOPE:-two}', 'two'],
    ['${NOPE:-}', ''],
    ['${A:-two}', 'one'],
    ['${UNDEFINED:-two}', 'two'],
    ['${NOPE:-a:-b}', 'a:-b'],
    ['${NOPE:-$A $$ \n}', '$A $$ \n'],
    ['$A', '$A'],
    ['$', '$'],
    ['cost: 5$', 'cost: 5$'],
    ['$$5', '$5'],
    ['$${A}', '${A}'],
    ['$$${A}', '$one'],
    ['$$$${A}', '$${A}'],
    ['{env:A}', '{env:A}'],
    ['${DOLLAR}', '${A} $$ ${'],
  ])('%j becomes %j', (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  it.each([
    ['${NOPE} ${NOPE} ${OTHER}', { unset: ['NOPE', 'OTHER'], faults: [] }],
    ['${UNDEFINED}', { unset: ['UNDEFINED'], faults: [] }],
    ['${hasOwnProperty}', { unset: ['hasOwnProperty'], faults: [] }],
    ['${__proto__}', { unset: ['__proto__'], faults: [] }],
    ['${', { unset: [], faults: ['a ${ that does not end'] }],
    ['a ${NOPE} ${A', { unset: ['NOPE'], faults: ['a ${ that does not end'] }],
    ['${}', { unset: [], faults: ['a ${…} that names no variable'] }],
    ['${A-b}', { unset: [], faults: ['a ${…} that names no variable'] }],
    ['${ A }', { unset: [], faults: ['a ${…} that names no variable'] }],
    ['${1A}', { unset: [], faults: ['a ${…} that names no variable'] }],
    ['${workspaceFolder:x}', { unset: [], faults: ['a ${…} that names no variable'] }],
    ['${A:?must be set}', { unset: [], faults: ['a ${…} that names no variable'] }],
    ['${NOPE:-${A}}', { unset: [], faults: ['a ${…} whose default holds an opening brace'] }],
  ])('%j is refused', (text, expected) => {
    expect(render(text)).toEqual(expected);
  });

  it('never takes apart what a variable holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', 'x') }), (value) => {
        expect(renderTemplate(parseTemplate('<${V}>'), { V: value, A: 'wrong' }).text).toBe(`<${value}>`);
      }),
    );
  });

  it('keeps any text whose dollar signs are doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', 'é', '\n') }), (text) => {
        expect(render(text.replaceAll('$', '$$$$'))).toBe(text);
      }),
    );
  });

  it('tells what stands in the file itself from what variables hold', () => {
    expect(literalText(parseTemplate('--token=${A}${NOPE:-sk-1}$$ ${bad one}'))).toBe('--token=sk-1$ ');
  });
});
