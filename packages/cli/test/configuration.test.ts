import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

/** A server that leaves a file behind when it is started. */
const marking = `
  marking:
    command: ${process.execPath}
    args: ['-e', 'require("node:fs").writeFileSync("started", "")']
`;
const agents = `agents: { reader: { allow: ['*'] } }\n`;

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describe('a configuration that cannot be used', () => {
  it.each<[string, string, RegExp]>([
    [
      'an unknown key',
      `mcpServers:${marking}    comand: x\n${agents}`,
      /^switchyard\.yaml:5:5 .*"comand".*did you mean "command"/,
    ],
    [
      'an unset variable',
      `mcpServers:${marking}    env: { KEY: '\${NOT_SET_ANYWHERE}' }\n${agents}`,
      /^switchyard\.yaml:5:17 .*NOT_SET_ANYWHERE/,
    ],
    ['a missing command', `mcpServers:${marking}  other:\n    args: [x]\n${agents}`, /^switchyard\.yaml:5:3 .*command/],
    ['broken YAML', `mcpServers:${marking}  - x\n`, /^switchyard\.yaml:\d+:\d+ /],
    [
      'an agent that does not exist',
      `mcpServers:${marking}${agents}gateway: { anonymousAgent: raeder }\n`,
      /^switchyard\.yaml:\d+:\d+ .*"raeder".*did you mean "reader"/,
    ],
    ['nothing at all', '', /^switchyard\.yaml:1:1 /],
  ])('%s: file, line and what was meant, exit code 2, nothing started', async (_what, text, message) => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    for (const argv of [['tools'], ['call', 'marking__x'], ['up', '--port', '0']]) {
      const ended = await startRun([...argv, '--json'], { cwd: folder.path });
      expect(ended.json()).toEqual({ error: { kind: 'configuration', message: expect.stringMatching(message) } });
      expect(ended.exitCode).toBe(2);
    }
    expect(await isThere(join(folder.path, 'started'))).toBe(false);
    expect(await isThere(join(folder.path, '.switchyard'))).toBe(false);
  });

  it.each<[string, string, readonly string[], RegExp]>([
    [
      'no anonymous agent',
      `mcpServers:${marking}${agents}gateway: { port: 0 }\n`,
      [],
      /^switchyard\.yaml:6:1 gateway\.anonymousAgent is missing.*add "anonymousAgent: reader"/,
    ],
    [
      'no gateway section either',
      `mcpServers:${marking}${agents}`,
      [],
      /^switchyard\.yaml: gateway\.anonymousAgent is missing/,
    ],
    [
      'an address that others reach',
      `mcpServers:${marking}${agents}gateway: { anonymousAgent: reader, host: 0.0.0.0 }\n`,
      [],
      /^switchyard\.yaml:6:36 .*0\.0\.0\.0/,
    ],
    [
      'such an address as an option',
      `mcpServers:${marking}${agents}gateway: { anonymousAgent: reader }\n`,
      ['--host', '192.168.1.2'],
      /^--host: .*192\.168\.1\.2/,
    ],
    [
      'an agent of --as that does not exist',
      `mcpServers:${marking}${agents}`,
      ['--as', 'nobody'],
      /^--as: .*"nobody".*agents are: reader/,
    ],
  ])('up refuses %s, with nothing started', async (_what, text, options, message) => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['up', '--json', ...options], { cwd: folder.path });
    expect(ended.json()).toEqual({ error: { kind: 'configuration', message: expect.stringMatching(message) } });
    expect(ended.exitCode).toBe(2);
    expect(await isThere(join(folder.path, 'started'))).toBe(false);
    expect(await isThere(join(folder.path, '.switchyard'))).toBe(false);
  });

  it('says where it looked for a configuration, and takes none from a parent folder', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': agents }));
    const empty = await untilTestEnds(temporaryFolder());
    const ended = await startRun(['tools'], { cwd: empty.path });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(/switchyard\.yaml.*--config/);
    const named = await startRun(['tools'], { cwd: folder.path });
    expect(named).toMatchObject({ exitCode: 0, stdout: 'No tools.\n' });
  });

  it.each([
    ['of another client', 'claude.json', '{\n  "mcpServers": {}\n}\n', /^\{\n/],
    ['of its own', 'own.yaml', 'mcpServers: {}\n', /$/],
    ['with a gateway', 'own.yaml', 'gateway: { port: 0 }\n', /$/],
  ])('prints what to paste into a file %s without agents, and that works', async (_what, file, text, place) => {
    const folder = await untilTestEnds(temporaryFolder({ [file]: text }));
    const at = { cwd: folder.path };
    for (const argv of [['tools'], ['up', '--port', '0']]) {
      const refused = await startRun([...argv, '--config', file], at);
      expect(refused.exitCode).toBe(2);
      const [sentence, paste] = refused.stderr.split('\n\n');
      expect(sentence).toContain(`error: ${file}: it declares no agents`);
      await writeFile(
        join(folder.path, 'mended'.concat(file.slice(file.indexOf('.')))),
        text.replace(place, (start) => `${start}${paste}`),
      );
    }
    const mended = await startRun(['tools', '--config', `mended${file.slice(file.indexOf('.'))}`], at);
    expect(mended).toMatchObject({ exitCode: 0, stdout: 'No tools.\n' });
  });

  it('asks which agent is meant where there are several, naming them', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': 'agents: { one: {}, two: {} }\n' }));
    const ended = await startRun(['tools'], { cwd: folder.path });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(/one, two; say --as AGENT/);
    expect((await startRun(['tools', '--as', 'two'], { cwd: folder.path })).exitCode).toBe(0);
  });
});

describe('a configuration with a literal credential in a command line', () => {
  it('is used, with a warning that gives file, line and the safe form, and not the credential', async () => {
    const secret = `sk-${'a1B2'.repeat(10)}`;
    const text = `mcpServers:\n  orders:\n    disabled: false\n    command: ${process.execPath}\n    args: ['-e', '', '--api-key', '${secret}']\n${agents}`;
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['tools', '--json'], { cwd: folder.path });
    expect(ended.stderr).toMatch(/warning: switchyard\.yaml:5:\d+ .*credential.*env/);
    expect(ended.stderr + ended.stdout).not.toContain(secret);
  });
});
