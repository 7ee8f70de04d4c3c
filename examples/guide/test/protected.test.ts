import type { SecurityEvent } from '@switchyard/server';
import { expect, it } from 'vitest';

import { serveOrders } from '../src/protected.ts';

it('tells clients where to get a token, and refuses one without', async () => {
  const events: SecurityEvent[] = [];
  const running = await serveOrders(0, (event) => events.push(event));
  try {
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', running.url));
    expect(await metadata.json()).toMatchObject({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['orders:read'],
    });
    const refused = await fetch(running.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain(
      'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    );
    expect(events).toMatchObject([{ type: 'unauthenticated', status: 401 }]);
  } finally {
    await running.close();
  }
});
