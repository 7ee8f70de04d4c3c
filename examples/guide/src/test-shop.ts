import { connectInMemory } from '@switchyard/testing';

import { shop } from './shop.ts';

const client = await connectInMemory(shop);
const { structuredContent } = await client.callTool('check_stock', { item: 'tea', at_least: 3 });
console.log(structuredContent);
await client.close();
