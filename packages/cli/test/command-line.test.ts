import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startRun } from './start-run.ts';
import { useOrders } from './use-orders.ts';

const { start } = useOrders();

describe('help', () => {
  it.each([
    [['help', 'audit', 'list'], /--kind <kind>[\s\S]*Examples:/],
    [['help', 'audit'], /Examples:/],
    [['help'], /Examples:/],
    [['help', 'call'], /Examples:/],
  ])('%j has examples', async (argv, expected) => {
    const ended = await start(argv);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(expected);
  });

  it.each([[['help', 'nosuch']], [['help', 'audit', 'nosuch']], [['audit']]])('%j is a usage error', async (argv) => {
    expect((await start(argv)).exitCode).toBe(2);
  });

  it('of an unknown verb is one JSON document with --json', async () => {
    const ended = await start(['help', 'nosuch', '--json']);
    expect(ended.exitCode).toBe(2);
    expect(ended.json()).toMatchObject({
      error: { kind: 'usage', message: expect.stringContaining('nosuch') as string },
    });
  });
});

describe('the command line', () => {
  it.each<[readonly string[], RegExp]>([
    [['tols'], /Unknown command 'tols'; did you mean tools\?/],
    [['tools', '--jsn'], /Unknown option '--jsn'; did you mean --json\?/],
    [['call'], /Missing required argument 'name'\. See: switchyard help call$/m],
    [['audit', 'list', '--limit', 'x'], /must be a whole number\. See: switchyard help audit list$/m],
    [['audit', 'list', '--limit', '0'], /must be 1 or more\./],
    [['audit', 'list', '--as', 'a', '--agent', 'b'], /--as is the same as --agent/],
    [['audit', '--config', 'x'], /Unknown option '--config'\. See: switchyard help audit$/m],
    [['call', 'a__b', 'nonsense'], /Expected key=value/],
    [['call', 'a__b', 'x=1', '--args', '{}'], /not both/],
    [['read', 'a://b', 'c://d'], /Too many arguments/],
    [['up', '--port', '70000'], /65535/],
    [['up', '--log-level', 'loud'], /silent, error, warn, info/],
    [['audit', 'list', '--kind', 'all'], /intent, outcome, refused/],
    [['tools', '--server', "node 'open"], /does not end/],
    [['--config', 'x', 'tools'], /Unknown option '--config'\. Options stand behind the verb\. See: switchyard help$/m],
    [['check', 'orders', '--timeout', '0'], /must be a number of seconds, up to/],
    [['check', 'orders', '--tool', 't', '--answers', '{"who":1}'], /the answer to "who" must be an object/],
    [
      ['check', 'orders', '--tool', 't', '--answers', '{"who":{"name":"ada"}}'],
      /"who" must be an object such as {"action"/,
    ],
    [['check', 'orders', '--tool', 't', '--answers', '{"who":{"action":"yes"}}'], /"who" must be an object such as/],
    [['check', 'orders', '--tool', 't', '--answers', '{"who":{"action":"accept","content":[]}}'], /"who" must be an/],
    [['check', 'orders', '--tool', 't', '--answers', '{"who":{"roots":{}}}'], /"who" must be an object such as/],
    [
      ['check', 'orders', '--tool', 't', '--answers', '{"who":{"role":"assistant"}}'],
      /"who" must be an object such as/,
    ],
    [['check', '--compare', 'a', 'b', '--call-tools'], /--call-tools is for a server, and --compare asks none/],
    [['completion', 'tcsh'], /bash, zsh, fish/],
  ])('refuses %j with exit code 2, as text and as one JSON document', async (argv, message) => {
    const human = await start(argv);
    expect(human).toMatchObject({ exitCode: 2, stdout: '' });
    expect(human.stderr).toMatch(message);
    const machine = await start([...argv, '--json']);
    expect(machine).toMatchObject({ exitCode: 2, stderr: '' });
    expect(machine.json()).toEqual({ error: { kind: 'usage', message: expect.stringMatching(message) } });
  });

  it.each([
    ['up'],
    ['tools'],
    ['resources'],
    ['prompts'],
    ['call'],
    ['read'],
    ['prompt'],
    ['audit', 'list'],
    ['audit', 'verify'],
    ['check'],
    ['doctor'],
    ['snapshot'],
    ['login'],
    ['logout'],
    ['logins'],
    ['completion'],
  ])('has examples in the help of %s %s', async (...verb) => {
    const ended = await startRun([...verb, '--help']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toMatch(new RegExp(`Examples:\\n(?:.*\\n)*?.*switchyard ${verb.join(' ')}`));
  });

  it('refuses --stdio with what belongs to a port or to standard output', async () => {
    expect((await start(['up', '--stdio', '--port', '1'])).stderr).toMatch(/--stdio listens on no port/);
    expect((await start(['up', '--stdio', '--json'])).json()).toMatchObject({ error: { kind: 'usage' } });
  });

  it('prints its version', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await startRun(['--version'])).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n` });
  });

  it('colours only a terminal that wants it', async () => {
    const argv = ['call', 'orders__nobody'];
    const [coloured, declined, pipe] = await Promise.all([
      start(argv, { isTerminal: true }),
      start(argv, { isTerminal: true, env: { NO_COLOR: '1' } }),
      start(argv),
    ]);
    expect(coloured.stderr).toContain('\u001b[');
    for (const { stderr } of [declined, pipe]) expect(stderr).not.toContain('\u001b');
  });
});
