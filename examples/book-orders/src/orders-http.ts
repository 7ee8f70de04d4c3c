import type { IncomingMessage, ServerResponse } from 'node:http';

import { readOrder } from './orders.ts';

const statuses = { forbidden: 403, not_found: 404 } as const;

/** Serves `GET /orders/ID` without MCP: the order, or its refusal with status 403 or 404. */
export function createOrdersHandler(identity: string): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const orderId = /^\/orders\/([A-Za-z0-9-]+)$/.exec(request.url ?? '')?.[1];
    if (request.method !== 'GET' || orderId === undefined) {
      response.writeHead(404).end();
      return;
    }
    const answer = readOrder(identity, orderId);
    response.writeHead('order' in answer ? 200 : statuses[answer.code], { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  };
}
