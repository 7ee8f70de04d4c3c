import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { type ConnectOptions, createResponseCache } from '../../src/index.ts';
import { listChanged, namesOf, serve, type Served, toolsOf, warnings } from './serve-cached.ts';

interface Page {
  readonly names: readonly string[];
  readonly ttlMs: number;
}

/** A list that is what `pages` holds at the moment; the cursor of the second page is `2`, and so on. */
async function servePages(
  pages: Page[],
  options: ConnectOptions = {},
): Promise<Served & { readonly cursors: () => unknown[]; readonly list: () => Promise<readonly string[]> }> {
  const seen: unknown[] = [];
  const served = await serve(({ params }) => {
    const cursor = params?.['cursor'];
    seen.push(cursor ?? 1);
    const at = Number(cursor ?? 1);
    const page = pages[at - 1];
    if (page === undefined) return { error: { code: -32602, message: 'unknown cursor' } };
    const next: JsonObject = at < pages.length ? { nextCursor: `${at + 1}` } : {};
    return toolsOf(page.names, { ttlMs: page.ttlMs, ...next });
  }, options);
  return {
    ...served,
    /** The cursors that were asked for since the last look. */
    cursors: () => seen.splice(0),
    list: async () => namesOf(await served.client.listTools()),
  };
}

const short: Page = { names: ['a'], ttlMs: 1000 };
const long: Page = { names: ['b'], ttlMs: 5000 };

describe('the pages of a list', () => {
  it('[CACHE-19] [cache-05] age one by one, each from when it came', async () => {
    const { clock, cursors, list } = await servePages([short, long]);
    const fetched: unknown[] = [];
    let at = 0;
    for (const next of [0, 1, 999, 1000, 1001, 2000, 4999, 5000, 6000]) {
      await clock.advance(next - at);
      at = next;
      expect(await list()).toEqual(['a', 'b']);
      fetched.push([next, ...cursors()]);
    }
    expect(fetched).toEqual([[0, 1, '2'], [1], [999], [1000, 1], [1001], [2000, 1], [4999, 1], [5000, '2'], [6000, 1]]);
  });

  it('[CACHE-19] are each fetched by their own cursor, one in the middle, too', async () => {
    const pages = [long, short, { names: ['c'], ttlMs: 5000 }];
    const { clock, cursors, list } = await servePages(pages);
    await list();
    cursors();
    await clock.advance(1000);
    expect(await list()).toEqual(['b', 'a', 'c']);
    expect(cursors()).toEqual(['2']);
  });

  it('make one frozen list, which is given whole while all of them are fresh', async () => {
    const { client, clock } = await servePages([short, long]);
    const first = await client.listTools();
    await clock.advance(1000);
    const second = await client.listTools();
    expect(second).not.toBe(first);
    expect(await client.listTools()).toBe(second);
    expect(Object.isFrozen(second.tools)).toBe(true);
    expect(second.ttlMs).toBe(1000);
  });

  it('that are used again make the list stale when their own time is over', async () => {
    const { client, clock, cursors } = await servePages([{ names: ['a'], ttlMs: 3000 }, long]);
    await client.listTools();
    await clock.advance(3000);
    expect((await client.listTools()).ttlMs).toBe(2000);
    cursors();
    await clock.advance(2000);
    await client.listTools();
    expect(cursors()).toEqual(['2']);
  });

  it('[CACHE-20] behind one that differs are fetched, too, so that nothing falls between them', async () => {
    const pages = [
      { names: ['a', 'b'], ttlMs: 1000 },
      { names: ['c'], ttlMs: 5000 },
    ];
    const { clock, cursors, list } = await servePages(pages);
    await list();
    cursors();
    pages.splice(0, 2, { names: ['x', 'a'], ttlMs: 1000 }, { names: ['b', 'c'], ttlMs: 5000 });
    await clock.advance(1000);
    expect(await list()).toEqual(['x', 'a', 'b', 'c']);
    expect(cursors()).toEqual([1, '2']);
    expect(warnings).toEqual([]);
  });

  it('[CACHE-20] before one that differs are fetched, too', async () => {
    const pages = [
      { names: ['a', 'b'], ttlMs: 5000 },
      { names: ['c', 'd'], ttlMs: 1000 },
    ];
    const { clock, cursors, list } = await servePages(pages);
    await list();
    cursors();
    pages.splice(0, 2, { names: ['b', 'c'], ttlMs: 5000 }, { names: ['d'], ttlMs: 1000 });
    await clock.advance(1000);
    expect(await list()).toEqual(['b', 'c', 'd']);
    expect(cursors()).toEqual(['2', 1, '2']);
  });

  it('[CACHE-21] are all dropped when a cursor is refused', async () => {
    const pages = [
      { names: ['a'], ttlMs: 5000 },
      { names: ['b'], ttlMs: 1000 },
    ];
    const { clock, cursors, list } = await servePages(pages);
    await list();
    cursors();
    pages.splice(0, 2, { names: ['a', 'b'], ttlMs: 5000 });
    await clock.advance(1000);
    expect(await list()).toEqual(['a', 'b']);
    expect(cursors()).toEqual(['2', 1]);
  });

  it.each([
    ['while all are fresh', 0],
    ['when some are over', 2000],
  ])('[CACHE-18] [cache-03] are all fetched again after a change is announced %s', async (_, ms) => {
    const { peer, clock, cursors, list } = await servePages([short, long]);
    await list();
    cursors();
    await clock.advance(ms);
    peer.send(listChanged);
    await list();
    expect(cursors()).toEqual([1, '2']);
  });

  it('are all fetched again with `reload`, and by another session', async () => {
    const { client, clock, cursors, drop, list } = await servePages([short, long]);
    await list();
    cursors();
    await clock.advance(1000);
    await client.listTools({ cache: 'reload' });
    expect(cursors()).toEqual([1, '2']);
    await clock.advance(1000);
    await drop();
    await list();
    expect(cursors()).toEqual([1, '2']);
  });

  it('are fresh for no longer than maxTtlMs', async () => {
    let now = 0;
    const cache = createResponseCache({ maxTtlMs: 3000, epochNow: () => now });
    const { cursors, list } = await servePages([short, { names: ['b'], ttlMs: 1e12 }], { cache });
    await list();
    now = 1000;
    await list();
    cursors();
    now = 3000;
    await list();
    expect(cursors()).toEqual([1, '2']);
  });

  it('that are too large to be kept beside their list are fetched together', async () => {
    const { clock, cursors, list } = await servePages([short, { names: ['x'.repeat(5 * 1024 * 1024)], ttlMs: 5000 }]);
    await list();
    cursors();
    await clock.advance(1000);
    await list();
    expect(cursors()).toEqual([1, '2']);
  });

  it('[CACHE-17] of one principal are never put together with those of another one', async () => {
    let who = 'amber';
    let asked = 0;
    const { client, clock } = await serve(
      ({ params }) => {
        asked += 1;
        // The token is another one from the third request on, which is for the first page.
        if (asked === 3) who = 'birch';
        const isFirst = params?.['cursor'] === undefined;
        return isFirst ? toolsOf(['a'], { ttlMs: 1000, nextCursor: '2' }) : toolsOf([`of-${who}`], { ttlMs: 5000 });
      },
      { principal: () => who },
    );
    expect(namesOf(await client.listTools())).toEqual(['a', 'of-amber']);
    await clock.advance(1000);
    expect(namesOf(await client.listTools())).toEqual(['a', 'of-birch']);
  });
});
