import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientWarning } from '../src/index.ts';
import { type Command, connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { fixture } from './fixture-command.ts';

describe('what a server writes to stderr', () => {
  it('comes line by line, without control characters and secrets, and cut', async () => {
    const lines: string[] = [];
    const written = ['\u001b[31mred\u001b[0m', 'the key is open-sesame', `${'x'.repeat(1_995)} open-sesame`, ''];
    const command: Command = {
      command: process.execPath,
      args: ['-e', `process.stderr.write(${JSON.stringify(written.join('\r\n'))})`],
      env: { API_KEY: 'open-sesame' },
      onStderr: (line) => lines.push(line),
    };
    expect(await failure(connect(command))).toMatchObject({ code: 'start-failed' });
    const [first, second, third = ''] = lines;
    expect([first, second]).toEqual(['red', 'the key is [redacted]']);
    expect(third).toMatch(/^x{1900}/);
    expect(third).not.toContain('open');
    expect(third.length).toBeLessThanOrEqual(2_000);
  });

  it('shows no part of what its environment names as secret, however it is written', async () => {
    const lines: string[] = [];
    const env = { DB_PASSWORD: 'ab,cd;ef"gh-4711', DB_PASS: 'Hunter4711', SECRET_KEY_BASE: 'key-base-4711' };
    const written = Object.values(env).map(
      (value) => `\tworker | password=${value} "token": "${value}" it is ${value}`,
    );
    const command: Command = {
      command: process.execPath,
      args: ['-e', `process.stderr.write(${JSON.stringify(written.join('\n'))})`],
      env,
      onStderr: (line) => lines.push(line),
    };
    const { message } = await failure(connect(command));
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const told of [...lines, message]) expect(told).not.toMatch(/cd;|4711/);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no screen');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no screen'))],
  ])('costs nobody the connection where the callback %s, which is a warning', async (_how, onStderr) => {
    const warnings: ClientWarning[] = [];
    const client = await connect({ ...fixture('modern-server'), onStderr }, { onWarning: (it) => warnings.push(it) });
    onTestFinished(() => client.close());
    await expect
      .poll(() => warnings)
      .toMatchObject([{ code: 'callback-failed', message: expect.stringMatching(/onStderr.*no screen/) as string }]);
    expect(await client.listTools()).toBeDefined();
  });
});
