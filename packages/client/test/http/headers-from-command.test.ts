import process from 'node:process';
import { describe, expect, it } from 'vitest';
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

  it('are an error where there is no such command', async () => {
    const headers = headersFromCommand({ command: 'no-such-command-4711' });
    await expect(headers()).rejects.toThrow(/could not be started \(ENOENT\)/);
  });
});
