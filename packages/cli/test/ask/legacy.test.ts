import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startRun } from '../start-run.ts';
import { ENTER, sitAt } from './typing-person.ts';

const cwd = fileURLToPath(new URL('.', import.meta.url));
const everything = `'${process.execPath}' '${fileURLToPath(
  new URL('../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)}' stdio`;

describe('a published server of revision 2025-11-25 on stdio', () => {
  it('has its form filled in by a person, who is told what the command is at', async () => {
    const sat = await sitAt(
      ['call', 'trigger-elicitation-request', '--server', everything],
      [
        [/asks, while this command is at the tool "trigger-elicitation-request":[\s\S]*String \(/, `Ada${ENTER}`],
        [/Boolean \(/, `yes${ENTER}`],
        [/String with default \(/, ENTER],
        [/email format \(/, `ada@lovelace.example${ENTER}`],
        [/uri format \(/, `not a uri${ENTER}`],
        [/format "uri"/, `\u0015-${ENTER}`],
        [/date format \(/, `1815-12-10${ENTER}`],
        [/Integer \(optional, whole number\) \[42\]/, ENTER],
        [/Number in range 1-1000 \(optional, number\) \[3\.14\]/, ENTER],
        [/Untitled Single Select Enum \(.*\) \[Monica\]/, `3${ENTER}`],
        [/Untitled Multiple Select Enum \(.*\) \[Guitar\]/, `2,4${ENTER}`],
        [/Titled Single Select Enum \(.*\) \[Superman\]/, ENTER],
        [/Titled Multiple Select Enum \(.*\) \[Tuna\]/, ENTER],
        [/Legacy Titled Single Select Enum \(.*\) \[Cats\]/, `2${ENTER}`],
        [/Send it to/, `a${ENTER}`],
      ],
      { cwd },
    );
    expect(sat).toMatchObject({ exitCode: 0, left: 0 });
    for (const text of ['Ada', 'Joey', 'Piano', 'ada@lovelace.example']) expect(sat.stdout).toContain(text);
  });

  it('has its form answered by --answers under *', async () => {
    const answers = JSON.stringify({ '*': { action: 'accept', content: { name: 'Ada', integer: 7 } } });
    const argv = ['call', 'trigger-elicitation-request', '--server', everything, '--answers', answers];
    const ended = await startRun(argv, { cwd });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stdout).toContain('Ada');
  });

  it('is told of the folders of --root', async () => {
    const argv = [
      'call',
      'get-roots-list',
      '--server',
      everything,
      '--root',
      fileURLToPath(new URL('.', import.meta.url)),
    ];
    const ended = await startRun(argv, { cwd });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stdout).toMatch(/file:\/\/.*packages\/cli\/test\/ask/);
  });

  it('has no tool that asks where nobody answers', async () => {
    const ended = await startRun(['call', 'trigger-elicitation-request', '--server', everything], { cwd });
    expect(ended.exitCode).not.toBe(0);
    expect(ended.stdout + ended.stderr).toMatch(/trigger-elicitation-request/);
  });
});
