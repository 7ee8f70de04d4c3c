import { describe, expect, it } from 'vitest';

import { httpHeaders, paramHeaderPrefix } from '../src/http-headers.ts';

describe('the table of headers', () => {
  it('[HDR-01] [HDR-06] [HDR-07] has the names of the specification, and the same in lower case for look-up', () => {
    expect(httpHeaders).toEqual({
      protocolVersion: { name: 'MCP-Protocol-Version', key: 'mcp-protocol-version' },
      method: { name: 'Mcp-Method', key: 'mcp-method' },
      name: { name: 'Mcp-Name', key: 'mcp-name' },
      sessionId: { name: 'MCP-Session-Id', key: 'mcp-session-id' },
      lastEventId: { name: 'Last-Event-ID', key: 'last-event-id' },
    });
    expect(paramHeaderPrefix).toBe('Mcp-Param-');
  });
});
