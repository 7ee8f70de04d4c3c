import { describe, expect, it } from 'vitest';
import { listChanged, namesOf, serve, toolsOf, warnings } from './serve-cached.ts';

const deadCursor = { error: { code: -32602, message: 'unknown cursor' } };

describe('a list that changes while it is read', () => {
  it('[CACHE-20] is read again from its first page', async () => {
    let hasChanged = false;
    const { client, peer, asked } = await serve(({ id, params }) => {
      if (params?.['cursor'] !== undefined) return hasChanged ? toolsOf(['b', 'c']) : undefined;
      const page = hasChanged ? toolsOf(['x'], { nextCursor: '2' }) : toolsOf(['a'], { nextCursor: '2' });
      if (hasChanged) return page;
      hasChanged = true;
      peer.send(listChanged);
      peer.answer(id, { resultType: 'complete', ...page });
      return undefined;
    });
    expect(namesOf(await client.listTools())).toEqual(['x', 'b', 'c']);
    expect(asked()).toHaveLength(3);
    expect(warnings).toEqual([]);
  });

  it('is answered as it is where it does not stop, and not kept', async () => {
    const { client, peer, asked } = await serve(({ params }) => {
      peer.send(listChanged);
      return params?.['cursor'] === undefined ? toolsOf(['a', 'b'], { nextCursor: '2' }) : toolsOf(['b', 'c']);
    });
    expect(namesOf(await client.listTools())).toEqual(['a', 'b', 'c']);
    expect(warnings.map(({ code }) => code)).toEqual(['entry-left-out', 'list-changed']);
    const before = asked().length;
    expect(before).toBeLessThanOrEqual(6);
    await client.listTools();
    expect(asked().length).toBeGreaterThan(before);
  });

  it('is not read again for a change of which one page knows all', async () => {
    const { client, peer, asked } = await serve(() => {
      peer.send(listChanged);
      return toolsOf(['a']);
    });
    expect(namesOf(await client.listTools())).toEqual(['a']);
    expect(asked()).toHaveLength(1);
  });

  it('[CACHE-21] is read again where a cursor of it died, twice at most', async () => {
    let dies = 1;
    const { client, asked } = await serve(({ params }) => {
      if (params?.['cursor'] === undefined) return toolsOf(['a'], { nextCursor: '2' });
      dies -= 1;
      return dies >= 0 ? deadCursor : toolsOf(['b']);
    });
    expect(namesOf(await client.listTools())).toEqual(['a', 'b']);
    expect(asked()).toHaveLength(4);
    dies = 100;
    await expect(client.listTools({ cache: 'reload' })).rejects.toMatchObject({ code: -32602 });
    expect(asked()).toHaveLength(4 + 6);
  });

  it('is not read again where its first page is refused', async () => {
    const { client, asked } = await serve(() => deadCursor);
    await expect(client.listTools()).rejects.toMatchObject({ code: -32602 });
    expect(asked()).toHaveLength(1);
  });
});
