import { describe, expect, it } from 'vitest';
import { type CheckOptions, parseConfiguration, renderProblem } from '@switchyard/config';

const findCredential = (text: string): { kind: string } | undefined =>
  /sk-[a-z0-9]{4}|--token[ =]\S/.test(text) ? { kind: 'API key' } : undefined;

function warningsOf(text: string, options: Partial<CheckOptions> = {}): string[] {
  const { warnings } = parseConfiguration(text, { path: '/c/s.yaml', env: { T: 'sk-9999' }, ...options });
  return warnings.map((warning) => renderProblem(warning).replace('/c/s.yaml:', ''));
}

const MOVE_TO_ENV = 'command lines stand in process lists: move it to env, as NAME: ${NAME}';
const MOVE_TO_HEADERS = 'URLs stand in logs: move it to headers, such as Authorization: Bearer ${NAME}';

describe('a credential that stands literally where others read it is a warning with its place and the safe form', () => {
  it.each([
    [
      'in args',
      'mcpServers:\n  a:\n    command: x\n    args: [y, sk-abcd]',
      `4:15 a credential (API key) stands literally in mcpServers.a.args[1]; ${MOVE_TO_ENV}`,
    ],
    [
      'in one argument with its flag',
      'mcpServers: { a: { command: x, args: [--token=abc] } }',
      `1:39 a credential (API key) stands literally in mcpServers.a.args[0]; ${MOVE_TO_ENV}`,
    ],
    [
      'in the argument after its flag',
      'mcpServers: { a: { command: x, args: [--token, abc] } }',
      `1:48 a credential (API key) stands literally in mcpServers.a.args[1]; ${MOVE_TO_ENV}`,
    ],
    [
      'as the default of a variable',
      'mcpServers: { a: { command: x, args: ["${K:-sk-abcd}"] } }',
      `1:39 a credential (API key) stands literally in mcpServers.a.args[0]; ${MOVE_TO_ENV}`,
    ],
    [
      'in command',
      'mcpServers: { a: { command: "x sk-abcd" } }',
      `1:29 a credential (API key) stands literally in mcpServers.a.command; ${MOVE_TO_ENV}`,
    ],
    [
      'in url',
      'mcpServers: { a: { url: "http://h/?key=sk-abcd" } }',
      `1:25 a credential (API key) stands literally in mcpServers.a.url; ${MOVE_TO_HEADERS}`,
    ],
    [
      'before the @ of a url',
      'mcpServers: { a: { url: "http://u:p@h" } }',
      `1:25 a credential (password in a URL) stands literally in mcpServers.a.url; ${MOVE_TO_HEADERS}`,
    ],
    [
      'before the @ of a URL in args',
      'mcpServers: { a: { command: x, args: ["pg://u:p@h/d"] } }',
      `1:39 a credential (password in a URL) stands literally in mcpServers.a.args[0]; ${MOVE_TO_ENV}`,
    ],
  ])('%s', (_, text, line) => {
    const warnings = warningsOf(text, { findCredential });
    expect(warnings).toEqual([line]);
    expect(warnings.join()).not.toContain('abcd');
  });

  it.each([
    ['a variable in args', 'mcpServers: { a: { command: x, args: ["${T}", "--token=${T}", "--token", "${T}"] } }'],
    ['a variable before the @', 'mcpServers: { a: { url: "http://u:${T}@h" } }'],
    ['a user without password', 'mcpServers: { a: { url: "http://u@h/x:y@z" } }'],
    [
      'env and headers',
      'mcpServers: { a: { command: x, env: { K: sk-abcd } }, b: { url: "http://h", headers: { K: sk-abcd } } }',
    ],
    ['a disabled server', 'mcpServers: { a: { command: x, args: [sk-abcd], disabled: true } }'],
    ['a word after a flag with its own value', 'mcpServers: { a: { command: x, args: ["--a=b", "c"] } }'],
  ])('but not %s', (_, text) => {
    expect(warningsOf(text, { findCredential })).toEqual([]);
  });

  it('finds only passwords in URLs without a detector', () => {
    expect(warningsOf('mcpServers: { a: { command: x, args: [sk-abcd] } }')).toEqual([]);
    expect(warningsOf('mcpServers: { a: { url: "http://u:p@h" } }')).toHaveLength(1);
  });

  it('is told once where the detector takes the flag itself for one', () => {
    const flags = (text: string): { kind: string } | undefined =>
      text.includes('--key') ? { kind: 'flag' } : undefined;
    const warnings = warningsOf('mcpServers: { a: { command: x, args: [--key, value] } }', { findCredential: flags });
    expect(warnings.map((line) => line.slice(0, 5))).toEqual(['1:39 ']);
  });

  it('is named in errors of the same file no more than in warnings', () => {
    const text = 'mcpServers: { a: { command: x, args: [sk-abcd, "${NOPE}"] } }';
    expect(() => warningsOf(text, { findCredential })).toThrow(/NOPE/);
    expect(() => warningsOf(text, { findCredential })).not.toThrow(/sk-abcd/);
  });
});

