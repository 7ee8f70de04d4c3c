import { describe, expect, it } from 'vitest';
import type { ConfigurationFormat } from '@switchyard/config';
import { linesOf } from './refusal-of.ts';

const YAML: readonly (readonly [string, string, string])[] = [
  ['a tab as indentation', 'mcpServers:\n\ta: {}', '2:1 this is not valid YAML: tabs are not allowed as indentation'],
  [
    'a list that does not end',
    'mcpServers: { a: { command: x, args: [1, 2\n',
    '2:1 this is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['quotes that do not end', 'a: "b', '1:6 this is not valid YAML: missing closing "quote'],
  [
    'two colons in a line',
    'a: b: c',
    '1:4 this is not valid YAML: nested mappings are not allowed in compact mappings',
  ],
  [
    'an unknown escape',
    'a: "\\q"',
    '1:5 this is not valid YAML: this escape in double quotes does not exist; write \\\\ for a backslash',
  ],
  [
    'a custom tag',
    'a: !env TOKEN',
    '1:4 this is not valid YAML: tags beyond !!str, !!int, !!float, !!bool and !!null are refused',
  ],
  [
    'a tag of YAML 1.1',
    'a: !!binary aGk=',
    '1:4 this is not valid YAML: tags beyond !!str, !!int, !!float, !!bool and !!null are refused',
  ],
  [
    'a tag that does not fit its value',
    'a: !!int b',
    '1:4 this is not valid YAML: tags beyond !!str, !!int, !!float, !!bool and !!null are refused',
  ],
  ['YAML 1.1', '%YAML 1.1\n---\na: yes', '1:1 only YAML 1.2 is read; remove the %YAML line'],
  [
    'an unknown directive',
    '%FOO\u001b[2J\n---\na: 1',
    '1:1 this is not valid YAML: a directive of this kind is not known',
  ],
  [
    'two documents',
    'mcpServers: {}\n---\nmcpServers: {}',
    '2:1 the file holds more than one YAML document; remove the --- line',
  ],
  ['a key that is a list', '? [a]\n: b', '1:3 this is not valid YAML: a key must be plain text'],
  [
    'a duplicate key',
    'mcpServers:\n  a: { command: x }\n  a: { command: y }',
    '3:3 duplicate key "a" in mcpServers; it already stands on line 2; keep one of the two',
  ],
  [
    'a duplicate key in two spellings',
    'mcpServers: { a: { command: x, "command": y } }',
    '1:32 duplicate key "command" in mcpServers.a; it already stands on line 1; keep one of the two',
  ],
  [
    'the key __proto__',
    'mcpServers: { __proto__: { command: x } }',
    '1:15 the key "__proto__" in mcpServers is refused',
  ],
  [
    'an alias to nothing',
    'mcpServers: *b',
    '1:13 this alias points to no anchor before it; a text that begins with * needs quotes',
  ],
  [
    'an alias to the value around it',
    'mcpServers: &a { a: *a }',
    '1:21 this alias stands inside the value that it points to; a text that begins with * needs quotes',
  ],
  ['a merge key with text', 'mcpServers: { <<: a }', '1:15 a merge key << needs a map, such as <<: *defaults'],
  ['only a comment', '# nothing yet\n', '1:1 the file holds no configuration; start with mcpServers: and one server'],
  ['only a mark', '---\n', '1:4 the file holds no configuration; start with mcpServers: and one server'],
  ['nothing', '', '1:1 the file holds no configuration; start with mcpServers: and one server'],
];

const JSON_TEXTS: readonly (readonly [string, string, ConfigurationFormat, string])[] = [
  [
    'a comma before a brace',
    '{\n  "mcpServers": {},\n}',
    'json',
    '3:1 this is not valid JSON: a key in double quotes is expected here; remove the comma before it, or name the file .jsonc',
  ],
  [
    'a comment',
    '{ // here\n}',
    'json',
    '1:3 this is not valid JSON: a comment is not allowed in a .json file; name the file .jsonc to write comments',
  ],
  [
    'a text cut in half',
    '{ "mcpServers": { "a": { "comm',
    'json',
    '1:26 this is not valid JSON: the text in quotes does not end',
  ],
  ['a missing brace', '{\n  "mcpServers": {}\n', 'jsonc', '3:1 this is not valid JSON: the closing } is missing'],
  ['a key without quotes', '{ mcpServers: {} }', 'jsonc', '1:3 this is not valid JSON: this is no JSON value'],
  ['something after the end', '{}{}', 'json', '1:3 this is not valid JSON: the text goes on after its end'],
  [
    'a duplicate key',
    '{ "mcpServers": {},\n  "mcpServers": {} }',
    'json',
    '2:3 duplicate key "mcpServers" at the top level; it already stands on line 1; keep one of the two',
  ],
  [
    'a duplicate key, once escaped',
    '{ "gateway": {}, "\\u0067ateway": {} }',
    'jsonc',
    '1:18 duplicate key "gateway" at the top level; it already stands on line 1; keep one of the two',
  ],
  [
    'the key __proto__',
    '{ "__proto__": { "command": "x" } }',
    'json',
    '1:3 the key "__proto__" at the top level is refused',
  ],
  ['null', 'null', 'json', '1:1 the file holds no configuration; start with mcpServers: and one server'],
  ['nothing', '\uFEFF \r\n', 'jsonc', '1:1 the file holds no configuration; start with mcpServers: and one server'],
];

describe('a text that cannot be read is refused with its place', () => {
  it.each(YAML)('YAML: %s', (_, text, line) => {
    expect(linesOf(text)).toEqual([line]);
  });

  it.each(JSON_TEXTS)('JSON: %s', (_, text, format, line) => {
    expect(linesOf(text, format)).toEqual([line]);
  });

  it('YAML: merge keys that write out more than a file may hold, before they are written out', () => {
    // Written out, these would be eighty million entries, which the runner's limit ends.
    const map = Array.from({ length: 12_000 }, (_, at) => `  k${at}: 1\n`).join('');
    const once = `x: &a\n${map}y:\n  <<: [${Array.from({ length: 7000 }, () => '*a').join(',')}]\n`;
    const each = `x: &a\n${map}${Array.from({ length: 7000 }, (_, at) => `y${at}: { <<: *a }\n`).join('')}`;
    for (const text of [once, each])
      expect(linesOf(text)).toEqual(['1:1 with its aliases written out the file holds more than 100000 values']);
  });

  it('repeats nothing of the file where something unexpected stands', () => {
    expect(linesOf('a: 1\n]: sk-secret-9')).toEqual(['2:1 this is not valid YAML: something unexpected stands here']);
  });
});
