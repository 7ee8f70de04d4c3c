import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

const minimal = new URL('../../../examples/minimal/src/server.ts', import.meta.url).pathname;

function planOf(steps: string, command = 'node'): string {
  return `
format: switchyard-plan/1
name: minimal
output: made/snapshot.json
transport: stdio
command: ${command}
args: [--conditions=@switchyard/source, ${minimal}]
steps:
${steps}
`;
}

const steps = `
  - { label: discover, method: server/discover }
  - { label: add, method: tools/call, params: { name: add_numbers, arguments: { a: 1, b: 2 } } }`;

describe('snapshot', () => {
  it('writes the file of a plan, and finds it the same the next time', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'plan.yaml': planOf(steps) }));
    const written = await startRun(['snapshot', '--json'], { cwd: folder.path });
    expect(written).toMatchObject({ exitCode: 0, stderr: '' });
    expect(written.json()).toEqual({ output: 'made/snapshot.json', written: true });
    const text = await readFile(join(folder.path, 'made/snapshot.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      server: { name: 'minimal' },
      results: [{ label: 'add', received: { result: { structuredContent: 3 } } }],
    });
    expect(await startRun(['snapshot', '--check'], { cwd: folder.path })).toMatchObject({
      exitCode: 0,
      stdout: 'made/snapshot.json is what the server does.\n',
    });
    expect((await startRun(['snapshot', '--output', 'again.json'], { cwd: folder.path })).exitCode).toBe(0);
    expect(await readFile(join(folder.path, 'again.json'), 'utf8')).toBe(text);
  });

  it('exits 1 with what changed where the server does something else, and leaves the file alone', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'plan.yaml': planOf(steps) }));
    await startRun(['snapshot'], { cwd: folder.path });
    const file = join(folder.path, 'made/snapshot.json');
    const changed = (await readFile(file, 'utf8')).replace('"structuredContent": 3', '"structuredContent": 4');
    await writeFile(file, changed);
    const ended = await startRun(['snapshot', '--check'], { cwd: folder.path });
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(
      /differs from line \d+ on:\n[\s\S]*\n- +"structuredContent": 4\n\+ +"structuredContent": 3\n/,
    );
    expect(await readFile(file, 'utf8')).toBe(changed);
    expect((await startRun(['snapshot', '--check', '--json'], { cwd: folder.path })).json()).toEqual({
      output: 'made/snapshot.json',
      same: false,
    });
  });

  it.each([
    ['{"a":"initialize"}', /handshake of an older revision/],
    ['{"received":{"id":1,"method":"sampling/createMessage"}}', /request from the server/],
    ['{"mcp-session-id":"x"}', /session id/],
  ])('exits 1 where the file holds what none may: %s', async (text, why) => {
    const folder = await untilTestEnds(temporaryFolder({ 'plan.yaml': planOf(steps), 'kept.json': text }));
    const ended = await startRun(['snapshot', '--check', '--output', 'kept.json'], { cwd: folder.path });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(why);
  });

  it('writes no file of a server whose answers hold what none may', async () => {
    const handshake = `
  - { label: old, method: initialize }`;
    const folder = await untilTestEnds(temporaryFolder({ 'plan.yaml': planOf(handshake) }));
    const ended = await startRun(['snapshot'], { cwd: folder.path });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/initialize/);
    await expect(readFile(join(folder.path, 'made/snapshot.json'))).rejects.toThrow(/ENOENT/);
  });

  it.each<[string, Record<string, string>, readonly string[], RegExp]>([
    ['there is no plan', {}, [], /There is no plan: neither plan\.yaml nor examples/],
    ['the plan is not there', {}, ['no.yaml'], /no\.yaml cannot be read: there is no such file/],
    [
      'the plan cannot be meant',
      { 'plan.yaml': 'format: switchyard-plan/1\nsteps: []\n' },
      [],
      /plan\.yaml: steps must be/,
    ],
    ['the plan is no YAML', { 'plan.yaml': '{' }, [], /neither YAML nor JSON/],
    ['the program is not there', { 'plan.yaml': planOf(steps, '/no/such/program') }, [], /\/no\/such\/program/],
    [
      'there is nothing to compare with',
      { 'plan.yaml': planOf(steps) },
      ['--check'],
      /made\/snapshot\.json cannot be read/,
    ],
  ])('exits 2 where %s', async (_what, files, argv, why) => {
    const folder = await untilTestEnds(temporaryFolder(files));
    const ended = await startRun(['snapshot', ...argv], { cwd: folder.path });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(why);
  });
});
