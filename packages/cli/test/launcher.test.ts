import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

const launcher = fileURLToPath(new URL('../../../bin/switchyard', import.meta.url));

it.skipIf(process.platform === 'win32')(
  'the launcher of this repository works in the folder that it is called in, and passes arguments and exit code on',
  async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': 'agents: { reader: {} }\n' }));
    const start = (...argv: readonly string[]) => promisify(execFile)(launcher, argv, { cwd: folder.path });
    expect((await start('tools')).stdout).toBe('No tools.\n');
    await expect(start('tools', '--config', 'two words.yaml')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('two words.yaml'),
    });
  },
);
