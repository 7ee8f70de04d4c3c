import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { readPlainYaml } from '../../src/skills/plain-yaml.ts';
import { differingField, readSkillText } from '../../src/skills/skill-head.ts';

const readable = [
  'name: pdf-processing\ndescription: Extract, fill, and assemble PDF documents',
  '# a note\nname: x\n\ndescription: "a: b # c"\n',
  "name: x\ndescription: 'it''s'",
  'name: x\r\ndescription: y\r\n',
  'version: 1.0\ncount: 12\nbig: 1e3\nneg: -4\noct: 0o17\nhex: 0xff\non: yes\nzip: 01234\ntext: 1.2.3\ndate: 2026-11-30',
  'a: true\nb: False\nc: null\nd: ~\ne:\nf: ""',
  'metadata:\n  author: Ada\n  level: 2\nlicense: MIT',
  'metadata:\n  deep:\n    deeper: 1\n  next: 2',
  'allowed-tools:\n  - Read\n  - "Write: all"\n  - 3\nname: x',
  'allowed-tools:\n- Read\n- Write\nname: x',
  'list: ["a", 1, {"b": null}]\nmap: {"a": 1}',
  '"quoted key": 1\nhttp: http://example.com/x#y',
  'description: Uses -- dashes, ? marks and "quotes" inside',
];

const refused = [
  'description: >-\n  folded',
  'description: |\n  literal',
  'description: first\n  second',
  'a: [b, c]',
  'a: {b: c}',
  'a: &anchor x\nb: *anchor',
  'a: !!str 1',
  'a: b: c',
  'a: b # comment',
  'a: .inf',
  'a: @x',
  '- a\n- b',
  'a: 1\na: 2',
  'a:\n  b: 1\n c: 2',
  '? a\n: b',
  'a: "unfinished',
  "a: 'unfinished",
  'a:\n\tb: 1',
  'just text',
  '%YAML 1.2',
  'a: ---',
  'a:\n  - b: 1',
];

describe('the plain reader of heads', () => {
  it.each(readable)('reads %j as a reader of all of YAML does', (text) => {
    expect(readPlainYaml(text)).toEqual(parse(text));
  });

  it.each(refused)('refuses %j', (text) => {
    expect(() => readPlainYaml(text)).toThrow(SyntaxError);
  });

  it('takes no key for a prototype', () => {
    const read = readPlainYaml('__proto__:\n  isAdmin: true');
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('answers a deep head with an error and not with a full stack', () => {
    const text = Array.from({ length: 5000 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n');
    expect(() => readPlainYaml(text)).toThrow(/deep/);
  });
});

describe('a head of a skill that is made to take long', () => {
  it.each([`- ${'\t'.repeat(60_000)}x\u2028y`, `a: ${' '.repeat(60_000)}x\u2028y`])('is read in time (%#)', (line) => {
    const before = performance.now();
    expect(() => readPlainYaml(line.startsWith('-') ? `a:\n${line}` : line)).toThrow(SyntaxError);
    expect(performance.now() - before).toBeLessThan(500);
  });
});

describe('the text of a skill', () => {
  it.each([
    ['---\nname: x\n---\nBody\n---\nmore', 'Body\n---\nmore'],
    ['---\r\nname: x\r\n---\r\nBody', 'Body'],
    ['---\nname: x\n---', ''],
  ])('%j is a head and a body', (text, body) => {
    expect(readSkillText(text)).toEqual({ frontmatter: { name: 'x' }, body });
  });

  it.each([
    'name: x',
    '\n---\nname: x\n---\n',
    '---\nname: x\n',
    `---\nname: ${'x'.repeat(70_000)}\n---\n`,
    '',
    '---\n---\n',
  ])('%.30j is none', (text) => {
    if (text === '---\n---\n') expect(readSkillText(text).frontmatter).toEqual({});
    else expect(() => readSkillText(text)).toThrow(SyntaxError);
  });

  it('differs in a field, whatever the order and the depth', () => {
    expect(differingField({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toBeUndefined();
    expect(differingField({ b: { c: [1, 2] } }, { b: { c: [2, 1] } })).toBe('b');
    expect(differingField({ a: undefined }, {})).toBe('a');
    expect(differingField({ a: '1' }, { a: 1 })).toBe('a');
    expect(differingField({ a: null }, { a: {} })).toBe('a');
  });
});
