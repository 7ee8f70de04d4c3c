import { describe, expect, it } from 'vitest';
import { settle } from './manual-clock.ts';
import { serve, watch } from './serve-scripted.ts';

describe('ids', () => {
  it('[MSG-03] [MSG-04] are integers of a request and stand in no notification, whatever is sent', async () => {
    const { client, peer } = await serve({ tasks: true });
    const controller = new AbortController();
    const { signal } = controller;
    const ref = { type: 'ref/prompt', name: 'p' } as const;
    const asked = [
      client.discover({ signal }),
      client.listTools({ signal }),
      client.listResources({ signal }),
      client.listResourceTemplates({ signal }),
      client.listPrompts({ signal }),
      client.listSkills({ signal }),
      client.callTool('x', {}, { signal }),
      client.readResource('x://a', { signal }),
      client.getPrompt('p', {}, { signal }),
      client.complete({ ref, argument: { name: 'a', value: '' } }, { signal }),
      client.task('t').look({ signal }),
      client.subscribe({ toolsListChanged: true }, { signal }),
    ].map(watch);
    await settle();
    controller.abort();
    await settle();
    const [requests, others] = [true, false].map((wanted) => peer.written.filter((it) => 'id' in it === wanted));
    expect(requests).toHaveLength(asked.length + 1);
    for (const { id } of requests ?? []) expect(id).toSatisfy(Number.isInteger);
    expect(new Set(others?.map(({ method }) => method))).toEqual(new Set(['notifications/cancelled']));
  });

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
