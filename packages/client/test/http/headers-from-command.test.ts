import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, headersFromCommand } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { closeAfterwards } from '../serve-http.ts';
import { discoveryTo, resultTo, saying, scriptFetch } from './scripted-fetch.ts';

/** A command that runs a line of JavaScript. */
const running = (code: string, more: object = {}): ReturnType<typeof headersFromCommand> =>
  headersFromCommand({ command: process.execPath, args: ['-e', code], ...more });

describe('headers that a command prints', () => {
  it('are sent with every request', async () => {
    const { fetch, requests } = scriptFetch((request) => discoveryTo(request) ?? resultTo(request, saying('x')));
    const headers = running('console.log(JSON.stringify({ Authorization: "Bearer of-command" }))');
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, headers }));
    await client.callTool('x');
    for (const request of requests) expect(request.headers['authorization']).toBe('Bearer of-command');
  });

  it('are asked for again after a 401, once, and the request is repeated with them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-'));
    const code =
      'const fs = require("fs"); fs.appendFileSync(process.env.RUNS, ".");' +
      'const runs = fs.readFileSync(process.env.RUNS, "utf8").length;' +
      'console.log(JSON.stringify({ Authorization: "Bearer of-run-" + runs }))';
    try {
      const runs = join(folder, 'runs');
      const { fetch, requests } = scriptFetch((request) => {
        if (request.message.method !== 'tools/call') return discoveryTo(request) ?? { status: 500 };
        const isNew = request.headers['authorization'] === 'Bearer of-run-2';
        return isNew ? resultTo(request, saying('in')) : { status: 401, headers: { 'www-authenticate': 'Bearer' } };
      });
      const headers = running(code, { env: { RUNS: runs } });
      const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, headers }));
      expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'in' }] });
      await client.callTool('x');
      expect(await readFile(runs, 'utf8')).toBe('..');
      const calls = requests.filter(({ message }) => message.method === 'tools/call');
      expect(calls.map((call) => call.headers['authorization'])).toEqual([
        'Bearer of-run-1',
        'Bearer of-run-2',
        'Bearer of-run-2',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('come from a command that gets its own variables, and none of ours but the few that programs need', async () => {
    const code = 'console.log(JSON.stringify({ a: process.env.OWN, b: String(process.env.SECRET) }))';
    const baseEnv = { ...process.env, SECRET: 'of the parent' };
    expect(await running(code, { env: { OWN: 'mine' }, baseEnv })()).toEqual({ a: 'mine', b: 'undefined' });
  });

  it.each([
    ['fails', 'console.log("{}secret-4711"); process.exit(3)', /exit code 3/],
    ['prints no JSON', 'console.log("secret-4711")', /one JSON object/],
    ['prints a list', 'console.log(["secret-4711"])', /one JSON object/],
    ['prints values that are no texts', 'console.log(JSON.stringify({ a: 4711 }))', /one JSON object/],
    ['prints too much', 'console.log("4711".repeat(20000))', /more than 65536 bytes/],
  ])('are an error without what was printed where it %s', async (_what, code, message) => {
    const error: unknown = await running(code)().catch((reason: unknown) => reason);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('4711');
    const { fetch } = scriptFetch(() => ({ status: 500 }));
    const told = await failure(connect('http://depot.test/mcp', { name: 'depot', fetch, headers: running(code) }));
    expect(told).toMatchObject({ code: 'authorization', server: 'depot' });
  });

  it('are not waited for longer than its time limit', async () => {
    await expect(running('setTimeout(() => {}, 60_000)', { timeoutMs: 100 })()).rejects.toThrow(/longer than 100 ms/);
  });

  it('are an error that shows the form that is asked for where a token alone is printed', async () => {
    await expect(running('console.log("tok-4711")')()).rejects.toThrow('{"authorization":"Bearer …"}');
  });

  it('are an error with what the command wrote to stderr, without secrets and what it printed', async () => {
    const code = 'console.log("tok-4711"); console.error("log in anew; password=hunter2 tok-4711"); process.exit(3)';
    const error: unknown = await running(code)().catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/exit code 3\. It wrote to stderr: log in anew/);
    expect(String(error)).not.toMatch(/hunter2|4711/);
  });

  const token = 'ab/cd+q7WxTdLmNbVcRf/GhJkPz==';
  const json = JSON.stringify({ authorization: `Bearer ${token}` });
  const basic = JSON.stringify({ authorization: `Basic ${btoa(`me:${token}`)}` });
  const base64 = btoa(token);
  it.each([
    ['as it is', json, token],
    ['without the escapes that stdout has', json.replaceAll('/', '\\/'), token],
    ['without those escapes, from JSON that is not complete', json.replaceAll('/', '\\/').slice(0, -2), token],
    ['without those escapes, from an object within', JSON.stringify({ a: [{ b: json }] }), token],
    ['percent-encoded', json, encodeURIComponent(token)],
    ['with the escapes of JSON', json, token.replaceAll('/', '\\/')],
    ['in Base64', json, base64],
    ['in Base64 with another user', json, btoa(`you:${token}`)],
    ['in Base64url', json, base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
    ['as the password of a Basic value', basic, token],
    [
      'as the password of a Basic value of a line that is no JSON',
      `Authorization: Basic ${btoa(`me:${token}`)}`,
      token,
    ],
    ['as a short password of a Basic value', JSON.stringify({ a: `Basic ${btoa('me:k7Wq2x')}` }), 'k7Wq2x'],
  ])('are an error without the token that stderr says %s, wherever it is cut', async (_how, stdout, said) => {
    const write = (text: string) => `process.stderr.write(${JSON.stringify(text)});`;
    const print = `process.stdout.write(${JSON.stringify(stdout)}); process.exitCode = 3;`;
    // What a message shows ends where it did, and begins somewhere in the token, or before or after it.
    const parts = Array.from({ length: said.length - 7 }, (_, at) => said.slice(at, at + 8)).concat(said);
    for (const after of [0, 480, 3980, 65_516]) {
      const error: unknown = await running(
        `${print} ${write(`it says ${said} `)} ${write('- '.repeat(after / 2))}`,
      )().catch((reason: unknown) => reason);
      expect(String(error)).toMatch(/exit code 3\. It wrote to stderr: /);
      expect(parts.filter((part) => String(error).includes(part))).toEqual([]);
    }
  });

  it('are taken, however much the command writes to stderr; an error shows the end of that', async () => {
    const noise = (more: string) =>
      `for (let at = 0; at < 40_000; at += 1) process.stderr.write("noise\\n"); console.error("the end"); ${more}`;
    expect(await running(noise(`console.log('{"a":"b"}')`))()).toEqual({ a: 'b' });
    await expect(running(noise('process.exitCode = 3'))()).rejects.toThrow(/exit code 3\. .* noise the end$/);
  });

  it('are taken when the command has ended, without waiting for what it left behind', async () => {
    const code =
      'const left = require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"],' +
      '{ stdio: "inherit", detached: true });' +
      'left.unref(); console.log(JSON.stringify({ left: String(left.pid) }));';
    // The time limit of this test is shorter than either.
    const { left } = await running(code, { timeoutMs: 60_000 })();
    onTestFinished(() => void process.kill(Number(left), 'SIGKILL'));
    expect(left).toMatch(/^\d+$/);
  });

  it('are an error where the command cannot be given its arguments, which that does not repeat', async () => {
    const headers = headersFromCommand({ command: process.execPath, args: ['--token=secret-4711\0'] });
    const error: unknown = await headers().catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/could not be started/);
    expect(String(error)).not.toContain('4711');
  });

  it('are an error where there is no such command', async () => {
    const headers = headersFromCommand({ command: 'no-such-command-4711' });
    await expect(headers()).rejects.toThrow(
      /command "no-such-command-4711".*could not be started: there is no such program.*ENOENT/,
    );
  });
});
