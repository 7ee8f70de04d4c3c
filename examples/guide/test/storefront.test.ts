import { connectInMemory } from '@switchyard/testing';
import { expect, it } from 'vitest';

import { storefront } from '../src/storefront.ts';

it('serves the skill, the app, and text beside it', async () => {
  await using client = await connectInMemory(storefront);
  const rules = await client.readResource('skill://refund-orders/references/rules.md');
  expect(rules.contents[0]).toMatchObject({ mimeType: 'text/markdown' });
  const app = await client.readResource('ui://storefront/orders');
  expect(app.contents[0]).toMatchObject({ mimeType: 'text/html;profile=mcp-app' });
  expect((await client.callTool('list_orders')).content).toEqual([{ type: 'text', text: 'Order 1: 3 books' }]);
});
