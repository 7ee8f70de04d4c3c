import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';
import { useOrders } from './use-orders.ts';

const { folder } = useOrders();

describe('completion', () => {
  it('[--json] prints a completion as one document', async () => {
    const [text, document] = await Promise.all([
      startRun(['completion', 'bash']),
      startRun(['completion', 'bash', '--json']),
    ]);
    expect(document.json()).toEqual({ shell: 'bash', script: text.stdout });
  });

  it.each([
    ['switchyard au', 'audit'],
    ['switchyard audit v', 'verify'],
    ['switchyard help rea', 'read'],
    ['switchyard audit verify --js', '--json'],
    ['switchyard call reader --arg', '--args'],
    ['switchyard read --ans', '--answers'],
    ['switchyard call --root s', 'switchyard.yaml'],
    ['switchyard call tools --head', '--header'],
    ['switchyard tools --config read --head', '--header'],
    ['switchyard completion f', 'fish'],
    ['switchyard up --log-level w', 'warn'],
    ['switchyard audit list --kind re', 'refused'],
    ['switchyard tools --as r', 'reader'],
    ['switchyard audit list --agent s', 'stranger'],
    ['switchyard call --config switchyard.yaml x --as ', 'reader stranger'],
    ['switchyard call --config nowhere.yaml x --as ', ''],
    ['switchyard tools --config s', 'switchyard.yaml'],
    ['switchyard up --port ', ''],
    ['switchyard tools --url --h', ''],
    [
      'switchyard ',
      'up tools call resources read prompts prompt audit check doctor snapshot login logout logins completion help --version --help',
    ],
  ])('completes %j in bash', async (line, word) => {
    const { stdout: script } = await startRun(['completion', 'bash']);
    const words = line.split(' ').map((each) => `'${each}'`);
    const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
    const command = `switchyard() { '${process.execPath}' --conditions=@switchyard/source '${bin}' "$@"; }`;
    const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _switchyard; echo "\${COMPREPLY[*]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${command}\n${ask}`], { cwd: folder() });
    expect(stdout).toBe(`${word}\n`);
  });

  it('answers a completion script no agent whose name a shell would act on', async () => {
    const text = `agents: { reader: {}, '$(touch ran)': {}, '\`id\`': {}, 'two words': {}, "it's": {} }\n`;
    const own = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    expect((await startRun(['complete-agents'], { cwd: own.path })).stdout).toBe('reader\n');
  });

  it.each(['bash', 'zsh', 'fish'])('prints a completion of every verb for %s', async (shell) => {
    const { stdout, exitCode } = await startRun(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const word of ['up', 'tools', 'call', 'read', 'prompt', 'audit', 'verify', 'completion', 'config', 'header']) {
      expect(stdout).toContain(word);
    }
  });
});
