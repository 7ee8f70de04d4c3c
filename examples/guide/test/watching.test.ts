import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { reachShop, showTools } from '../src/watching.ts';

it('shows the tools of a shop, and the new ones when they change', async () => {
  const shop = createServer({ name: 'shop', version: '1.0.0' }, { logger: silentLogger }).tool('buy', {}, () => '');
  await using running = await serveHttp(shop, { port: 0 });
  await using client = await reachShop(running.url);
  const shown: (readonly string[])[] = [];
  await using subscription = await showTools(client, (names) => shown.push(names));
  expect(subscription.acknowledged).toEqual({ toolsListChanged: true });
  expect(shown).toEqual([['buy']]);
  shop.tool('return', {}, () => '');
  await expect.poll(() => shown).toEqual([['buy'], ['buy', 'return']]);
});
