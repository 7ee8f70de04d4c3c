import { describe, expect, it } from 'vitest';
import type { ConfigurationFormat } from '@switchyard/config';
import { linesOf, refusalOf } from './refusal-of.ts';

describe('bounds', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (let level = 0; level < 30; level += 1) {
    const from = level === 0 ? 'a' : `a${level - 1}`;
    bomb.push(`b${level}: &a${level} [${Array.from({ length: 9 }, () => `*${from}`).join(', ')}]`);
  }
  const chain = [
    'a0: &a0 [x]',
    ...Array.from({ length: 70 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}]`),
  ];

  it.each<[string, string, ConfigurationFormat, string]>([
    ['an alias bomb', bomb.join('\n'), 'yaml', 'with its aliases written out the file holds more than 100000 values'],
    [
      'a chain of aliases',
      chain.join('\n'),
      'yaml',
      'with its aliases written out the values are nested deeper than 64 levels',
    ],
    ['deep YAML lists', '['.repeat(500_000), 'yaml', '1:67 the values are nested deeper than 64 levels'],
    ['deep YAML dashes', '- '.repeat(200_000), 'yaml', 'the values are nested deeper than 64 levels'],
    [
      'deep YAML maps',
      Array.from({ length: 500 }, (_, index) => `${' '.repeat(index)}a:\n`).join(''),
      'yaml',
      'the values are nested deeper than 64 levels',
    ],
    ['deep JSON', '['.repeat(500_000), 'json', '1:65 the values are nested deeper than 64 levels'],
    ['many tokens', 'a: 1\n'.repeat(100_000), 'yaml', 'the file holds more than 300000 YAML tokens'],
    ['many values', `[${'1,'.repeat(100_000)}1]`, 'json', 'the file holds more than 100000 values'],
    ['a large text', ' '.repeat(1_048_577), 'yaml', '1:1 the file is larger than 1048576 bytes'],
  ])('refuses %s', (_, text, format, line) => {
    expect(linesOf(text, format).join('\n')).toContain(line);
  });

  it.each<[string, string, ConfigurationFormat]>([
    ['JSON', `{ "agents": ${'['.repeat(62)}${']'.repeat(62)} }`, 'json'],
    ['YAML', `agents: ${'['.repeat(62)}${']'.repeat(62)}`, 'yaml'],
  ])('reads 63 levels of %s and then judges what they hold', (_, text, format) => {
    expect(linesOf(text, format)).toHaveLength(1);
    expect(linesOf(text, format)[0]).toContain('agents must be a map, found a list');
  });

  it('shows the first hundred problems and counts the rest, but keeps them all', () => {
    const error = refusalOf(Array.from({ length: 150 }, (_, index) => `zz${index}: 1`).join('\n'));
    expect(error.problems).toHaveLength(150);
    expect(error.message.split('\n')).toHaveLength(101);
    expect(error.message).toMatch(/\nand 50 more$/);
  });
});

describe('ConfigurationError', () => {
  const text = `mcpServers:
  orders:
    comand: node
  web:
    url: ftp://h
    headers: { A: "\${NOPE}" }
gateway: { port: 70000, anonymousAgent: x }
`;

  it('holds all problems at once, in the order of the text', () => {
    const { problems, code, name } = refusalOf(text);
    expect(problems.map(({ file, line, column, path }) => [file, line, column, path])).toEqual([
      ['/c/switchyard.yaml', 3, 5, ['mcpServers', 'orders', 'comand']],
      ['/c/switchyard.yaml', 5, 10, ['mcpServers', 'web', 'url']],
      ['/c/switchyard.yaml', 6, 19, ['mcpServers', 'web', 'headers', 'A']],
      ['/c/switchyard.yaml', 7, 18, ['gateway', 'port']],
      ['/c/switchyard.yaml', 7, 41, ['gateway', 'anonymousAgent']],
    ]);
    expect([code, name]).toEqual(['invalid_configuration', 'ConfigurationError']);
  });

  it('keeps what is wrong apart from how to mend it', () => {
    expect(refusalOf(text).problems[0]).toMatchObject({
      message: 'unknown key "comand" in mcpServers.orders',
      suggestion: 'did you mean "command"?',
    });
  });

  it('names list items by number in paths', () => {
    expect(refusalOf('agents: { r: { allow: [a, ""] } }').problems[0]?.path).toEqual(['agents', 'r', 'allow', 1]);
  });
});
