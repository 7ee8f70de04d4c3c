import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { defaultClientInfo } from '../src/connect.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

it('calls itself by the version of its package', async () => {
  const { version } = JSON.parse(await readFile(`${root}/package.json`, 'utf8')) as { version: string };
  expect(defaultClientInfo.version).toBe(version);
});

it('needs Node only below src/node', async () => {
  const files = await readdir(`${root}/src`, { recursive: true });
  const sources = files.filter((name) => name.endsWith('.ts') && !name.startsWith('node'));
  expect(sources.length).toBeGreaterThan(25);
  for (const name of sources) {
    const text = await readFile(`${root}/src/${name}`, 'utf8');
    expect(`${name}: ${/from '(node:[^']*|undici|@switchyard\/guards\/node)'/.exec(text)?.[1] ?? 'free'}`).toBe(
      `${name}: free`,
    );
  }
});
