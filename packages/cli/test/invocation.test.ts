import { expect, it } from 'vitest';
import { invocationOf } from '../src/invocation.ts';

const source = {
  program: '/repo/packages/cli/src/bin.ts',
  node: '/repo/node_modules/.bin/node',
  cwd: '/repo',
  env: {},
};

it.each([
  ['has its name where it is installed', { ...source, program: '/usr/lib/cli/dist/bin.js' }, 'switchyard'],
  [
    'is the script of this repository where npm started it',
    { ...source, env: { npm_lifecycle_event: 'start' } },
    'npm run -s switchyard --',
  ],
  [
    'is the launcher of this repository where that started it',
    { ...source, env: { SWITCHYARD_LAUNCHER: '/repo/bin/switchyard' } },
    'bin/switchyard',
  ],
  [
    'is the source with its Node otherwise, by the shortest paths',
    source,
    'node_modules/.bin/node --conditions=@switchyard/source packages/cli/src/bin.ts',
  ],
  [
    'is the source by whole paths from elsewhere',
    { ...source, cwd: '/home/mira' },
    '/repo/node_modules/.bin/node --conditions=@switchyard/source /repo/packages/cli/src/bin.ts',
  ],
])('the way to start the command again %s', (_, start, invocation) => {
  expect(invocationOf(start)).toBe(invocation);
});
