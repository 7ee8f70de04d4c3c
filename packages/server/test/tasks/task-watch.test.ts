import { extensions, metaKeys, type Principal } from '@switchyard/protocol';
import { createServer, type Server } from '@switchyard/server';
import { createMemoryEventBus, createMemoryRecordStore, StoreError } from '@switchyard/stores';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { storeWith } from '../effects/store-with.ts';
import { metaOf, type Received } from '../wire.ts';
import { confirm, createJobServer } from './job-server.ts';
import { accept, begin, cancel, gate, get, takesTasks, until, update } from './task-route.ts';

/** Listens for tasks, and answers what comes. */
function listen(
  server: Server,
  taskIds: readonly string[],
  { principal, capabilities = takesTasks }: { readonly principal?: Principal; readonly capabilities?: object } = {},
): { readonly texts: string[]; readonly messages: Received[]; readonly ended: Promise<Received> } {
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const texts: string[] = [];
  const messages: Received[] = [];
  const params = { notifications: { taskIds }, _meta: metaOf({ [metaKeys.clientCapabilities]: capabilities }) };
  const ended = server
    .respond(JSON.stringify({ jsonrpc: '2.0', id: 'w', method: 'subscriptions/listen', params }), {
      signal: aborter.signal,
      ...(principal === undefined ? {} : { principal }),
      send(text) {
        texts.push(text);
        messages.push(JSON.parse(text) as Received);
      },
    })
    .then((text) => JSON.parse(text ?? '{}') as Received);
  return { texts, messages, ended };
}

function statusesOf(messages: readonly Received[]): unknown[] {
  return messages.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params?.['status']);
}

describe('a subscription to tasks', () => {
  it('[TASK-42] is told what each is, and what it becomes, as tasks/get would answer it', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return (await ctx.elicit('a', confirm)).action;
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    const { messages } = listen(server, [taskId]);
    await expect.poll(() => statusesOf(messages)).toEqual(['input_required']);
    expect(messages[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    });
    await update(server, taskId, { a: accept({ ok: true }) });
    await expect.poll(() => statusesOf(messages).at(-1)).toBe('completed');
    const {
      resultType: _type,
      _meta: _server,
      ...task
    } = (await get(server, taskId)) as object as Record<string, unknown>;
    expect(messages.at(-1)?.params).toEqual({ ...task, _meta: { 'io.modelcontextprotocol/subscriptionId': 'w' } });
  });

  it('is told the integers of a result digit for digit', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return { content: [], structuredContent: { id: 9_007_199_254_740_993n } };
    });
    const taskId = await begin(server, 'job');
    const { texts, messages } = listen(server, [taskId]);
    await expect.poll(() => statusesOf(messages).at(-1)).toBe('completed');
    expect(texts.at(-1)).toContain('"id":9007199254740993');
  });

  it('[TASK-42] hears of what happens in other processes over the bus', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    const bus = createMemoryEventBus();
    onTestFinished(async () => {
      await records.close();
      await bus.close();
    });
    const { open, opened } = gate();
    const one = createJobServer(
      async (ctx) => {
        await ctx.task();
        await opened;
        return 'done';
      },
      { records, bus, epochNow: () => 0 },
    );
    const other = createJobServer(async () => '', { records, bus, epochNow: () => 0 });
    const taskId = await begin(one, 'job');
    const { messages } = listen(other, [taskId]);
    await expect.poll(() => statusesOf(messages)).toEqual(['working']);
    open();
    await expect.poll(() => statusesOf(messages)).toEqual(['working', 'completed']);
  });

  it('finds out by itself that the process of a task is gone', async () => {
    const clock = { now: 0 };
    const records = createMemoryRecordStore({ epochNow: () => clock.now });
    onTestFinished(() => records.close());
    const never = new Promise<never>(() => undefined);
    const server = createJobServer(
      async (ctx) => {
        await ctx.task();
        return never;
      },
      { records, epochNow: () => clock.now },
    );
    const taskId = await begin(server, 'job');
    const other = createJobServer(async () => '', { records, epochNow: () => clock.now });
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { messages } = listen(other, [taskId]);
    await expect.poll(() => statusesOf(messages)).toEqual(['working']);
    clock.now = 30_001;
    await vi.advanceTimersByTimeAsync(5_000);
    await expect.poll(() => statusesOf(messages).at(-1)).toBe('failed');
  });

  it('[TASK-42] hears of an end over the bus whose write had no answer', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    const bus = createMemoryEventBus();
    onTestFinished(async () => {
      await records.close();
      await bus.close();
    });
    let isAnswerLost = false;
    const lossy = storeWith(records, {
      put: async (...written) => {
        const version = await records.put(...written);
        if (isAnswerLost || !written[1].includes('"completed"')) return version;
        isAnswerLost = true;
        throw new StoreError('unavailable', 'the store did not answer in time');
      },
    });
    const { open, opened } = gate();
    const one = createJobServer(
      async (ctx) => {
        await ctx.task();
        await opened;
        return 'done';
      },
      { records: lossy, bus, epochNow: () => 0 },
    );
    const other = createJobServer(async () => '', { records, bus, epochNow: () => 0 });
    const taskId = await begin(one, 'job');
    // The other one looks for itself after a while.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { messages } = listen(other, [taskId]);
    await expect.poll(() => statusesOf(messages)).toEqual(['working']);
    open();
    await expect.poll(() => statusesOf(messages)).toEqual(['working', 'completed']);
    expect(isAnswerLost).toBe(true);
  });

  it("[TASK-42] [TASK-45] agrees to the caller's own tasks alone", async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return (await ctx.elicit('a', confirm)).action;
    });
    const ada = { principal: { subject: 'ada' } };
    const eve = { principal: { subject: 'eve' } };
    const hers = await begin(server, 'job', {}, ada);
    const { messages } = listen(server, [hers, 'unknown', '../x'], eve);
    await expect.poll(() => messages.length).toBe(1);
    expect(messages[0]?.params).toMatchObject({ notifications: {} });
    expect(messages[0]?.params?.['notifications']).not.toHaveProperty('taskIds');
    await cancel(server, hers, ada);
    await until(server, hers, 'cancelled', ada);
    expect(messages).toHaveLength(1);
  });

  it('[TASK-39] is -32021 for a client that does not declare the extension', async () => {
    const server = createJobServer(async () => '');
    const { ended } = listen(server, ['any'], { capabilities: {} });
    expect((await ended).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extensions.tasks]: {} } } },
    });
  });

  it('names at most 100 tasks', async () => {
    const server = createJobServer(async () => '');
    const { ended } = listen(
      server,
      Array.from({ length: 101 }, (_, index) => `task-${index}`),
    );
    expect((await ended).error).toMatchObject({ code: -32602 });
  });

  it('is a subscription to nothing on a server without tasks', async () => {
    const server = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    const { messages } = listen(server, ['any'], { capabilities: {} });
    await expect.poll(() => messages.length).toBe(1);
    expect(messages[0]?.params).toMatchObject({ notifications: {} });
  });
});
