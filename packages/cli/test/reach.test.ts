import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import process from 'node:process';
import { createServer } from '@switchyard/server';
import { serveHttp, toNode } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from './open-login-server.ts';
import { openHome } from './open-home.ts';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

/** A server with a tool that never ends by itself. */
async function openSlow(): Promise<string> {
  const server = createServer({ name: 'slow', version: '1.0.0' });
  server.tool('wait', { description: 'Waits' }, async (_args, { signal }) => {
    await once(signal, 'abort');
    return 'given up';
  });
  const { url } = await untilTestEnds(serveHttp(server, { port: 0 }));
  return url;
}

describe('the times of the command line', () => {
  it.each([['--url'], ['--config']])(
    'bound how long a server may be silent, with a hint in words of it: %s',
    async (how) => {
      const url = await openSlow();
      const text = `mcpServers: { slow: { url: '${url}' } }\nagents: { me: { allow: ['*'] } }\n`;
      const { path: cwd } = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
      const target = how === '--url' ? ['wait', '--url', url] : ['slow__wait', '--config', `${cwd}/switchyard.yaml`];
      const ended = await startRun(['call', ...target, '--timeout', '0.3'], { cwd });
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toMatch(/\b300 ms/);
      expect(ended.stderr).toContain('--timeout SECONDS');
      expect(ended.stderr).not.toMatch(/imeoutMs/);
    },
  );

  it('bound the start of a server', async () => {
    const command = `${process.execPath} -e "setInterval(()=>{},1000)"`;
    const ended = await startRun(['tools', '--server', command, '--start-timeout', '0.5'], { cwd: '/' });
    expect(ended.stderr).toContain('--start-timeout SECONDS');
    expect(ended.stderr).toMatch(/\n {2}Run: switchyard doctor '[^\n]*'\n$/);
  });

  it.each(['0', 'long', '-1', '99999999'])('are seconds: %s', async (seconds) => {
    const ended = await startRun(['tools', '--url', 'http://127.0.0.1:1/', `--timeout=${seconds}`]);
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain('It must be a number of seconds');
  });
});

describe('a server that is not reached', () => {
  it('leads on to the doctor in the last line, without a user and a query', async () => {
    const url = `http://mira:hunter2@127.0.0.1:${await freePort()}/mcp?key=4711`;
    const ended = await startRun(['tools', '--url', url]);
    expect(ended.stderr).toMatch(/\n {2}Run: switchyard doctor 'http:\/\/127\.0\.0\.1:\d+\/mcp\?…'\n$/);
    expect(ended.stderr).not.toMatch(/hunter2|4711/);
  });

  it('leads on to the variable that it says it lacks, and shows no value of others', async () => {
    const command = `${process.execPath} -e "console.error('API_KEY is not set'); process.exit(1)"`;
    const argv = ['tools', '--server', command, '--env', 'OTHER=hunter2'];
    const ended = await startRun(argv, { cwd: '/', env: { API_KEY: 'of the parent' } });
    expect(ended.stderr).toContain('Pass it on: --env API_KEY\n');
    expect(ended.stderr).toMatch(/--env OTHER=…\n$/);
    expect(ended.stderr).not.toMatch(/hunter2|of the parent/);
  });

  it('is named by --url or --server where there is no configuration', async () => {
    const { path: cwd } = await untilTestEnds(temporaryFolder({}));
    const ended = await startRun(['tools'], { cwd });
    expect(ended.stderr).toMatch(/--url URL or --server 'COMMAND …'\n$/);
  });

  it.each([
    ['tools', '--url', 'localhost:3000/mcp'],
    ['tools', '--server', 'localhost:3000/mcp'],
    ['doctor', 'localhost:3000/mcp'],
  ])('is told that its URL has no scheme: %s %s', async (...argv) => {
    const ended = await startRun(argv, { cwd: '/' });
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain('write http://localhost:3000/mcp');
  });

  it('is no login that can be had, and says that nothing listens', async () => {
    const { run } = await openHome();
    const ended = await run(['login', `http://127.0.0.1:${await freePort()}/mcp`, '--no-browser']);
    expect(ended.stderr).toMatch(/Nothing listens at http:\/\/127\.0\.0\.1:\d+\/mcp/);
  });
});

it('says of a server that wants no token that it asks for no login', async () => {
  const url = await openSlow();
  const { run } = await openHome();
  const ended = await run(['login', url, '--no-browser']);
  expect(ended).toMatchObject({ exitCode: 2 });
  expect(ended.stderr).toContain('asks for no login');
});

it('reaches a server behind a socket by --url', async () => {
  const { path } = await untilTestEnds(temporaryFolder({}));
  const server = createServer({ name: 'near', version: '1.0.0' });
  server.tool('hello', { description: 'Greets' }, () => 'hi');
  const http = createHttpServer(toNode(server)).listen(`${path}/s.sock`);
  await once(http, 'listening');
  onTestFinished(() => void http.close());
  const ended = await startRun(['call', '--url', `unix://${path}/s.sock#/mcp`, 'hello']);
  expect(ended).toMatchObject({ exitCode: 0, stdout: 'hi\n' });
});
