import { serveHttp } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { askShop } from '../src/calling.ts';
import { shop } from '../src/shop.ts';

it('tells an answer, a failure of the tool, a call that was given up, and a server that is gone apart', async () => {
  const running = await serveHttp(shop, { port: 0 });
  expect(await askShop(running.url, 'tea')).toBe('answered: {"item":"tea","count":12,"enough":true}');
  expect(await askShop(running.url, 'milk')).toMatch(/^failed: .*no item called milk/);
  expect(await askShop(running.url, 'tea', { signal: AbortSignal.abort() })).toBe('not answered: aborted');
  await running.close();
  expect(await askShop(running.url, 'tea')).toBe('not answered: connect-failed');
});
