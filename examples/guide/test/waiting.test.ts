import { createServer, silentLogger } from '@switchyard/server';
import { expect, it } from 'vitest';

import { reports } from '../src/reports.ts';
import { goOn, type KeptTasks, loadSkill, reach, writeReport } from '../src/waiting.ts';

function keep(): KeptTasks & { readonly ids: Set<string> } {
  const ids = new Set<string>();
  return { ids, add: (id) => void ids.add(id), remove: (id) => void ids.delete(id), all: () => [...ids] };
}

const input = {
  elicitForm: ({ key }: { readonly key: string }) =>
    Promise.resolve({ action: 'accept', content: key === 'wanted' ? { go: true } : { title: 'Autumn' } } as const),
};

it('waits for a report, answers what it asks, and can go on with its id', async () => {
  const kept = keep();
  await using client = await reach(reports, kept, input);
  const shown: string[] = [];
  expect(await writeReport(client, 'Q3', (line) => shown.push(line))).toMatch(/^Autumn\nChapter 1 of Q3/);
  expect(shown.at(-1)).toMatch(/^completed/);
  expect(kept.ids.size).toBe(1);
  kept.add('an-id-that-nobody-has');
  expect(await goOn(client, kept)).toEqual(['done', 'gone']);
  expect(kept.ids.size).toBe(0);
});

it('loads a skill when it is asked for', async () => {
  const shop = createServer({ name: 'shop', version: '1.0.0' }, { logger: silentLogger });
  shop.skill({ frontmatter: { name: 'refunds', description: 'Refunds an order' }, body: 'Ask for the order.' });
  await using client = await reach(shop, keep(), {});
  expect((await loadSkill(client, 'refunds'))?.body).toContain('Ask for the order.');
  expect(await loadSkill(client, 'returns')).toBeUndefined();
});
