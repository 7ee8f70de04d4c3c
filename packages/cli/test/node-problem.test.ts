import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';
import { nodeProblem } from '../src/node-problem.ts';

it.each(['14.21.3', '20.19.1', '21.20.0', '22.9.0', '22.18.9'])(
  'the command says in one sentence that Node %s is too old, and what to do',
  (version) => {
    expect(nodeProblem(version)).toMatch(
      new RegExp(
        `^switchyard needs Node 22\\.19 or newer, and this is v${version.replaceAll('.', '\\.')}: install .*\\.$`,
      ),
    );
  },
);

it.each(['22.19.0', '22.20.1', '23.0.0', '24.1.0', process.versions.node])('the command runs on Node %s', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

it('the command imports nothing before it has looked at the version but what does that', async () => {
  const imports = async (file: string): Promise<readonly (string | undefined)[]> =>
    [
      ...(await readFile(new URL(`../src/${file}`, import.meta.url), 'utf8')).matchAll(/^import .* from '(.*)';$/gm),
    ].map(([, from]) => from);
  expect(await imports('bin.ts')).toEqual(['node:process', './node-problem.ts']);
  expect(await imports('node-problem.ts')).toEqual(['node:fs']);
});
