import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createStderrRelay } from '../src/present/stderr-relay.ts';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

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

it('what a started server wrote to stderr is shown without the credentials in it, also those that a cut would hide', async () => {
  const written = [
    `${'x'.repeat(1_990)} password=hunter2secret`,
    '-----BEGIN PRIVATE KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASChunter2',
    '-----END PRIVATE KEY-----',
  ];
  const script = `process.stdin.once("data", () => { process.stderr.write(${JSON.stringify(written.join('\n'))}, () => process.exit(3)); })`;
  const ended = await startRun(['check', `'${process.execPath}' -e '${script}'`], { cwd: process.cwd() });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('[redacted]');
  expect(ended.stderr).not.toMatch(/hunter2/);
});

const yaml = `mcpServers:
  shop: { command: '${process.execPath}', args: ['--conditions=@switchyard/source', '${script}'], env: { API_KEY: s3cret-of-shop } }
agents: { reader: { allow: ['*'] } }
gateway: { anonymousAgent: reader, port: 0 }
`;

it('what a server of a configuration writes to stderr is shown behind its name with --verbose, and not without', async () => {
  const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': yaml }));
  const quiet = await startRun(['call', 'shop__fine'], { cwd: folder.path });
  expect(quiet).toMatchObject({ exitCode: 0, stdout: 'done\n', stderr: '' });
  const verbose = await startRun(['call', 'shop__fine', '--verbose'], { cwd: folder.path });
  expect(verbose).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(verbose.stderr).toMatch(/^shop \| a note of the server$/m);
  expect(verbose.stderr).not.toMatch(/s3cret-of-shop|\u001b/);
});

it('what a server behind `up --verbose` writes to stderr is shown while it runs', async () => {
  const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': yaml }));
  const end = new AbortController();
  const url = Promise.withResolvers<string>();
  const onStdout = (text: string): void => url.resolve((JSON.parse(text) as { readonly url: string }).url);
  const running = startRun(['up', '--verbose', '--json'], { cwd: folder.path, signal: end.signal, onStdout });
  const called = await startRun(['call', '--url', await url.promise, 'shop__fine']);
  expect(called.stdout).toBe('done\n');
  end.abort();
  expect((await running).stderr).toMatch(/^shop \| a note of the server$/m);
});

it('what a server writes to stderr is shown up to a hundred lines a second, and the next one says how many were not', () => {
  const relayed: string[] = [];
  let now = 0;
  const relay = createStderrRelay({ relay: (name, line) => relayed.push(`${name} ${line}`) }, () => now);
  for (let index = 0; index < 250; index += 1) relay('shop', `line ${index}`);
  relay('other', 'line');
  expect(relayed).toHaveLength(101);
  now = 1_000;
  relay('shop', 'later');
  expect(relayed.slice(-3)).toEqual(['other line', 'shop (150 lines were not shown)', 'shop later']);
});
