import type { Principal } from '@switchyard/server';
import { connect, createMemoryTransport } from '@switchyard/client';
import { expect, test } from 'vitest';

import { mall, timings } from '../src/composition.ts';

function connectAs(principal: Principal | undefined): ReturnType<typeof connect> {
  return connect(
    createMemoryTransport({
      respond: (text, exchange) => mall.respond(text, principal === undefined ? exchange : { ...exchange, principal }),
    }),
  );
}

test.each<[string, Principal | undefined, string[]]>([
  ['nobody', undefined, ['shop_check_stock']],
  ['an administrator', { subject: 'mira', scopes: ['admin'] }, ['close_admin', 'shop_check_stock']],
])('shows and runs what %s may call', async (_who, principal, expected) => {
  await using client = await connectAs(principal);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expected);
  const closed = client.callTool('close_admin');
  if (expected.includes('close_admin')) expect((await closed).content).toMatchObject([{ text: 'closed' }]);
  else await expect(closed).rejects.toMatchObject({ code: -32602 });
});

test('serves what is mounted, and counts it', async () => {
  await using client = await connectAs(undefined);
  const before = timings.get('tools/call')?.count ?? 0;
  expect((await client.callTool('shop_check_stock', { item: 'tea' })).structuredContent).toMatchObject({ count: 12 });
  expect((await client.readResource('shop://items/tea')).contents).toHaveLength(1);
  expect((await client.getPrompt('shop_describe_item', { item: 'tea' })).messages).toHaveLength(1);
  expect(timings.get('tools/call')?.count).toBe(before + 1);
  expect(timings.get('resources/read')?.ms).toBeGreaterThan(0);
});
