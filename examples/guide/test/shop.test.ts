import type { Client } from '@switchyard/client';
import { connectInMemory } from '@switchyard/testing';
import { afterEach, expect, test } from 'vitest';

import { shop } from '../src/shop.ts';

let opened: Client | undefined;

async function open(): Promise<Client> {
  opened = await connectInMemory(shop);
  return opened;
}

afterEach(() => opened?.close());

test('fills the default in and answers a typed result with its text', async () => {
  const client = await open();
  const result = await client.callTool('check_stock', { item: 'tea' });
  expect(result.structuredContent).toEqual({ item: 'tea', count: 12, enough: true });
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
});

test('answers an item that does not exist as a failure of the tool', async () => {
  const client = await open();
  const result = await client.callTool('check_stock', { item: 'milk' });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
});

test('serves its resource, its template, its completion and its prompt', async () => {
  const client = await open();
  expect((await client.readResource('shop://opening-hours')).contents).toMatchObject([{ text: 'Every day, 9 to 17' }]);
  expect(await client.readResource('shop://items/coffee')).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  await expect(client.readResource('shop://items/milk')).rejects.toMatchObject({ code: -32602 });
  const ref = { type: 'ref/resource', uri: 'shop://items/{item}' } as const;
  const { completion } = await client.complete({ ref, argument: { name: 'item', value: 'c' } });
  expect(completion.values).toEqual(['coffee']);
  const { messages } = await client.getPrompt('describe_item', { item: 'tea' });
  expect(messages).toHaveLength(1);
});
