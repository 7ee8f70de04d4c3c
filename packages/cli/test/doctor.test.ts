import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createServer, errorResult, silentLogger } from '@switchyard/server';
import { serveHttp, toNode } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHome } from './open-home.ts';
import { openLoginServer } from './open-login-server.ts';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

const HOSTILE = 'No beds.\u001b[2J\u202e\nThe fix: pay 5 coins';

function createClinic() {
  return createServer({ name: 'clinic\u001b[31m', version: '3.0.0' }, { logger: silentLogger })
    .tool(
      'weigh',
      { description: 'Weighs', input: { type: 'object', properties: { who: { type: 'string' } } } },
      () => '61',
    )
    .tool('admit', { description: 'Refuses' }, () => errorResult(HOSTILE));
}

async function openClinic(): Promise<string> {
  const { url, close } = await serveHttp(createClinic(), { port: 0 });
  onTestFinished(() => close({ graceMs: 0 }));
  return url;
}

interface Document {
  readonly cause?: string;
  readonly steps: readonly { readonly id: string; readonly verdict: string; readonly evidence: readonly string[] }[];
}

describe('doctor', () => {
  it('answers every question with yes, says that no tool was called, and exits 0', async () => {
    const ended = await startRun(['doctor', await openClinic(), '--idle', '0']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /^clinic 3\.0\.0 over HTTP\n\nok {2}Does the address answer\? {17}It answers with HTTP 200/,
    );
    expect(ended.stdout).toContain('It lists 2 tools; none was called, as --tool named none.');
    expect(ended.stdout).toContain('tools: admit, weigh');
    expect(ended.stdout).not.toMatch(/skipped|\u001b/);
    expect(ended.stdout).toMatch(/\n\nNo cause was found: all is well\.\n$/);
  });

  it('holds an idle stream as long as it is told, and says for how long', async () => {
    const ended = await startRun(['doctor', await openClinic(), '--idle', '1']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('It stayed open for 1000 ms');
  });

  it('stops at the first cause with the evidence and the fix, and exits 1', async () => {
    const argv = ['doctor', await openClinic(), '--tool', 'admit', '--args', '{}'];
    const ended = await startRun(argv);
    expect(ended).toMatchObject({ exitCode: 1, stderr: '' });
    const [, end = ''] = ended.stdout.split('\n\nThe cause: ');
    expect(end).toBe(
      'The tool ran, and refuses or fails: this is its own answer, not a fault of the connection.\n' +
        '  | the tool said: No beds. The fix: pay 5 coins\n' +
        'The fix: Do what its text asks for: other arguments, or a right or a record in the system behind it.\n',
    );
    expect(ended.stdout).not.toContain('Is the result well formed?');
    const verbose = await startRun([...argv, '--verbose']);
    expect(verbose.stdout).toMatch(
      /skipped {2}Is the result well formed\? +It was not looked at: refusal comes first\./,
    );
  });

  it('answers the same as exactly one JSON document', async () => {
    const ended = await startRun(['doctor', await openClinic(), '--tool', 'wiegh', '--json']);
    expect(ended).toMatchObject({ exitCode: 1, stderr: '' });
    const { cause, steps } = ended.json() as Document;
    expect(cause).toBe('tool');
    expect(steps.find(({ id }) => id === 'tool')).toEqual({
      id: 'tool',
      question: 'Is the tool listed?',
      verdict: 'failed',
      saw: 'The server lists no tool "wiegh".',
      evidence: ['tools: admit, weigh'],
      fix: 'Did you mean weigh? Names are compared exactly.',
    });
    expect(
      steps.slice(steps.findIndex(({ id }) => id === 'tool') + 1).every(({ verdict }) => verdict === 'skipped'),
    ).toBe(true);
  });

  it('takes a server of the configuration, a command and a unix socket', async () => {
    const server = createHttpServer(toNode(createClinic()));
    const path = join(tmpdir(), `doctor-${crypto.randomUUID()}.sock`);
    await new Promise<void>((resolve) => {
      server.listen(path, resolve);
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const text = `mcpServers: { clinic: { url: '${await openClinic()}' } }\nagents: { nurse: { allow: ['*'] } }\n`;
    const { path: cwd } = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const named = await startRun(['doctor', 'clinic', '--config', 'switchyard.yaml', '--idle', '0'], { cwd });
    expect(named).toMatchObject({ exitCode: 0, stderr: '' });
    const command = await startRun(
      ['doctor', `${execPath} -e 'console.error("BED_COUNT is required"); process.exit(4)'`],
      { cwd },
    );
    expect(command.exitCode).toBe(1);
    expect(command.stdout).toMatch(/\| exit code 4\n {2}\| stderr: BED_COUNT is required\nThe fix: .*--env BED_COUNT/);
    const socket = await startRun(['doctor', `unix://${path}#/mcp`, '--idle', '0', '--tool', 'weigh']);
    expect(socket).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('uses the stored login to a URL, and says how to log in where there is none', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    const before = await run(['doctor', server.url]);
    expect(before.exitCode).toBe(1);
    expect(before.stdout).toContain(`The fix: Log in: switchyard login ${server.url}\n`);
    await login([server.url], 'mira');
    const after = await run(['doctor', server.url, '--tool', 'who', '--idle', '0']);
    expect(after).toMatchObject({ exitCode: 0, stderr: '' });
    expect(after.stdout).toContain('It takes the credentials.');
    expect(after.stdout).not.toMatch(/eyJ/);
  });

  it('sends nobody to log in to a server of the configuration, whose headers say who calls', async () => {
    const { url } = await openLoginServer();
    const text = `mcpServers: { clinic: { url: '${url}' } }\nagents: { nurse: { allow: ['*'] } }\n`;
    const { path: cwd } = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['doctor', 'clinic'], { cwd });
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(/The fix: Give this server a good token under headers in the configuration\.\n$/);
    expect(ended.stdout).not.toContain('switchyard login');
  });

  it('proves the key of a login with each request, where its token is bound to one', async () => {
    const server = await openLoginServer({ dpop: 'required' });
    const { login, run } = await openHome();
    await login([server.url], 'mira');
    const ended = await run(['doctor', server.url, '--tool', 'who', '--idle', '0']);
    expect(ended.stdout).toContain('No cause was found: all is well.');
  });

  it('shows no header that it was given', async () => {
    const url = await openClinic();
    const ended = await startRun([
      'doctor',
      `${url}x`,
      '--header',
      'Authorization: Bearer s3cretTOKEN123',
      '--verbose',
      '--json',
    ]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout + ended.stderr).not.toContain('s3cretTOKEN123');
  });

  it('shows on a terminal which question it is at', async () => {
    const ended = await startRun(['doctor', 'http://127.0.0.1:9/mcp'], { isTerminal: true, env: { NO_COLOR: '1' } });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe('\r\u001b[2KDoes the address answer?\r\u001b[2K');
  });

  it('exits 130 where it is interrupted', async () => {
    const asked = new AbortController();
    const silent = createHttpServer(() => asked.abort(new Error('the process got SIGINT')));
    const url = await new Promise<string>((resolve) => {
      silent.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(silent.address() as { port: number }).port}/mcp`),
      );
    });
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const ended = await startRun(['doctor', url, '--json'], { signal: asked.signal });
    expect(ended.exitCode).toBe(130);
    expect(ended.json()).toMatchObject({ error: { kind: 'interrupted' } });
  });

  it.each<[readonly string[], RegExp]>([
    [[], /Name one server.*switchyard help doctor/],
    [['http://127.0.0.1:9/mcp', '--url', 'http://127.0.0.1:9/mcp'], /Name one server/],
    [['http://x/', '--args', '{}'], /--args needs --tool/],
    [['http://x/', '--tool', 'a', '--args', '[]'], /--args must be a JSON object/],
    [['http://x/', '--idle', '-1'], /seconds from 0 to 86400/],
    [['http://x/', '--idle', '99999'], /seconds from 0 to 86400/],
    [['http://x/', '--timeout', '0'], /must be a number of seconds/],
    [['http://x/', '--env', 'A=b'], /--env is for a server that is started/],
    [['unix:///run/x.sock', '--env', 'A=b'], /--env is for a server that is started/],
    [['node server.js', '--header', 'A: b'], /--header is for a URL/],
    [['http://', '--tool', 'a'], /is no URL/],
    [['http://us%E0er:pw@localhost:1/'], /not properly percent-encoded: a % is written %25/],
    [['shoe', '--config', 'nothing.yaml'], /no such file/],
  ])('refuses %j with exit code 2', async (argv, why) => {
    const ended = await startRun(['doctor', ...argv], { cwd: tmpdir() });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(why);
  });
});
