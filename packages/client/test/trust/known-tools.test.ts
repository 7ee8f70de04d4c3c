import type { Tool } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { createPeerContext } from '../../src/peer/peer-context.ts';
import { readChecks } from '../../src/trust/check-options.ts';
import { createKnownTools } from '../../src/trust/known-tools.ts';
import { tool } from './tool-server.ts';

const list = (entries: readonly Tool[]) => ({ entries, leftOut: [], ttlMs: 0, cacheScope: 'private' as const });
const tools = (count: number): readonly Tool[] => Array.from({ length: count }, (_, at) => tool(`t${at}`) as Tool);

describe('the tools of a list', () => {
  it('are measured in slices, so that deadlines hold meanwhile', async () => {
    let time = 0;
    let turns = 0;
    const clock = {
      now: () => (time += 5),
      after(_delayMs: number, task: () => void) {
        turns += 1;
        queueMicrotask(task);
        return () => undefined;
      },
    };
    const context = createPeerContext({ server: 'depot', clock });
    await createKnownTools(context, readChecks(context)).learn(list(tools(100)));
    expect(turns).toBeGreaterThan(10);
  });

  it('are looked at once where the same list comes again', async () => {
    const context = createPeerContext({ server: 'depot' });
    const known = createKnownTools(context, readChecks(context));
    const entries = Object.freeze([tool('a') as Tool, tool('b', { $ref: 'https://kiln.test/no' }) as Tool]);
    const first = await known.learn(list(entries));
    const a = known.find('a');
    const again = await known.learn({ ...list(entries), ttlMs: 5 });
    expect(again.entries).toBe(first.entries);
    expect(again).toMatchObject({ ttlMs: 5, leftOut: [{ name: 'b' }] });
    expect(known.find('a')).toBe(a);
  });

  it('are those of the last list alone', async () => {
    const context = createPeerContext({ server: 'depot' });
    const known = createKnownTools(context, readChecks(context));
    const both = list(tools(2));
    await known.learn(both);
    await known.learn(list(tools(1)));
    expect(known.find('t1')).toBeUndefined();
    await known.learn(both);
    expect(known.find('t1')).toBeDefined();
  });

  it('keep their schemas over lists that repeat them, and lose them where they change', async () => {
    const context = createPeerContext({ server: 'depot' });
    const known = createKnownTools(context, readChecks(context));
    await known.learn(list([tool('a') as Tool]));
    const before = known.find('a');
    await known.learn(list([{ ...tool('a'), description: 'other' } as Tool]));
    expect(known.find('a')).toBe(before);
    await known.learn(list([tool('a', { title: 'other' }) as Tool]));
    expect(known.find('a')).not.toBe(before);
  });
});
