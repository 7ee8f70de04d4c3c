import { detailedTask, extensions } from '@switchyard/protocol';
import { formQuestion, inputRequired } from '@switchyard/server';
import { createMemoryRecordStore, StoreError } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { storeWith } from '../effects/store-with.ts';
import { confirm, createJobServer } from './job-server.ts';
import { accept, begin, cancel, gate, get, request, until, update } from './task-route.ts';

describe('a task that asks', () => {
  it('[TASK-15] answers what it asks before in rounds of the call', async () => {
    const server = createJobServer(async (ctx) => {
      const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
      await ctx.task();
      return answer.action === 'accept' ? answer.content.name : '';
    });
    const first = (await request(server, 'tools/call', { name: 'job' })).result;
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    expect(first).not.toHaveProperty('taskId');
    const second = (
      await request(server, 'tools/call', {
        name: 'job',
        requestState: first?.['requestState'],
        inputResponses: { name: accept({ name: 'Ada' }) },
      })
    ).result;
    expect(second?.['resultType']).toBe('task');
    expect(second).not.toHaveProperty('requestState');
    const task = await until(server, String(second?.['taskId']), 'completed');
    expect(task.result?.content[0]?.text).toBe('Ada');
  });

  it('[TASK-16] [TASK-31] waits with its question until it is answered', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return JSON.stringify(await ctx.elicit('sure', confirm));
    });
    const taskId = await begin(server, 'job');
    const waiting = await until(server, taskId, 'input_required');
    expect(waiting.inputRequests).toMatchObject({
      sure: { method: 'elicitation/create', params: { message: 'Go on?' } },
    });
    expect(detailedTask(waiting)).toBeUndefined();
    const { result } = await update(server, taskId, { sure: accept({ ok: true }) });
    expect(Object.keys(result ?? {}).sort()).toEqual(['_meta', 'resultType']);
    const task = await until(server, taskId, 'completed');
    expect(task.result?.content[0]?.text).toBe('{"action":"accept","content":{"ok":true}}');
  });

  it('[TASK-32] [TASK-16] asks together what is awaited together, and takes the answers one by one', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return JSON.stringify(await Promise.all([ctx.elicit('a', confirm), ctx.elicit('b', confirm)]));
    });
    const taskId = await begin(server, 'job');
    const waiting = await until(server, taskId, 'input_required');
    expect(Object.keys(waiting.inputRequests ?? {})).toEqual(['a', 'b']);
    await update(server, taskId, { a: accept({ ok: true }) });
    const half = await get(server, taskId);
    expect([half.status, Object.keys(half.inputRequests ?? {})]).toEqual(['input_required', ['b']]);
    await update(server, taskId, { b: { action: 'decline' } });
    const task = await until(server, taskId, 'completed');
    expect(JSON.parse(task.result?.content[0]?.text ?? '')).toEqual([
      { action: 'accept', content: { ok: true } },
      { action: 'decline' },
    ]);
  });

  it('[TASK-33] ignores answers to what it does not ask, whatever they hold, and second answers', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      const first = await ctx.elicit('a', confirm);
      await ctx.elicit('b', confirm);
      return JSON.stringify(first);
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    expect((await update(server, taskId, { nobody: 'asked', __proto__: 1 })).error).toBeUndefined();
    await update(server, taskId, { a: accept({ ok: true }) });
    await expect.poll(async () => Object.keys((await get(server, taskId)).inputRequests ?? {})).toEqual(['b']);
    expect((await update(server, taskId, { a: { action: 'cancel' } })).error).toBeUndefined();
    expect((await update(server, taskId, { b: { action: 'cancel' } })).error).toBeUndefined();
    const task = await until(server, taskId, 'completed');
    expect(task.result?.content[0]?.text).toContain('accept');
  });

  it('[TASK-48] refuses an answer of the wrong shape, and goes on waiting', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      await ctx.elicit('a', confirm);
      return '';
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    for (const wrong of ['accept', { action: 'perhaps' }])
      expect((await update(server, taskId, { a: wrong })).error).toMatchObject({ code: -32602, data: { key: 'a' } });
    expect((await get(server, taskId)).status).toBe('input_required');
    await cancel(server, taskId);
  });

  it('[TASK-30] asks anew under another key when a form was filled in wrongly, at most five times', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return JSON.stringify(await ctx.elicit('a', confirm));
    });
    const taskId = await begin(server, 'job');
    const seen: string[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      await expect
        .poll(async () => Object.keys((await get(server, taskId)).inputRequests ?? {}))
        .not.toEqual(seen.slice(-1));
      const waiting = await until(server, taskId, 'input_required');
      const [key = ''] = Object.keys(waiting.inputRequests ?? {});
      seen.push(key);
      await update(server, taskId, { [key]: accept({ ok: 'perhaps' }) });
    }
    expect(seen).toEqual(['a', 'a~2', 'a~3', 'a~4', 'a~5']);
    expect((await until(server, taskId, 'completed')).result?.isError).toBe(true);
  });

  it('fails with -32021 when its caller cannot answer what it asks', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      await ctx.elicit('a', confirm);
      return '';
    });
    const capabilities = { extensions: { [extensions.tasks]: {} } };
    const taskId = await begin(server, 'job', {}, { capabilities });
    const task = await until(server, taskId, 'failed', { capabilities });
    expect(task.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } });
  });

  it('puts what is asked after it began into the task, and what was asked before into a round', async () => {
    const server = createJobServer(async (ctx) => {
      const ask = ctx.elicit('a', confirm);
      const [, answer] = await Promise.all([ctx.task(), ask]);
      return answer.action;
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    await update(server, taskId, { a: accept({ ok: true }) });
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('accept');

    const asking = createJobServer(async (ctx) => {
      const [answer] = await Promise.all([
        ctx.elicit('a', confirm).then((first) => first),
        new Promise((resolve) => queueMicrotask(() => resolve(ctx.task()))),
      ]);
      return answer.action;
    });
    expect((await request(asking, 'tools/call', { name: 'job' })).result?.['resultType']).toBe('input_required');
  });

  it('[TASK-30] puts explicit requests into the task, under keys that it never uses twice', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      const { resumed } = ctx;
      const round = resumed === undefined ? 0 : Number(resumed.kept);
      if (round === 2) return JSON.stringify(resumed?.answers);
      return inputRequired({ requests: { sure: formQuestion(confirm) }, keep: round + 1 });
    });
    const taskId = await begin(server, 'job');
    const keys: string[] = [];
    for (const ok of [false, true]) {
      await expect
        .poll(async () => Object.keys((await get(server, taskId)).inputRequests ?? {}))
        .toEqual([keys.length === 0 ? 'sure' : 'sure~2']);
      const [key = ''] = Object.keys((await get(server, taskId)).inputRequests ?? {});
      keys.push(key);
      await update(server, taskId, { [key]: accept({ ok }) });
    }
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe(
      '{"sure":{"action":"accept","content":{"ok":true}}}',
    );
  });

  it('takes a bounded number of questions at once', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      await Promise.all(Array.from({ length: 33 }, (_, index) => ctx.elicit(`a${index}`, confirm)));
      return '';
    });
    expect((await until(server, await begin(server, 'job'), 'completed')).result?.isError).toBe(true);
  });

  it('has room for answers again as soon as earlier ones were taken, and says that it has none until then', async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `a${index}`);
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      const question = { message: 'Text?', schema: z.object({ text: z.string() }) };
      await Promise.all(keys.map((key) => ctx.elicit(key, question)));
      return 'all of them';
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    const send = (key: string) => update(server, taskId, { [key]: accept({ text: 'x'.repeat(250_000) }) });
    const together = await Promise.all(keys.map(send));
    const refused = keys.filter((_, index) => together[index]?.error !== undefined);
    expect(refused).not.toEqual([]);
    expect(together.find(({ error }) => error !== undefined)?.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('send them again') as string,
    });
    for (const key of refused) await expect.poll(async () => (await send(key)).error).toBeUndefined();
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('all of them');
  });

  it('takes a bounded amount of answers at once', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      await ctx.elicit('a', { message: 'Text?', schema: z.object({ text: z.string() }) });
      return '';
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    const { error } = await update(server, taskId, { a: accept({ text: 'x'.repeat(256_000) }) });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('at most 256000') as string });
    await cancel(server, taskId);
  });

  it('takes a question back that could not be stored for sure, of which the handler hears', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    let isAnswerLost = false;
    const lossy = storeWith(records, {
      put: async (...written) => {
        const version = await records.put(...written);
        if (isAnswerLost || !written[1].includes('Go on?')) return version;
        isAnswerLost = true;
        throw new StoreError('unavailable', 'the store did not answer in time');
      },
    });
    const { open, opened } = gate();
    const server = createJobServer(
      async (ctx) => {
        const task = await ctx.task();
        const failed = await Promise.resolve(ctx.elicit('a', confirm)).catch((error: unknown) => error);
        await task.update({ statusMessage: 'Going on alone' });
        await opened;
        return String(failed instanceof StoreError);
      },
      { records: lossy, epochNow: () => 0 },
    );
    const taskId = await begin(server, 'job');
    await expect.poll(async () => (await get(server, taskId)).statusMessage).toBe('Going on alone');
    expect((await get(server, taskId)).status).toBe('working');
    open();
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('true');
  });
});
