import { describe, expect, it } from 'vitest';
import { linesOf, refusalOf } from './refusal-of.ts';

const KEYS: readonly (readonly [string, string, string])[] = [
  [
    'the other name of mcpServers',
    'servers: {}',
    '1:1 unknown key "servers" at the top level; did you mean "mcpServers"?',
  ],
  [
    'a top-level key with a slip',
    'mcpServer: {}',
    '1:1 unknown key "mcpServer" at the top level; did you mean "mcpServers"?',
  ],
  [
    'a top-level key in another case',
    'MCPSERVERS: {}',
    '1:1 unknown key "MCPSERVERS" at the top level; did you mean "mcpServers"?',
  ],
  [
    'a top-level key like no other',
    'zzz: {}',
    '1:1 unknown key "zzz" at the top level; remove it (of another program\'s file only mcpServers is needed); valid keys are $schema, mcpServers, agents, gateway, limits, audit',
  ],
  [
    'a setting of a desktop program beside its servers',
    '{ "mcpServers": {}, "globalShortcut": "Ctrl+Space" }',
    '1:21 unknown key "globalShortcut" at the top level; remove it (of another program\'s file only mcpServers is needed); valid keys are $schema, mcpServers, agents, gateway, limits, audit',
  ],
  [
    'a server key with a slip, and does not ask for command as well',
    'mcpServers:\n  orders:\n    comand: node',
    '3:5 unknown key "comand" in mcpServers.orders; did you mean "command"?',
  ],
  [
    'a key of another program',
    'mcpServers: { a: { serverUrl: "http://h" } }',
    '1:20 unknown key "serverUrl" in mcpServers.a; did you mean "url"?',
  ],
  [
    'a key without its unit',
    'mcpServers: { a: { command: x, timeout: 5 } }',
    '1:32 unknown key "timeout" in mcpServers.a; did you mean "timeoutMs"?',
  ],
  ['an agent key', 'agents: { r: { alow: [] } }', '1:16 unknown key "alow" in agents.r; did you mean "allow"?'],
  ['a gateway key', 'gateway:\n  prot: 1', '2:3 unknown key "prot" in gateway; did you mean "port"?'],
  [
    'a limits key',
    'limits: { maxResultsBytes: 5000 }',
    '1:11 unknown key "maxResultsBytes" in limits; did you mean "maxResultBytes"?',
  ],
  ['an audit key', 'audit: { durabilty: disk }', '1:10 unknown key "durabilty" in audit; did you mean "durability"?'],
  [
    'a key with invisible characters, shown escaped',
    '"a\\u202e\\u001b[31m": 1',
    '1:1 unknown key "a\\u{202e}\\u001b[31m" at the top level; remove it (of another program\'s file only mcpServers is needed); valid keys are $schema, mcpServers, agents, gateway, limits, audit',
  ],
];

const TYPES: readonly (readonly [string, string, string])[] = [
  ['a list at the top', '[]', '1:1 the top level must be a map, found a list'],
  ['text at the top', 'hello', '1:1 the top level must be a map, found text'],
  ['a list of servers', 'mcpServers: []', '1:13 mcpServers must be a map, found a list'],
  [
    'a server without anything',
    'mcpServers:\n  a:\n',
    '2:5 mcpServers.a must be a map, found nothing; give it a value or remove the key',
  ],
  [
    'args as text',
    'mcpServers: { a: { command: x, args: y } }',
    '1:38 mcpServers.a.args must be a list of texts, found text; write a list, also of one: ["…"]',
  ],
  [
    'a number among args',
    'mcpServers: { a: { command: x, args: [1] } }',
    '1:39 mcpServers.a.args[0] must be text, found a number; put it in quotes',
  ],
  [
    'a number in env, without repeating it',
    'mcpServers: { a: { command: x, env: { PIN: 0815 } } }',
    '1:44 mcpServers.a.env.PIN must be text, found a number; put it in quotes',
  ],
  [
    'true in env',
    'mcpServers: { a: { command: x, env: { ON: true } } }',
    '1:43 mcpServers.a.env.ON must be text, found true; put it in quotes',
  ],
  [
    'a list for headers',
    'mcpServers: { a: { url: "http://h", headers: [] } }',
    '1:46 mcpServers.a.headers must be a map, found a list',
  ],
  [
    'text for disabled',
    'mcpServers: { a: { command: x, disabled: yes } }',
    '1:42 mcpServers.a.disabled must be true or false, found text',
  ],
  [
    'a port in quotes',
    'gateway: { port: "7420" }',
    '1:18 gateway.port must be a whole number, found text; write it without quotes',
  ],
  [
    'a variable for a port',
    'gateway: { port: "${PORT}" }',
    '1:18 gateway.port must be a whole number, found text; write a number; variables are not replaced here',
  ],
  ['a fraction', 'gateway: { port: 1.5 }', '1:18 gateway.port must be a whole number, found 1.5'],
  ['an infinity', 'gateway: { port: .inf }', '1:18 gateway.port must be a whole number, found Infinity'],
  ['a list of lists', 'agents: { r: { allow: [[a]] } }', '1:24 agents.r.allow[0] must be text, found a list'],
];

