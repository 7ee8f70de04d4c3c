import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { root } from '../run.ts';

const readmes = globSync('packages/*/README.md', { cwd: root }).map((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const example = /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1];
  const said = [...(example ?? '').matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
  return { folder: dirname(file), example, said };
});

describe('the README of a package', () => {
  test('is there for every package', () => {
    const packages = globSync('packages/*/package.json', { cwd: root }).map((file) => dirname(file));
    expect(readmes.map(({ folder }) => folder).sort()).toEqual(packages.sort());
  });

  test.each(readmes.filter(({ said }) => said.length > 0))('prints what its comments say: $folder', (readme) => {
    const { stdout, stderr } = spawnSync(
      'node',
      ['--conditions=@switchyard/source', '--input-type=module', '--eval', readme.example ?? ''],
      { cwd: join(root, readme.folder), encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual(readme.said);
  });
});
