import { createClientCounts, createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it } from 'vitest';

import { headersOf, openNodeRoute } from './http-route.ts';
import { metaOf, requestOf } from './wire.ts';

describe('counts of requests by client', () => {
  it('tell revisions and names apart, the most frequent first', () => {
    const counts = createClientCounts();
    for (let turn = 0; turn < 3; turn += 1) counts.add('2026-07-28', 'new');
    counts.add('2025-11-25', 'old');
    counts.add('2026-07-28', undefined);
    expect(counts.list()).toEqual([
      { revision: '2026-07-28', client: 'new', requests: 3 },
      { revision: '2026-07-28', client: '(unnamed)', requests: 1 },
      { revision: '2025-11-25', client: 'old', requests: 1 },
    ]);
  });

  it.each([0, Number.NaN, '2' as never])('are not made for %j names', (maxClients) => {
    expect(() => createClientCounts({ maxClients })).toThrow(/maxClients must be a number of at least 1/);
  });

  it('are bounded in names and their length', () => {
    const counts = createClientCounts({ maxClients: 2 });
    const long = 'x'.repeat(1_000);
    for (const name of ['a', long, 'c', 'd', 'a', long]) counts.add('2026-07-28', name);
    const listed = counts.list();
    expect(Object.fromEntries(listed.map(({ client, requests }) => [client, requests]))).toEqual({
      a: 2,
      [`${'x'.repeat(63)}…`]: 2,
      '(other)': 2,
    });
  });

  it('are kept by a server over HTTP', async () => {
    const server = createServer({ name: 's', version: '1' }, { logger: silentLogger });
    const running = await serveHttp(server, { port: 0 });
    const clientInfo = { name: 'probe', version: '1' };
    const message = requestOf(
      'server/discover',
      {},
      { meta: metaOf({ 'io.modelcontextprotocol/clientInfo': clientInfo }) },
    );
    const post = { method: 'POST', headers: headersOf(message), body: JSON.stringify(message) };
    expect((await fetch(running.url, post)).status).toBe(200);
    expect(running.clients()).toEqual([{ revision: '2026-07-28', client: 'probe', requests: 1 }]);
    await running.close();
  });

  it('do not count what is refused for its metadata', async () => {
    const counts = createClientCounts();
    const route = await openNodeRoute(createServer({ name: 's', version: '1' }, { logger: silentLogger }), { counts });
    await route.call({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requestOf('tools/list', {}, { meta: {} })),
    });
    expect(counts.list()).toEqual([]);
  });
});
