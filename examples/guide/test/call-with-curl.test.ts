import { readFileSync } from 'node:fs';

import { serveHttp } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { shop } from '../src/shop.ts';

const script = readFileSync(new URL('../src/call-with-curl.sh', import.meta.url), 'utf8');
const headers = [...script.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']): [string, string] => [
  name,
  value,
]);
const body = /-d '([^']+)'/.exec(script)?.[1] ?? '';

it('sends a request that is served, with no header that is not needed but Accept', async () => {
  await using running = await serveHttp(shop, { port: 0 });
  const post = (sent: [string, string][]): Promise<Response> =>
    fetch(running.url, { method: 'POST', headers: sent, body });
  expect(headers).toHaveLength(5);
  const response = await post(headers);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    id: 1,
    result: { structuredContent: { item: 'tea', count: 12, enough: true } },
  });
  for (const [left] of headers) {
    const { status } = await post(headers.filter(([name]) => name !== left));
    expect([left, status]).toEqual([left, { Accept: 200, 'Content-Type': 415 }[left] ?? 400]);
  }
});
