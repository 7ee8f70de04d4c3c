import { createServer } from '@switchyard/server';

/** A server with a skill, and with an app beside a tool. */
export const storefront = createServer({ name: 'storefront', version: '1.0.0' });

storefront.skill({
  frontmatter: {
    name: 'refund-orders',
    description: 'Decide whether an order may be refunded. Use it for complaints.',
  },
  body: '# Refund orders\n\nRead references/rules.md before you decide.',
  files: { 'references/rules.md': '# Rules\n\nAn order may be refunded within 30 days.\n' },
});

const page = `<!doctype html>
<html lang="en">
  <title>Orders</title>
  <ul id="orders"></ul>
</html>`;

storefront.ui(
  'ui://storefront/orders',
  { name: 'Orders', csp: { resourceDomains: ['https://cdn.storefront.example'] }, prefersBorder: true },
  page,
);

storefront.tool(
  'list_orders',
  { description: 'Lists the open orders', ui: { resourceUri: 'ui://storefront/orders' } },
  // The text says everything, for clients that show no apps.
  () => ({ content: [{ type: 'text', text: 'Order 1: 3 books' }], structuredContent: [{ order: 1, books: 3 }] }),
);