const RANGES: readonly (readonly [string, string, string])[] = [
  ['a port above 65535', 'gateway: { port: 65536 }', '1:18 gateway.port must be between 0 and 65535, found 65536'],
  [
    'a whole number that no double holds exactly',
    'limits: { callTimeoutMs: 1e20 }',
    '1:26 limits.callTimeoutMs must be between 1 and 86400000, found 100000000000000000000',
  ],
  ['a negative port', 'gateway: { port: -1 }', '1:18 gateway.port must be between 0 and 65535, found -1'],
  [
    'no time at all',
    'limits: { callTimeoutMs: 0 }',
    '1:26 limits.callTimeoutMs must be between 1 and 86400000, found 0',
  ],
  [
    'a tiny limit',
    'limits: { maxBodyBytes: 1 }',
    '1:25 limits.maxBodyBytes must be between 1024 and 1073741824, found 1',
  ],
  [
    'an unknown durability',
    'audit: { durability: dsik }',
    '1:22 audit.durability must be one of process, disk; found "dsik"; did you mean "disk"?',
  ],
  [
    'an unknown type',
    'mcpServers: { a: { url: "http://h", type: sse } }',
    '1:43 mcpServers.a.type must be one of stdio, http, streamable-http, streamableHttp, streamable_http, remote; found "sse"; the old HTTP+SSE transport is not supported: give the url at which the server speaks Streamable HTTP, often ending in /mcp, and leave type out',
  ],
  [
    'a path without slash',
    'gateway: { path: mcp }',
    '1:18 gateway.path must be a path that starts with a slash, without ? and #',
  ],
  [
    'an origin with a path',
    'gateway: { allowedOrigins: ["https://a.example/x"] }',
    '1:29 gateway.allowedOrigins[0] must be an origin as browsers send it: scheme, host and perhaps port in lower case, such as https://app.example.com:8443',
  ],
  [
    'a host with a scheme',
    'gateway: { allowedHosts: ["https://a.example"] }',
    '1:27 gateway.allowedHosts[0] must be a host name or an address in lower case, perhaps with a port, such as switchyard.example.com:7420',
  ],
  ['an empty command', 'mcpServers: { a: { command: "" } }', '1:29 mcpServers.a.command must not be empty'],
  ['an empty url', 'mcpServers: { a: { url: "" } }', '1:25 mcpServers.a.url must not be empty'],
  [
    'a variable in the path of the audit',
    'audit: { path: "${HOME}/a.db" }',
    '1:16 audit.path must be a path; variables are not replaced here',
  ],
  [
    'an access entry of an unknown kind',
    'agents: { r: { allow: ["tools:a__*"] } }',
    '1:24 agents.r.allow[0] is no access entry; expected a pattern such as orders__*, tool:orders__get_*, prompt:orders__review or resource:orders:*',
  ],
  [
    'an empty access entry',
    'agents: { r: { allow: [""] } }',
    '1:24 agents.r.allow[0] is no access entry; expected a pattern such as orders__*, tool:orders__get_*, prompt:orders__review or resource:orders:*',
  ],
];

const NAME_RULE =
  'must not be empty, start or end with a space, or hold a slash, a colon, a star or a control character';
const NAMES: readonly (readonly [string, string, string])[] = [
  ['a slash', 'mcpServers: { a/b: { command: x } }', `1:15 the name "a/b" in mcpServers ${NAME_RULE}`],
  ['a colon', 'mcpServers: { "a:b": { command: x } }', `1:15 the name "a…" in mcpServers ${NAME_RULE}`],
  ['a star', 'mcpServers: { "a*": { command: x } }', `1:15 the name "a*" in mcpServers ${NAME_RULE}`],
  ['a line break', 'mcpServers: { "a\\nb": { command: x } }', `1:15 the name "a\\nb" in mcpServers ${NAME_RULE}`],
  [
    'a direction override',
    'mcpServers: { "a\\u202eb": { command: x } }',
    `1:15 the name "a\\u{202e}b" in mcpServers ${NAME_RULE}`,
  ],
  ['nothing', 'mcpServers: { "": { command: x } }', `1:15 the name "" in mcpServers ${NAME_RULE}`],
  ['a space at its end', 'mcpServers: { "a ": { command: x } }', `1:15 the name "a " in mcpServers ${NAME_RULE}`],
  [
    '65 characters',
    `mcpServers: { ${'é'.repeat(65)}: { command: x } }`,
    `1:15 the name "${'é'.repeat(64)}…" in mcpServers must not be longer than 64 characters`,
  ],
  ['a slash in an agent', 'agents: { a/b: {} }', `1:11 the name "a/b" in agents ${NAME_RULE}`],
  [
    'an equals sign in a variable',
    'mcpServers: { a: { command: x, env: { "A=B": c } } }',
    '1:39 the name "A…" in mcpServers.a.env must not be empty or hold an equals sign',
  ],
  [
    'a space in a header',
    'mcpServers: { a: { url: "http://h", headers: { "A B": c } } }',
    '1:48 the name "A…" in mcpServers.a.headers is no name of an HTTP header',
  ],
  [
    'the same look as another',
    'mcpServers: { "\\u00e9": { command: x }, "e\\u0301": { command: x } }',
    '1:41 the server ids "é" and "e\u0301" look the same',
  ],
];