const SERVERS =
  'mcpServers: { filesystem: { command: x }, book-orders: { command: x }, off: { command: x, disabled: true } }';
const agent = (...entries: readonly string[]): string =>
  `${SERVERS}\nagents:\n  r:\n    allow: ${JSON.stringify(entries)}\n`;

describe('an access entry that no configured server can match is a warning', () => {
  it.each([
    ['fielsystem__read_*', 'did you mean "filesystem__read_*"?'],
    ['tool:bookorders__*', 'did you mean "tool:book-orders__*"?'],
    ['prompt:fs__*', 'servers are filesystem, book-orders, off'],
    ['filesystem', 'did you mean "filesystem__*"?'],
    ['filesystem__', 'did you mean "filesystem__"?'],
    ['filesystem_read', 'did you mean "filesystem__*"?'],
    ['resource:filesytem:file:///*', 'did you mean "resource:filesystem:file:///*"?'],
    ['resource:filesystem__*', 'did you mean "resource:filesystem:*"?'],
    ['filex*', 'servers are filesystem, book-orders, off'],
  ])('%s', (entry, suggestion) => {
    const message = `agents.r.allow[0] is ${JSON.stringify(entry)}, which matches nothing of any server`;
    const [warning, ...others] = warningsOf(agent(entry));
    expect(others).toEqual([]);
    expect(warning?.startsWith(`4:13 ${message}; `)).toBe(true);
    expect([warning, suggestion]).toEqual([`4:13 ${message}; ${suggestion}`, suggestion]);
  });

  it.each([
    'filesystem__*',
    'filesystem__read_text_file',
    'tool:filesystem__read_*',
    'file*',
    '*',
    '*__read_*',
    'filesystem__*_x',
    'off__*',
    'prompt:book-orders__review',
    'resource:*',
    'resource:filesystem:file:///a/*',
    'resource:filesystem:*',
  ])('but not %s', (entry) => {
    expect(warningsOf(agent(entry))).toEqual([]);
  });

  it('looks at ask and deny too', () => {
    expect(warningsOf(`${SERVERS}\nagents: { r: { ask: [a__*], deny: [b__*] } }`)).toHaveLength(2);
  });

  it('counts servers that code mounts', () => {
    expect(warningsOf(agent('memory__*'))).toHaveLength(1);
    expect(warningsOf(agent('memory__*'), { mountedServers: ['memory'] })).toEqual([]);
  });

  it('says nothing while no server is known at all', () => {
    expect(warningsOf('agents: { r: { allow: [memory__*] } }')).toEqual([]);
  });

  it("knows the host's names of servers only when it is told their rule", () => {
    const text = 'mcpServers: { 書店: { command: x } }\nagents: { r: { allow: ["s1__*", "s2__*", "resource:x:*"] } }';
    expect(warningsOf(text)).toHaveLength(1);
    expect(warningsOf(text, { exposedServerName: () => 's1' })).toEqual([
      '2:33 agents.r.allow[1] is "s2__*", which matches nothing of any server; did you mean "s1__*"?',
      '2:42 agents.r.allow[2] is "resource:x:*", which matches nothing of any server; servers are 書店',
    ]);
  });

  it('says nothing of a deny entry that begins with an id which the host calls otherwise, as it covers the server', () => {
    const lists = `allow: ['my docs__a'], ask: ['my docs__b'], deny: ['my docs__c', 'prompt:my docs__*', 'docs__c']`;
    const text = `mcpServers: { my docs: { command: x } }\nagents: { r: { ${lists} } }`;
    const found = warningsOf(text, { exposedServerName: () => 'my_docs' });
    expect(found.map((line) => line.split(' ')[1])).toEqual([
      'agents.r.allow[0]',
      'agents.r.ask[0]',
      'agents.r.deny[2]',
    ]);
  });

  it('stops after a hundred', () => {
    expect(warningsOf(agent(...Array.from({ length: 150 }, (_, index) => `no${index}__*`)))).toHaveLength(100);
  });
});

