import { createServer, type Server, ToolError } from '@switchyard/server';
import * as z from 'zod';

import { readOrder } from './orders.ts';

/** Creates the MCP server over the orders. It reads them as `identity`, whatever a client says of itself. */
export function createOrderServer(identity: string): Server {
  const server = createServer({ name: 'book-orders', version: '1.0.0' });
  server.tool(
    'get_order',
    {
      title: 'Get an order',
      description: 'Reads one of your own orders by its id',
      input: z.object({ order_id: z.string().describe('Id of the order, for example A-104') }),
      output: z.object({ order_id: z.string(), status: z.string(), as_of: z.string(), source_version: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ order_id }) => {
      const answer = readOrder(identity, order_id);
      if ('order' in answer) return answer.order;
      throw new ToolError(answer.message, answer);
    },
  );
  return server;
}
