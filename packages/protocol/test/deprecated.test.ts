import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { deprecatedFeatures } from '../src/deprecated.ts';
import { everyRevision } from '../src/revision.ts';

const features = Object.values(deprecatedFeatures);

it('names each deprecated feature once, with what to do instead and when it may go', () => {
  expect(features.map(({ name }) => name)).toEqual([
    'Roots',
    'Sampling',
    'Logging',
    'Dynamic Client Registration',
    'includeContext "thisServer" and "allServers"',
    'HTTP+SSE transport',
  ]);
  for (const { since, migration, earliestRemoval } of features) {
    expect(everyRevision).toContain(since);
    expect(migration).toMatch(/\.$/);
    expect(earliestRemoval).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(earliestRemoval > since).toBe(true);
  }
});

it('stands in the guide', () => {
  const guide = readFileSync(new URL('../../../docs/guide/old-clients.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  for (const { name, since, earliestRemoval, migration } of features)
    expect(rows).toContainEqual([name, since, earliestRemoval, migration]);
});