describe('a tilde, which only a shell replaces, is a warning', () => {
  it.each([
    [
      'cwd',
      'mcpServers: { a: { command: x, cwd: ~/a } }',
      '1:37 mcpServers.a.cwd starts with ~, which is not replaced; write ${HOME} instead',
    ],
    [
      'command',
      'mcpServers: { a: { command: ~/bin/x } }',
      '1:29 mcpServers.a.command starts with ~, which is not replaced; write ${HOME} instead',
    ],
  ])('in %s', (_, text, line) => {
    expect(warningsOf(text)).toEqual([line]);
  });
});

it('puts warnings in the order of the text', () => {
  const text = 'agents: { r: { allow: [zz__*] } }\nmcpServers: { a: { url: "http://u:p@h" }, b: { command: ~/x } }';
  expect(warningsOf(text).map((line) => line.slice(0, 5))).toEqual(['1:24 ', '2:25 ', '2:57 ']);
});

describe('a folder among the arguments of a program that holds the audit and its key is a warning', () => {
  const at = (place: string, state: string) =>
    `${place} is a folder that holds the audit and its key (${state}), which callers of the server could then read; ` +
    'give the server another folder, or set audit.path to a place outside of this one';
  const server = (args: string, rest = '') => `mcpServers: { fs: { command: x, args: [${args}]${rest} } }`;

  it.each([
    [
      'as the folder of the configuration',
      server('-y, .'),
      ['1:44 ' + at('mcpServers.fs.args[1]', '.switchyard/audit.db')],
    ],
    [
      'as the folder itself',
      server('/c/.switchyard/'),
      ['1:40 ' + at('mcpServers.fs.args[0]', '.switchyard/audit.db')],
    ],
    ['as one above', server('/'), ['1:40 ' + at('mcpServers.fs.args[0]', '.switchyard/audit.db')]],
    ['in an option', server('--root=.'), ['1:40 ' + at('mcpServers.fs.args[0]', '.switchyard/audit.db')]],
    [
      'from the working directory of the program',
      server('..', ', cwd: sub'),
      ['1:40 ' + at('mcpServers.fs.args[0]', '.switchyard/audit.db')],
    ],
    [
      'where audit.path says so',
      `${server('data')}\naudit: { path: data/a.db }`,
      ['1:40 ' + at('mcpServers.fs.args[0]', 'data/a.db')],
    ],
  ])('%s', (_, text, lines) => {
    expect(warningsOf(text)).toEqual(lines);
  });

  it.each([
    ['another folder', server('data, /tmp, ..data')],
    ['a folder below', server('.switchyard/other')],
    ['an option without a path', server('-r, --root, ""')],
    ['a folder while the audit is elsewhere', `${server('.')}\naudit: { path: ../state/audit.db }`],
    ['a program that is left out', server('.', ', disabled: true')],
  ])('and %s is none', (_, text) => {
    expect(warningsOf(text)).toEqual([]);
  });
});
