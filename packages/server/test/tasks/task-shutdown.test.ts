import { createResponder } from '@switchyard/server/endpoint';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';

import { storeWith } from '../effects/store-with.ts';
import { type Received } from '../wire.ts';
import { confirm, createJobServer } from './job-server.ts';
import { begin, gate, get, metaWithToken, request, until } from './task-route.ts';

describe('tasks', () => {
  it('have failed when their server is stopped', async () => {
    const { open, opened } = gate<unknown>();
    const server = createJobServer(async (ctx) => {
      const task = await ctx.task();
      task.signal.addEventListener('abort', () => open(task.signal.reason));
      await opened;
      return 'too late';
    });
    const endpoint = server.endpoint();
    const text = await createResponder(endpoint).respond(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'job', _meta: metaWithToken() },
      }),
      { signal: new AbortController().signal, send: () => undefined },
    );
    const taskId = String((JSON.parse(text ?? '') as Received).result?.['taskId']);
    void endpoint.endStreams?.();
    expect(await opened).toMatchObject({ message: expect.stringContaining('stopped') as string });
    const task = await until(server, taskId, 'failed');
    expect(task.statusMessage).toContain('stopped');
  });

  it('have the end that they came to when their server stops at that moment, and stopping waits until it is stored', async () => {
    const { open, opened } = gate();
    const writing = gate();
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    const held: (() => void)[] = [];
    let holds = false;
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        await opened;
        return 'done';
      },
      {
        records: storeWith(records, {
          put: async (...written) => {
            if (holds) await new Promise<void>((resolve) => held.push(resolve) && writing.open());
            return records.put(...written);
          },
        }),
      },
    );
    const endpoint = server.endpoint();
    const responder = createResponder(endpoint);
    const taskId = await begin({ ...server, respond: responder.respond.bind(responder) }, 'job');
    holds = true;
    open();
    await writing.opened;
    let hasStopped = false;
    const stopping = endpoint.endStreams?.().then(() => (hasStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasStopped).toBe(false);
    holds = false;
    for (const release of held) release();
    await stopping;
    expect(await get(server, taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
  });

  it('ask nothing any more once their server stops: the handler goes on to its end', async () => {
    const { open, opened } = gate<unknown>();
    const writing = gate();
    const writes = gate();
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    let holds = false;
    const server = createJobServer(
      async (ctx) => {
        const task = await ctx.task();
        await new Promise((resolve) => task.signal.addEventListener('abort', resolve));
        await writing.opened;
        try {
          await ctx.elicit('more', confirm);
        } catch (error) {
          open(error);
        }
        return '';
      },
      {
        records: storeWith(records, {
          put: async (...written) => {
            if (holds) {
              writing.open();
              await writes.opened;
            }
            return records.put(...written);
          },
        }),
      },
    );
    const endpoint = server.endpoint();
    const responder = createResponder(endpoint);
    await begin({ ...server, respond: responder.respond.bind(responder) }, 'job');
    holds = true;
    const stopping = endpoint.endStreams?.();
    expect(await opened).toMatchObject({ name: 'AbortError', message: expect.stringContaining('stopped') as string });
    writes.open();
    await stopping;
  });

  it.each(['before', 'while'])('are not begun %s their server stops', async (when) => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    let stop = (): unknown => undefined;
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        return '';
      },
      {
        records: storeWith(records, {
          put: (...written) => {
            if (when === 'while') stop();
            return records.put(...written);
          },
        }),
      },
    );
    const endpoint = server.endpoint();
    const responder = createResponder(endpoint);
    stop = () => endpoint.endStreams?.();
    if (when === 'before') stop();
    const stopped = { ...server, respond: responder.respond.bind(responder) };
    const { error } = await request(stopped, 'tools/call', { name: 'job' });
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('shutting down') as string });
    const stored = await Promise.all((await records.keys('task:')).map((key) => records.get(key)));
    expect(stored.map((found) => found?.value.includes('"status":"failed"'))).toEqual(when === 'while' ? [true] : []);
  });
});
