import { describe, expect, it } from 'vitest';
import { settle } from './manual-clock.ts';
import { serve } from './serve-scripted.ts';

describe('ids', () => {
  it('[MSG-05] [PROG-02] differ between all requests, and so do progress tokens', async () => {
    const { client, peer } = await serve();
    const calls = Array.from({ length: 20 }, () => client.callTool('x', {}, { onProgress: () => undefined }));
    await settle();
    const sent = peer.written.filter(({ method }) => method === 'tools/call');
    const tokens = sent.map(({ params }) => JSON.stringify(params?.['_meta']).match(/"progressToken":([^,}]+)/)?.[1]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
    expect(new Set(tokens).size).toBe(20);
    for (const { id } of sent) peer.answer(id, { content: [] });
    await Promise.all(calls);
  });
});