const SERVERS: readonly (readonly [string, string, string])[] = [
  [
    'neither command nor url',
    'mcpServers:\n  orders: { args: [] }',
    '2:3 mcpServers.orders has no command and no url; add command: the program to start, or url: the remote endpoint',
  ],
  [
    'neither, though disabled',
    'mcpServers: { a: { disabled: true } }',
    '1:15 mcpServers.a has no command and no url; add command: the program to start, or url: the remote endpoint',
  ],
  [
    'both command and url',
    'mcpServers: { a: { command: x, url: "http://h" } }',
    '1:32 mcpServers.a has both command and url; keep command for a program to start, or url for a remote server',
  ],
  [
    'headers for a program',
    'mcpServers: { a: { command: x, headers: {} } }',
    '1:32 mcpServers.a has headers, which belongs to a server with url; this one has command; a program takes env',
  ],
  [
    'env for a remote server',
    'mcpServers: { a: { env: {}, url: "http://h" } }',
    '1:20 mcpServers.a has env, which belongs to a server with command; this one has url; a remote server takes headers',
  ],
  [
    'args for a remote server',
    'mcpServers: { a: { url: "http://h", args: [] } }',
    '1:37 mcpServers.a has args, which belongs to a server with command; this one has url; remove args',
  ],
  [
    'type http and command',
    'mcpServers: { a: { command: x, type: http } }',
    '1:32 mcpServers.a has type http and command; remove type, or write stdio',
  ],
  [
    'type stdio and url',
    'mcpServers: { a: { type: stdio, url: "http://h" } }',
    '1:20 mcpServers.a has type stdio and url; remove type, or write http',
  ],
  [
    'a URL of another scheme',
    'mcpServers: { a: { url: "ftp://h" } }',
    '1:25 mcpServers.a.url must start with https:// or http://; write it as https://host/path',
  ],
  [
    'what is no URL',
    'mcpServers: { a: { url: "example.com/mcp" } }',
    '1:25 mcpServers.a.url is no URL once its variables are replaced; write it as https://host/path',
  ],
  [
    'one header twice',
    'mcpServers: { a: { url: "http://h", headers: { X-A: b, x-a: c } } }',
    '1:56 the header "x-a" in mcpServers.a.headers is there twice, also as "X-A"; keep one of the two; case does not tell headers apart',
  ],
  [
    'an anonymous agent that is none',
    'agents: { reader: {} }\ngateway: { anonymousAgent: raeder }',
    '2:28 gateway.anonymousAgent names "raeder", but there is no such agent; did you mean "reader"?',
  ],
  [
    'an anonymous agent without agents',
    'gateway: { anonymousAgent: reader }',
    '1:28 gateway.anonymousAgent names "reader", but there is no such agent; add "reader" to agents',
  ],
];

