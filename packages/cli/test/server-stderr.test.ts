import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startRun } from './start-run.ts';

const script = fileURLToPath(new URL('fixtures/failing.ts', import.meta.url));
const server = `'${process.execPath}' --conditions=@switchyard/source '${script}'`;

function start(...argv: readonly string[]) {
  return startRun([...argv, '--server', server], { cwd: process.cwd() });
}

it.each<[readonly string[], number, RegExp]>([
  [
    ['call', 'boom'],
    1,
    /The tool boom reports an error\.\nThe server wrote to stderr:\n(?: {2}\| .*\n)*.*missing table/,
  ],
  [
    ['read', 'failing://boom'],
    2,
    /^The server wrote to stderr:\n(?: {2}\| .*\n)*.*missing file(?:.*\n)*error: .*"failing\.ts"/,
  ],
])('what a started server wrote to stderr is shown when %j ends with an error', async (argv, exitCode, stderr) => {
  const ended = await start(...argv);
  expect(ended.stderr).toMatch(stderr);
  expect(ended.exitCode).toBe(exitCode);
});

it('what a started server wrote to stderr goes to standard error with --json, too', async () => {
  const ended = await start('call', 'boom', '--json');
  expect(ended.json()).toMatchObject({ isError: true });
  expect(ended.stderr).toContain('missing table');
});

it('what a started server wrote to stderr is not shown of a call that is fine, unless --verbose asks for it', async () => {
  const [quiet, verbose] = await Promise.all([start('call', 'fine'), start('call', 'fine', '--verbose')]);
  expect(quiet).toMatchObject({ exitCode: 0, stdout: 'done\n', stderr: '' });
  expect(verbose).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(verbose.stderr).toContain('  | a note of the server\n');
});
