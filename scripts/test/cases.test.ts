import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { root } from '../run.ts';

/** An input that broke another implementation, and the tests that check its kind here. */
interface Case {
  readonly id: string;
  readonly status: 'tested' | 'later';
  /** `file › name`, where the name stands in the file as it does here; of a template, its beginning. */
  readonly tests: readonly string[];
  /** Why it is for later, or whose part of it is. */
  readonly reason?: string;
}

const components = [
  'stdio',
  'jsonrpc',
  'http',
  'session',
  'schema',
  'provider',
  'names',
  'results',
  'progress',
  'timeout',
  'cancel',
  'elicit',
  'mrtr',
  'sampling',
  'roots',
  'resources',
  'auth',
  'version',
  'paging',
  'cache',
  'config',
  'perm',
  'audit',
  'gateway',
];
const idInName = new RegExp(String.raw`\[((?:${components.join('|')})-\d\d)\]`, 'g');
const cases = JSON.parse(readFileSync(join(root, 'docs/conformance/cases.json'), 'utf8')) as readonly Case[];
const ids = cases.map(({ id }) => id);

function textOf(file: string): string {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

test('every case stands in the list once', () => {
  expect(ids).toHaveLength(117);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the README counts the cases as they are', () => {
  const readme = readFileSync(join(root, 'docs/conformance/README.md'), 'utf8');
  const count = (wanted: Case['status']): number => cases.filter(({ status }) => status === wanted).length;
  expect(readme).toContain(`lists ${cases.length} of them by id`);
  expect(readme).toContain(`: ${count('tested')} are tested`);
  expect(readme).toContain(`The ${count('later')} for \`later\` `);
});

test('every case that a test names stands in the list', () => {
  const files = globSync('packages/*/test/**/*.test.ts', { cwd: root });
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(idInName)].map(([, id]) => id),
  );
  expect(named.filter((id) => !ids.includes(id ?? ''))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThanOrEqual(cases.filter(({ status }) => status === 'tested').length);
});

describe.each(cases)('the case $id', ({ id, status, tests, reason }) => {
  test('is tested, or says why not yet', () => {
    expect(components).toContain(id.replace(/-\d\d$/, ''));
    expect(['tested', 'later']).toContain(status);
    if (status === 'tested') expect(tests).not.toEqual([]);
    else expect(reason).toMatch(/\w/);
  });

  test('is held by each of its tests', () => {
    for (const entry of tests) {
      const [file = '', name = '', ...more] = entry.split(' › ');
      expect(more).toEqual([]);
      expect(name).toContain(`[${id}]`);
      expect({ entry, holds: textOf(file).includes(name) }).toEqual({ entry, holds: true });
    }
  });
});