const FORMS = 'write ${NAME}, ${env:NAME} or ${NAME:-default}; a literal ${ is written $${';
const VARIABLES: readonly (readonly [string, string, string])[] = [
  [
    'an unset variable in args',
    'mcpServers:\n  a:\n    command: x\n    args:\n      - "${NOPE}"',
    '5:9 the variable NOPE in mcpServers.a.args[0] is not set; set it in the environment, or give it a default: ${NOPE:-…}',
  ],
  [
    'an unset variable in command',
    'mcpServers: { a: { command: "${env:NOPE}" } }',
    '1:29 the variable NOPE in mcpServers.a.command is not set; set it in the environment, or give it a default: ${NOPE:-…}',
  ],
  [
    'an unset variable in env',
    'mcpServers: { a: { command: x, env: { A: "${NOPE}" } } }',
    '1:42 the variable NOPE in mcpServers.a.env.A is not set; set it in the environment, or give it a default: ${NOPE:-…}',
  ],
  [
    'an unset variable in cwd',
    'mcpServers: { a: { command: x, cwd: "${NOPE}" } }',
    '1:37 the variable NOPE in mcpServers.a.cwd is not set; set it in the environment, or give it a default: ${NOPE:-…}',
  ],
  [
    'an unset variable in url',
    'mcpServers: { a: { url: "http://${NOPE}" } }',
    '1:25 the variable NOPE in mcpServers.a.url is not set; set it in the environment, or give it a default: ${NOPE:-…}',
  ],
  [
    'an unset variable in a header',
    'mcpServers: { a: { url: "http://h", headers: { A: "${NOPE}" } } }',
    '1:51 the variable NOPE in mcpServers.a.headers.A is not set; set it in the environment, or give it a default: ${NOPE:-…}',
  ],
  [
    'a name of every object',
    'mcpServers: { a: { command: "${constructor}" } }',
    '1:29 the variable constructor in mcpServers.a.command is not set; set it in the environment, or give it a default: ${constructor:-…}',
  ],
  [
    'an expression that does not end',
    'mcpServers: { a: { command: "${TOKEN" } }',
    `1:29 mcpServers.a.command holds a \${ that does not end; ${FORMS}`,
  ],
  [
    'a form of another program, without repeating it',
    'mcpServers: { a: { command: "${input:sk-1}" } }',
    `1:29 mcpServers.a.command holds a \${…} that names no variable; ${FORMS}`,
  ],
  [
    'a nested default',
    'mcpServers: { a: { command: "${A:-${B}}" } }',
    `1:29 mcpServers.a.command holds a \${…} whose default holds an opening brace; ${FORMS}`,
  ],
  [
    'a command that a variable made empty',
    'mcpServers: { a: { command: "${EMPTY}" } }',
    '1:29 mcpServers.a.command is empty once its variables are replaced',
  ],
  [
    'a working directory that a variable made empty',
    'mcpServers: { a: { command: x, cwd: "${SPACES}" } }',
    '1:37 mcpServers.a.cwd is empty once its variables are replaced',
  ],
  [
    'a NUL character',
    'mcpServers: { a: { command: x, args: ["${NUL}"] } }',
    '1:39 mcpServers.a.args[0] holds a NUL character',
  ],
  [
    'a line break in a header',
    'mcpServers: { a: { url: "http://h", headers: { A: "${BROKEN}" } } }',
    '1:51 mcpServers.a.headers.A holds a character that no HTTP header can carry; look for a line break, perhaps at the end of a variable',
  ],
  [
    'a URL that a variable broke',
    'mcpServers: { a: { url: "${TOKEN}" } }',
    '1:25 mcpServers.a.url is no URL once its variables are replaced; write it as https://host/path',
  ],
];

describe('a refusal that names a key', () => {
  it.each([
    ['env', 'mcpServers: { a: { command: x, env: { API_TOKEN:s3cret } } }', 'write a space after the colon'],
    ['env, without a colon', 'mcpServers: { a: { command: x, env: { API_TOKEN s3cret } } }', 'give it a value'],
    ['env, with =', 'mcpServers: { a: { command: x, env: { API_TOKEN=s3cret } } }', 'hold an equals sign'],
    ['env, as an alias', 'mcpServers: { a: { command: x, env: { API_TOKEN: *s3cret } } }', 'needs quotes'],
    [
      'headers',
      'mcpServers: { a: { url: "http://h", headers: { A:Bearer s3cret } } }',
      'write a space after the colon',
    ],
    ['a server', 'mcpServers: { a: { url:https://u:s3cret@h } }', 'write a space after the colon'],
    ['a server, without a colon', 'mcpServers: { a: { command: x, token s3cret: 1 } }', 'unknown key "token…"'],
    ['servers', 'mcpServers: { a:s3cret }', 'write a space after the colon'],
    ['the top level', '{ a:s3cret, a:s3cret }', 'keep one of the two'],
  ])('shows nothing of a value that became part of it: in %s', (_place, text, advice) => {
    const error = refusalOf(text);
    expect(error.message).toContain(advice);
    expect(error.message + JSON.stringify(error.problems)).not.toContain('s3cret');
  });
});

describe('a configuration with one fault is refused with its place and a way to mend it', () => {
  describe.each([
    ['unknown keys', KEYS],
    ['wrong types', TYPES],
    ['wrong values', RANGES],
    ['names', NAMES],
    ['servers and agents', SERVERS],
    ['variables', VARIABLES],
  ])('%s', (_, table) => {
    it.each(table)('%s', (_name, text, line) => {
      expect(linesOf(text)).toEqual([line]);
    });
  });
});
