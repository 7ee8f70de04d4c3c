import { createServer, ToolError } from '@switchyard/server';
import * as z from 'zod';

const stock = new Map([
  ['tea', 12],
  ['coffee', 0],
]);

/** A server with one of each: a tool with a typed result, a resource, a template with completion, and a prompt. */
export const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  instructions: 'Ask check_stock before you promise.',
});

shop.tool(
  'check_stock',
  {
    description: 'How many of an item are in stock',
    input: z.object({ item: z.string().max(64), at_least: z.number().int().min(1).default(1) }),
    output: z.object({ item: z.string(), count: z.number(), enough: z.boolean() }),
    annotations: { readOnlyHint: true },
  },
  ({ item, at_least }, context) => {
    const count = stock.get(item);
    if (count === undefined) throw new ToolError(`There is no item called ${item}`, { error: { code: 'not_found' } });
    context.progress(1, 1, 'counted');
    return { item, count, enough: count >= at_least };
  },
);

shop.resource('shop://opening-hours', { name: 'Opening hours', mimeType: 'text/plain' }, () => 'Every day, 9 to 17');

shop.resourceTemplate(
  'shop://items/{item}',
  {
    name: 'Item',
    mimeType: 'application/json',
    cache: { ttlMs: 60_000, cacheScope: 'public' },
    complete: { item: (typed) => [...stock.keys()].filter((item) => item.startsWith(typed)) },
  },
  ({ item }) => (stock.has(String(item)) ? JSON.stringify({ item, count: stock.get(String(item)) }) : undefined),
);

shop.prompt(
  'describe_item',
  {
    description: 'A sales text',
    args: { item: 'The item', tone: { description: 'How it should sound', required: false } },
  },
  ({ item, tone = 'plain' }) => `Describe ${item} in a ${tone} tone, in two sentences.`,
);
