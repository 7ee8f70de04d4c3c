import { createMemoryEventBus } from '@switchyard/stores';
import { expect, it, vi } from 'vitest';

import { createSales } from '../src/sales.ts';

it('tells who listens at another instance of what it asked for', async () => {
  await using bus = createMemoryEventBus();
  const [here, there] = [createSales({ bus }), createSales({ bus })];
  here.offer('tea', 3);
  there.offer('tea', 3);
  const told: string[] = [];
  const gone = new AbortController();
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['sales://prices'] },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const listening = here.server.respond(JSON.stringify(message), {
    signal: gone.signal,
    send: (text) => void told.push(text),
  });
  await vi.waitFor(() => expect(told).not.toEqual([]));
  const [acknowledged] = told.map(
    (text) => JSON.parse(text) as { readonly params: { readonly notifications: object } },
  );
  // There are no prompts, so none of their changes are promised.
  expect(acknowledged?.params.notifications).toEqual({
    toolsListChanged: true,
    resourceSubscriptions: ['sales://prices'],
  });
  there.reprice('tea', 2);
  await vi.waitFor(() => expect(told.at(-1)).toContain('"notifications/resources/updated"'));
  told.length = 0;
  there.end('tea');
  await vi.waitFor(() => expect(told).toEqual([expect.stringContaining('"notifications/tools/list_changed"')]));
  gone.abort(new Error('over'));
  await listening;
});
