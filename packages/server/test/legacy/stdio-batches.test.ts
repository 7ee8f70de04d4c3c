import { describe, expect, it } from 'vitest';

import { type Received } from '../wire.ts';
import { legacyRequest, notificationOf } from './legacy-route.ts';
import { initialized } from './stdio-client.ts';

describe('batches over stdio', () => {
  const batch = [
    legacyRequest('ping', {}, 1),
    notificationOf('notifications/x'),
    legacyRequest('tools/list', {}, 2),
    { id: 3 },
  ];

  it('[LEGS-19] [jsonrpc-07] are answered with an array at 2025-03-26', async () => {
    const route = await initialized('2025-03-26');
    route.send(batch);
    const answered = (await route.seen((message) => Array.isArray(message))) as unknown as Received[];
    expect(answered).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
      { id: 3, error: { code: -32600 } },
    ]);
    await route.end();
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('[LEGS-19] [jsonrpc-07] are refused at %s', async (revision) => {
    const route = await initialized(revision);
    route.send(batch);
    expect((await route.seen(({ error }) => error !== undefined)).error).toMatchObject({ code: -32600 });
    await route.end();
  });

  it.each([
    ['empty', []],
    ['too long', Array.from({ length: 101 }, (_, id) => legacyRequest('ping', {}, id))],
  ])('are refused when they are %s', async (_name, messages) => {
    const route = await initialized('2025-03-26');
    route.send(messages);
    expect((await route.seen(({ error }) => error !== undefined)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/batch/) as string,
    });
    await route.end();
  });
});
