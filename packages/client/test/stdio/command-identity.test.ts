import { expect, it } from 'vitest';
import { type Command, createStdioTransport } from '../../src/node/index.ts';

const command: Command = {
  command: '/opt/bin/depot',
  args: ['--key=open-sesame'],
  env: { A: '1', B: '2' },
  cwd: '/srv',
};
const identityOf = (given: Command): string | undefined => createStdioTransport(given).identity;

it('a command is the same however its variables are ordered', () => {
  expect(identityOf({ ...command, env: { B: '2', A: '1' } })).toBe(identityOf(command));
});

it.each<[string, Partial<Command>]>([
  ['program', { command: '/usr/bin/depot' }],
  ['arguments', { args: ['--key=', 'open-sesame'] }],
  ['variables', { env: { A: '1', B: '3' } }],
  ['folder', { cwd: '/' }],
  ['environment', { baseEnv: { PATH: '/bin' } }],
])('a command is another one when its %s differ', (_part, change) => {
  expect(identityOf({ ...command, ...change })).not.toBe(identityOf(command));
});

it('the identity of a command shows its program, and no argument or variable', () => {
  expect(identityOf(command)).toMatch(/^stdio:depot#[\w-]{43}$/);
});
