import { createServer, type Server, type SecurityEvent } from '@switchyard/server';
import { bearerJwt, createRevocations, createTokenExchange, protectedResource } from '@switchyard/server/authorization';
import { type RunningServer, serveHttp } from '@switchyard/server/node';

const issuer = 'https://login.example.com';

const resource = protectedResource({
  resource: 'https://mcp.example.com/mcp',
  authorizationServers: [issuer],
  scopesSupported: ['orders:read'],
  implies: { 'orders:write': ['orders:read'] },
});

/** Tokens and users that are no longer good, whatever their tokens say. */
export const revocations = createRevocations();

export const orders: Server = createServer({ name: 'orders', version: '1.0.0' })
  .tool('list_orders', { description: 'My orders', scopes: ['orders:read'] }, (_args, { principal }) => [
    `the orders of ${principal?.subject ?? 'nobody'}`,
  ])
  .tool('ship', { description: 'Ships an order', scopes: ['orders:write'] }, async (_args, ctx) => {
    // The caller's own token is out of reach; this one is for the warehouse, and names the user and this server.
    const { accessToken } = await ctx.exchangeToken('https://warehouse.example.com', ['shipments']);
    const answer = await fetch('https://warehouse.example.com/shipments', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
      signal: ctx.signal,
    });
    return answer.ok ? 'Shipped' : 'The warehouse is closed';
  });

/** Serves it to whoever has a token of the issuer for this resource. */
export function serveOrders(port: number, onSecurityEvent: (event: SecurityEvent) => void): Promise<RunningServer> {
  return serveHttp(orders, {
    port,
    protectedResource: resource,
    authenticate: bearerJwt(resource, {
      revocations,
      exchange: createTokenExchange({
        issuer,
        client: { clientId: 'orders-server', clientSecret: 'from a secret store' },
      }),
    }),
    onSecurityEvent,
  });
}
