import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DiagnoseOptions, RawConnectionTarget } from '../../src/index.ts';
import { program } from './bad-server.ts';
import { examine, type Expected, expectCause } from './expect-cause.ts';

const call: DiagnoseOptions = { tool: { name: 'look', arguments: {} } };
const short: DiagnoseOptions = { timeoutMs: 400 };

/** What a person would see who starts the program by hand, and what it means. */
const causes: [what: string, target: RawConnectionTarget, expected: Expected, options?: DiagnoseOptions][] = [
  [
    'a program that never answers',
    program(`process.stdin.resume(); console.error('waiting for the database')`),
    {
      step: 'handshake',
      saw: /It is silent: neither server\/discover nor initialize/,
      evidence: /stderr: waiting for the database/,
      fix: /waits for something else first/,
    },
    short,
  ],
  [
    'a program that serves over HTTP',
    program(`process.stdin.resume(); console.error('Listening on http://localhost:3000/mcp')`),
    {
      step: 'handshake',
      saw: /It is silent, and speaks of a URL/,
      evidence: /stderr: Listening on/,
      fix: /switchyard doctor http:\/\/localhost:3000\/mcp$/,
    },
    short,
  ],
  [
    'a program that refuses everything without saying what',
    program(`serve(() => void send({ id: null, error: { code: -32700, message: 'No idea' } }))`),
    {
      step: 'handshake',
      saw: /It is silent/,
      evidence: /^initialize: nothing came within 400 ms; meanwhile, to no request: .*No idea/,
      fix: /whether it is an MCP server/,
    },
    short,
  ],
  [
    'a program that refuses everything',
    program(`serve(() => ({ error: { code: -32601, message: 'What is that?' } }))`),
    {
      step: 'handshake',
      saw: /refuses server\/discover and initialize/,
      evidence: /^initialize: error -32601: What is that\?$/,
      fix: /whether it is an MCP server/,
    },
  ],
  [
    'a program that is slow, and refuses everything then',
    program(
      `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1300); serve(() => ({ error: { code: -32601, message: 'What is that?' } }))`,
    ),
    {
      step: 'handshake',
      saw: /refuses server\/discover and initialize/,
      evidence: /^server\/discover: error -32601: What is that\?$/,
      fix: /whether it is an MCP server/,
    },
    { timeoutMs: 1000 },
  ],
  [
    'a greeting that is none',
    program(`serve(() => ({ result: { hello: 'there' } }))`),
    {
      step: 'handshake',
      saw: /no greeting of any revision/,
      evidence: /^initialize: .*"hello":"there"/,
      fix: /protocolVersion, capabilities and serverInfo/,
    },
  ],
  [
    'a revision of the future',
    program(
      `serve(({ method }) => method === 'server/discover' ? { error: { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2031-01-01'], requested: '2026-07-28' } } } : { error: { code: -32601, message: 'no' } })`,
    ),
    {
      step: 'revision',
      saw: /no revision that both sides speak/,
      evidence: /^the server: 2031-01-01$/,
      fix: /Update the server or the client/,
    },
  ],
  [
    'a revision that nobody knows, by initialize',
    program(
      `serve(({ method }) => method === 'initialize' ? { result: { ...greeting, protocolVersion: '1999-01-01' } } : { error: { code: -32601, message: 'no' } })`,
    ),
    { step: 'revision', saw: /no revision/, evidence: /^this client: 2026-07-28, 2025-11-25/, fix: /Update/ },
  ],
  [
    'capabilities that are no capabilities',
    program(
      `serve(({ method }) => method === 'initialize' ? { result: { ...greeting, capabilities: 'all' } } : { error: { code: -32601, message: 'no' } })`,
    ),
    {
      step: 'session',
      saw: /a client gets no further/,
      evidence: /result\.capabilities/,
      fix: /Mend what the message names/,
    },
  ],
  [
    'tools that are not declared',
    program(`modern({ 'server/discover': { result: { ...discovery, capabilities: {} } } })`),
    {
      step: 'capabilities',
      saw: /has a tool, and does not declare the capability tools/,
      evidence: /^declared: none$/,
      fix: /declare tools: \{\}/,
    },
  ],
  [
    'no tools where one is meant',
    program(
      `modern({ 'server/discover': { result: { ...discovery, capabilities: { prompts: {} } } }, 'tools/list': undefined })`,
    ),
    {
      step: 'capabilities',
      saw: /declares no tools, and has none/,
      evidence: /^declared: prompts$/,
      fix: /the server that has the tool/,
    },
    call,
  ],
  [
    'a tool of another name',
    program(`modern({})`),
    { step: 'tool', saw: /lists no tool "loook"/, evidence: /^tools: look$/, fix: /Did you mean look\?/ },
    { tool: { name: 'loook', arguments: {} } },
  ],
  [
    'a tool whose schema leads out of its document',
    program(
      `tools.tools[0].inputSchema = { type: 'object', properties: { a: { $ref: 'https://kiln.test/x' } } }; modern({})`,
    ),
    {
      step: 'tool',
      saw: /its definition cannot be used/,
      evidence: /^look: .*inputSchema/,
      fix: /clients leave it out/,
    },
    call,
  ],
  [
    'a list that is none',
    program(`modern({ 'tools/list': { result: { ...tools, tools: 'many' } } })`),
    { step: 'tool', saw: /list of tools cannot be read/, evidence: /result\.tools must be/, fix: /Mend tools\/list/ },
  ],
  [
    'arguments of another type',
    program(
      `tools.tools[0].inputSchema = { type: 'object', properties: { far: { type: 'integer' } }, required: ['far'] }; modern({})`,
    ),
    {
      step: 'arguments',
      saw: /do not fit the input schema/,
      evidence: /^at \/far, rule type: /,
      fix: /^Correct --args: .*integer/,
    },
    { tool: { name: 'look', arguments: { far: 'very' } } },
  ],
  [
    'an answer of the tool that is a refusal',
    program(
      `modern({ 'tools/call': { result: { resultType: 'complete', isError: true, content: [{ type: 'text', text: 'Account 17 is closed.' }] } } })`,
    ),
    {
      step: 'refusal',
      saw: /its own answer, not a fault of the connection/,
      evidence: /the tool said: Account 17 is closed\./,
      fix: /Do what its text asks for/,
    },
    call,
  ],
  [
    'arguments that the server alone refuses',
    program(`modern({ 'tools/call': { error: { code: -32602, message: 'far must be below 10' } } })`),
    {
      step: 'refusal',
      saw: /refuses the arguments, which fit the schema/,
      evidence: /error -32602: far must be below 10/,
      fix: /have the input schema say/,
    },
    call,
  ],
  [
    'arguments whose format is the server’s to judge',
    program(
      `tools.tools[0].inputSchema = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } };
      modern({ 'tools/call': { error: { code: -32602, message: 'too early' } } })`,
    ),
    { step: 'refusal', saw: /refuses the arguments, which fit the schema/, evidence: /too early/, fix: /./ },
    { tool: { name: 'look', arguments: { at: '2024-01-01T10:00:00' } } },
  ],
  [
    'a server that breaks down while it works',
    program(`modern({ 'tools/call': { error: { code: -32603, message: 'x is not a function' } } })`),
    {
      step: 'refusal',
      saw: /failed while it worked/,
      evidence: /error -32603: x is not a function/,
      fix: /log of the server/,
    },
    call,
  ],
  [
    'a tool that waits for something else',
    program(`modern({ 'tools/call': () => undefined })`),
    {
      step: 'downstream',
      saw: /answers quickly, and the call got no answer in time/,
      evidence: /^the call: \d+ ms$/,
      fix: /--timeout \(now 0\.4 seconds\)/,
    },
    { ...call, ...short },
  ],
  [
    'a tool that says that it waited for something else',
    program(
      `modern({ 'tools/call': { result: { resultType: 'complete', isError: true, content: [{ type: 'text', text: 'connect ETIMEDOUT 10.0.0.9:5432' }] } } })`,
    ),
    {
      step: 'downstream',
      saw: /says that what is behind it did not answer in time/,
      evidence: /ETIMEDOUT 10\.0\.0\.9/,
      fix: /its address, its load/,
    },
    call,
  ],
  [
    'a result of another form',
    program(`modern({ 'tools/call': { result: { resultType: 'complete', content: 'seen' } } })`),
    { step: 'result', saw: /not one of the protocol/, evidence: /result\.content must be/, fix: /mend the place/ },
    call,
  ],
  [
    'a result that breaks its schema',
    program(`tools.tools[0].outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      modern({ 'tools/call': { result: { resultType: 'complete', content: [{ type: 'text', text: '{"n":"x"}' }], structuredContent: { n: 'x' } } } })`),
    { step: 'result', saw: /breaks what the tool promises/, evidence: /\/n/, fix: /output schema/ },
    call,
  ],
  [
    'a tool that ends its server',
    program(`modern({ 'tools/call': () => { console.error('RangeError: out of beds'); process.exit(9) } })`),
    {
      step: 'result',
      saw: /connection ended while the tool worked/,
      evidence: /out of beds/,
      fix: /the tool may end its process/,
    },
    call,
  ],
  [
    'a call that is refused for the revision in which it was met',
    program(
      `modern({ 'tools/call': { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'], requested: 'x' } } } })`,
    ),
    { step: 'result', saw: /refuses the call for its revision/, evidence: /contradict each other/, fix: /Keep -32022/ },
    call,
  ],
  [
    'answers under another id',
    program(
      `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => send({ id: String(JSON.parse(line).id), result: discovery }))`,
    ),
    { step: 'handshake', saw: /another id/, evidence: /^the id of the answer: "2"$/, fix: /exactly as it came/ },
    short,
  ],
  [
    'a tool that prints',
    program(
      `modern({ 'tools/call': () => { console.log('looking hard'); return { result: { resultType: 'complete', content: [] } } } })`,
    ),
    { step: 'stdout-later', saw: /came while the server worked/, evidence: /looking hard/, fix: /Log to stderr/ },
    call,
  ],
];

