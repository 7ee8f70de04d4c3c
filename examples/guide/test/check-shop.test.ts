import { serveHttp } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { failuresOf } from '../src/check-shop.ts';
import { shop } from '../src/shop.ts';

it('finds nothing wrong with the shop', async () => {
  const running = await serveHttp(shop, { port: 0 });
  try {
    expect(await failuresOf(running.url)).toEqual([]);
  } finally {
    await running.close({ graceMs: 0 });
  }
});