describe('the tool that a diagnosis calls', () => {
  it.each([
    ['ends the server', `console.error('calls'); process.exit(1);`],
    ['is silent', `console.error('calls'); return undefined;`],
    ['gets -32020', `console.error('calls'); return { error: { code: -32020, message: 'x' } };`],
    ['gets -32021', `console.error('calls'); return { error: { code: -32021, message: 'x' } };`],
    [
      'gets -32022',
      `console.error('calls'); return { error: { code: -32022, message: 'x', data: { supported: ['2026-07-28'] } } };`,
    ],
  ])('is called once, whatever comes of it: it %s', async (_what, code) => {
    const file = join(await mkdtemp(join(tmpdir(), 'switchyard-')), 'calls');
    const noted = code.replace(
      `console.error('calls')`,
      `require('node:fs').appendFileSync(${JSON.stringify(file)}, '|')`,
    );
    for (const era of ['modern', 'legacy']) {
      await writeFile(file, '');
      const first = era === 'modern' ? { result: 'discovery' } : { result: 'greeting' };
      const method = era === 'modern' ? 'server/discover' : 'initialize';
      const target = program(
        `serve(({ method }) => {
          if (method === 'tools/call') { ${noted} }
          if (method === '${method}') return { result: ${first.result} };
          return method === 'tools/list' ? { result: tools } : { error: { code: -32601, message: 'no' } };
        })`,
      );
      await examine(target, { ...call, timeoutMs: 1000 });
      expect(await readFile(file, 'utf8')).toBe('|');
    }
    await rm(dirname(file), { recursive: true });
  });
});

describe('the cause on stdio', () => {
  it.each(causes)('is told of %s', async (_what, target, expected, options = {}) => {
    const diagnosis = await expectCause(target, options, expected);
    expect(JSON.stringify(diagnosis)).not.toMatch(/ghp_0123456789|\\u001b/);
  });
});
