import { detailedTask, extensions, metaKeys } from '@switchyard/protocol';
import {
  createServer,
  createResponder,
  errorResult,
  inputRequired,
  formQuestion,
  ProtocolError,
  type RequestContext,
  type ServerOptions,
  silentLogger,
  ToolError,
} from '@switchyard/server';
import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { metaOf, type Received, requestOf } from '../wire.ts';
import { accept, begin, call, cancel, gate, get, request, takesTasks, until, update } from './task-route.ts';

const confirm = { message: 'Go on?', schema: z.object({ ok: z.boolean() }) };
const untaught = { capabilities: { elicitation: { form: {} } } };

function create(
  work: (ctx: RequestContext) => Promise<unknown>,
  options: ServerOptions = {},
  task: 'optional' | 'required' = 'optional',
) {
  return createServer({ name: 'jobs', version: '1.0.0' }, { logger: silentLogger, ...options }).tool(
    'job',
    { task },
    (_args, ctx) => work(ctx) as Promise<string>,
  );
}

describe('a call that becomes a task', () => {
  it('[TASK-03] [TASK-08] [TASK-11] [TASK-12] [TASK-13] is answered at once with the flat state of the task', async () => {
    const { open, opened } = gate();
    const server = create(
      async (ctx) => {
        await ctx.task({ ttlMs: 60_000, pollIntervalMs: 250, statusMessage: 'Begun' });
        await opened;
        return 'done';
      },
      { epochNow: () => 1_700_000_000_000 },
    );
    const created = await call(server, 'job');
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]{24}$/) as string,
      status: 'working',
      statusMessage: 'Begun',
      createdAt: '2023-11-14T22:13:20.000Z',
      lastUpdatedAt: '2023-11-14T22:13:20.000Z',
      ttlMs: 60_000,
      pollIntervalMs: 250,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'jobs', version: '1.0.0' } },
    });
    open();
  });

  it('[TASK-14] can be read as soon as its caller knows of it', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return 'done';
    });
    for (let count = 0; count < 20; count += 1) {
      const taskId = await begin(server, 'job');
      expect((await get(server, taskId)).taskId).toBe(taskId);
    }
  });

  it('[TASK-16] [TASK-09] [TASK-10] works, and has the result of the call when it has completed', async () => {
    const { open, opened } = gate();
    const server = create(async (ctx) => {
      await ctx.task();
      await opened;
      return 'done';
    });
    const taskId = await begin(server, 'job');
    const working = await get(server, taskId);
    expect(working).toMatchObject({ resultType: 'complete', status: 'working' });
    expect(working).not.toHaveProperty('result');
    open();
    const completed = await until(server, taskId, 'completed');
    expect(completed).toMatchObject({ resultType: 'complete', result: { content: [{ type: 'text', text: 'done' }] } });
    expect(detailedTask(completed)).toBeUndefined();
  });

  it.each([
    ['returned', () => errorResult('no such order')],
    [
      'thrown',
      () => {
        throw new ToolError('no such order');
      },
    ],
  ])('[TASK-17] completes with an error of the tool that was %s', async (_how, end) => {
    const server = create(async (ctx) => {
      await ctx.task();
      return end();
    });
    const task = await until(server, await begin(server, 'job'), 'completed');
    expect(task.result).toMatchObject({ isError: true, content: [{ text: 'no such order' }] });
  });

  it('[TASK-16] [TASK-17] [TASK-18] fails with the error of the protocol, and says so', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      throw new ProtocolError(7, 'over the limit', { data: { limit: 3 } });
    });
    const task = await until(server, await begin(server, 'job'), 'failed');
    expect(task).toMatchObject({
      statusMessage: 'over the limit',
      error: { code: 7, message: 'over the limit', data: { limit: 3 } },
    });
    expect(task).not.toHaveProperty('result');
  });

  it('keeps its cause from its caller when the handler fails', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      throw new Error('password is hunter2');
    });
    const task = await until(server, await begin(server, 'job'), 'completed');
    expect(task.result?.isError).toBe(true);
    expect(JSON.stringify(task)).not.toContain('hunter2');
  });

  it.each([
    ['data that JSON cannot hold', () => new ProtocolError(7, 'no', { data: { toJSON: () => 1n } })],
    ['a code that is none', () => new ProtocolError(1.5, 'no')],
  ])('fails with an internal error in place of one with %s', async (_what, make) => {
    const server = create(
      async (ctx) => {
        await ctx.task();
        throw make();
      },
      { createReference: () => 'ref-1' },
    );
    const task = await until(server, await begin(server, 'job'), 'failed');
    expect(task.error).toMatchObject({ code: -32603, message: 'Internal error (reference ref-1)' });
  });

  it('ends with a reference alone when its result cannot be written', async () => {
    const server = create(
      async (ctx) => {
        await ctx.task();
        const cycle: Record<string, unknown> = {};
        cycle['self'] = cycle;
        return { content: [], structuredContent: cycle };
      },
      { createReference: () => 'ref-1' },
    );
    const taskId = await begin(server, 'job');
    await expect.poll(async () => (await get(server, taskId)).status).not.toBe('working');
    expect(JSON.stringify(await get(server, taskId))).toContain('ref-1');
  });

  it('fails, and says why, when its result is larger than a task keeps', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return 'x'.repeat(500_001);
    });
    const task = await until(server, await begin(server, 'job'), 'failed');
    expect(task.error).toMatchObject({ code: -32603, message: expect.stringContaining('at most 500000') as string });
  });

  it('keeps integers of its result digit for digit', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return { content: [], structuredContent: { id: 9_007_199_254_740_993n } };
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'completed');
    const text = await server.respond(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tasks/get',
        params: {
          taskId,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': takesTasks,
          },
        },
      }),
      { signal: new AbortController().signal, send: () => undefined },
    );
    expect(text).toContain('"id":9007199254740993');
  });

  it('shows what its handler says of the work', async () => {
    const { open, opened } = gate();
    const server = create(async (ctx) => {
      const task = await ctx.task();
      await task.update({ statusMessage: 'Reading', progress: 3, total: 10, pollIntervalMs: 2_000 });
      await opened;
      return task.id;
    });
    const taskId = await begin(server, 'job');
    await expect.poll(async () => (await get(server, taskId)).statusMessage).toBe('Reading (3 of 10)');
    expect((await get(server, taskId)).pollIntervalMs).toBe(2_000);
    open();
    const task = await until(server, taskId, 'completed');
    expect(task.result?.content[0]?.text).toBe(taskId);
  });

  it('sends nothing but its result on the response of the call', async () => {
    const sent: string[] = [];
    const { open, opened } = gate();
    const server = create(async (ctx) => {
      ctx.progress(1);
      await ctx.task();
      ctx.progress(2);
      open();
      return '';
    });
    const params = { name: 'job', _meta: { ...(await metaWithToken()) } };
    await server.respond(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
      signal: new AbortController().signal,
      send: (text) => sent.push(text),
    });
    await opened;
    expect(sent.map((text) => (JSON.parse(text) as Received).params?.['progress'])).toEqual([1]);
  });

  it('is the same task when it is asked for twice', async () => {
    const server = create(async (ctx) => {
      const [first, second] = await Promise.all([ctx.task(), ctx.task()]);
      return String(first.id === second.id && (await ctx.task()).id === first.id);
    });
    const task = await until(server, await begin(server, 'job'), 'completed');
    expect(task.result?.content[0]?.text).toBe('true');
  });

  it('outlives the time that a call may take', async () => {
    const { open, opened } = gate();
    const server = create(
      async (ctx) => {
        const task = await ctx.task();
        await opened;
        return String(task.signal.aborted);
      },
      { timeoutMs: 30 },
    ).tool('endless', {}, () => new Promise<string>(() => undefined));
    const taskId = await begin(server, 'job');
    expect((await request(server, 'tools/call', { name: 'endless' })).result?.['isError']).toBe(true);
    open();
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('false');
  });

  it('[TASK-41] is no other for a client that sends the task member of older revisions', async () => {
    const server = create(async () => 'plain');
    const { result } = await request(server, 'tools/call', { name: 'job', task: { ttl: 60_000 } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'plain' }] });
  });
});

async function metaWithToken(): Promise<object> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': takesTasks,
    progressToken: 'p',
  };
}

describe('a caller who takes no tasks', () => {
  it('[TASK-04] waits for the end of the handler, whatever it declared before', async () => {
    const server = create(async (ctx) => {
      const task = await ctx.task();
      await task.update({ statusMessage: 'on the way' });
      return `${String(task.id)} ${task.signal.aborted}`;
    });
    await begin(server, 'job');
    const result = await call(server, 'job', {}, untaught);
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'undefined false' }] });
  });

  it('gets progress where the handler says how far it is', async () => {
    const sent: Received[] = [];
    const server = create(async (ctx) => {
      const task = await ctx.task();
      await task.update({ statusMessage: 'Reading', progress: 3, total: 10 });
      return '';
    });
    const meta = { ...(await metaWithToken()), 'io.modelcontextprotocol/clientCapabilities': {} };
    await server.respond(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'job', _meta: meta } }),
      { signal: new AbortController().signal, send: (text) => sent.push(JSON.parse(text) as Received) },
    );
    expect(sent.map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 3, total: 10, message: 'Reading' },
    ]);
  });

  it('[TASK-05] gets -32021 from a tool that takes a task, which does not run', async () => {
    const work = vi.fn<() => Promise<string>>(async () => '');
    const server = create(work, {}, 'required');
    const { error } = await request(server, 'tools/call', { name: 'job' }, untaught);
    expect(error).toEqual({
      code: -32021,
      message: expect.stringContaining(extensions.tasks) as string,
      data: { requiredCapabilities: { extensions: { [extensions.tasks]: {} } } },
    });
    expect(work).not.toHaveBeenCalled();
  });

  it('[TASK-05] is told of everything that it lacks at once', async () => {
    const server = createServer({ name: 'jobs', version: '1.0.0' }).tool(
      'job',
      { task: 'required', requires: ['sampling'] },
      () => '',
    );
    expect((await request(server, 'tools/call', { name: 'job' }, untaught)).error?.data).toEqual({
      requiredCapabilities: { sampling: {}, extensions: { [extensions.tasks]: {} } },
    });
  });

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('[TASK-39] gets -32021 from %s', async (method) => {
    const server = create(async () => '');
    const params = { taskId: 'any', inputResponses: {} };
    const { error } = await request(server, method, params, untaught);
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extensions.tasks]: {} } } },
    });
  });

  it('[TASK-46] is every client that declares only the tasks of an older revision', async () => {
    const server = create(async (ctx) => String((await ctx.task()).id));
    const result = await call(server, 'job', {}, { capabilities: { tasks: { requests: { tools: { call: {} } } } } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'undefined' }] });
  });
});

describe('the extension', () => {
  it('[TASK-01] [TASK-02] [EXT-01] is offered by servers with a tool that makes tasks, and by no others', async () => {
    const plain = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    const { result } = await request(plain, 'server/discover', {});
    expect(result?.['capabilities']).not.toHaveProperty('extensions');
    const server = create(async () => '');
    const discovered = (await request(server, 'server/discover', {})).result?.['capabilities'];
    expect(discovered).toMatchObject({ extensions: { [extensions.tasks]: {} } });
    expect(discovered).not.toHaveProperty('tasks');
  });

  it('has no methods on a server that does not offer it', async () => {
    const plain = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    expect((await request(plain, 'tasks/get', { taskId: 'x' })).error?.code).toBe(-32601);
  });

  it('[TASK-40] has no list and no separate result', async () => {
    const server = create(async () => '');
    for (const method of ['tasks/list', 'tasks/result'])
      expect((await request(server, method, { taskId: 'x' })).error?.code).toBe(-32601);
  });

  it('stays when the tool that made tasks is gone', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return 'done';
    });
    const taskId = await begin(server, 'job');
    expect(server.removeTool('job')).toBe(true);
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('done');
  });

  it.each([
    ['a tool that does not say that it makes tasks', 'plain'],
    ['a resource', 'test://r'],
  ])('is an error of the author in %s', async (_what, target) => {
    const failures: unknown[] = [];
    const server = createServer(
      { name: 'jobs', version: '1.0.0' },
      {
        logger: { ...silentLogger, error: ({ err }: { err?: Error }) => failures.push(err?.message) },
      },
    )
      .tool('plain', {}, async (_args, ctx) => String((await ctx.task()).id))
      .resource('test://r', { name: 'r' }, async (_uri, ctx) => String((await ctx.task()).id));
    if (target === 'plain') await call(server, target);
    else await request(server, 'resources/read', { uri: target });
    expect(failures).toEqual([expect.stringContaining("say `task: 'optional'`")]);
  });
});

describe('a task that asks', () => {
  it('[TASK-15] answers what it asks before in rounds of the call', async () => {
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
      const ask = ctx.elicit('a', confirm);
      const [, answer] = await Promise.all([ctx.task(), ask]);
      return answer.action;
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    await update(server, taskId, { a: accept({ ok: true }) });
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('accept');

    const asking = create(async (ctx) => {
      const [answer] = await Promise.all([
        ctx.elicit('a', confirm).then((first) => first),
        new Promise((resolve) => queueMicrotask(() => resolve(ctx.task()))),
      ]);
      return answer.action;
    });
    expect((await request(asking, 'tools/call', { name: 'job' })).result?.['resultType']).toBe('input_required');
  });

  it('[TASK-30] puts explicit requests into the task, under keys that it never uses twice', async () => {
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
      await ctx.task();
      await Promise.all(Array.from({ length: 33 }, (_, index) => ctx.elicit(`a${index}`, confirm)));
      return '';
    });
    expect((await until(server, await begin(server, 'job'), 'completed')).result?.isError).toBe(true);
  });

  it('has room for answers again as soon as earlier ones were taken, and says that it has none until then', async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `a${index}`);
    const server = create(async (ctx) => {
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
    const server = create(async (ctx) => {
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
});

describe('a task that is cancelled', () => {
  it('[TASK-34] aborts the signal of its handler, and is cancelled when that stops', async () => {
    const { open, opened } = gate<unknown>();
    const server = create(async (ctx) => {
      const before = ctx.signal;
      const task = await ctx.task();
      expect(task.signal).toBe(before);
      await new Promise((_resolve, reject) =>
        task.signal.addEventListener('abort', () => reject(task.signal.reason as Error)),
      );
    });
    const noticed = create(async (ctx) => {
      const task = await ctx.task();
      task.signal.addEventListener('abort', () => open(task.signal.reason));
      await opened;
      return 'tidied up';
    });
    const taskId = await begin(server, 'job');
    const { result } = await cancel(server, taskId);
    expect(Object.keys(result ?? {}).sort()).toEqual(['_meta', 'resultType']);
    expect(await until(server, taskId, 'cancelled')).not.toHaveProperty('result');

    const other = await begin(noticed, 'job');
    await cancel(noticed, other);
    expect((await until(noticed, other, 'completed')).result?.content[0]?.text).toBe('tidied up');
    expect((await opened) as Error).toMatchObject({ name: 'AbortError' });
  });

  it('[TASK-34] rejects what its handler asks, and asks it no more', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return JSON.stringify(await ctx.elicit('a', confirm));
    });
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'input_required');
    await cancel(server, taskId);
    const task = await until(server, taskId, 'cancelled');
    expect(task).not.toHaveProperty('inputRequests');
    expect((await update(server, taskId, { a: accept({ ok: true }) })).error).toBeUndefined();
  });

  it('is cancelled without a handler that does not stop in time, whose result is dropped', async () => {
    const { open, opened } = gate();
    const ended = gate();
    const server = create(
      async (ctx) => {
        await ctx.task();
        await opened;
        queueMicrotask(ended.open);
        return 'too late';
      },
      { tasks: { cancelGraceMs: 10 } },
    );
    const taskId = await begin(server, 'job');
    await cancel(server, taskId);
    await until(server, taskId, 'cancelled');
    open();
    await ended.opened;
    expect((await get(server, taskId)).status).toBe('cancelled');
  });

  it.each(['completed', 'failed'])(
    '[TASK-19] [TASK-34] is acknowledged and stays %s when it has ended',
    async (status) => {
      const server = create(async (ctx) => {
        await ctx.task();
        if (status === 'failed') throw new ProtocolError('internalError', 'broken');
        return 'done';
      });
      const taskId = await begin(server, 'job');
      const before = await until(server, taskId, status);
      expect((await cancel(server, taskId)).error).toBeUndefined();
      expect(await get(server, taskId)).toEqual(before);
    },
  );

  it('is so when its request is cancelled before the response is out', async () => {
    const aborter = new AbortController();
    const { open, opened } = gate<AbortSignal>();
    const ids: (string | undefined)[] = [];
    const server = create(async (ctx) => {
      const starting = ctx.task();
      aborter.abort(new Error('gone'));
      const task = await starting;
      ids.push(task.id);
      open(task.signal);
      await new Promise((_resolve, reject) => {
        if (task.signal.aborted) reject(task.signal.reason as Error);
        task.signal.addEventListener('abort', () => reject(task.signal.reason as Error));
      });
    });
    await request(server, 'tools/call', { name: 'job' }, { signal: aborter.signal });
    expect((await opened).aborted).toBe(true);
    await until(server, ids[0] ?? '', 'cancelled');
  });

  it('is not so when its request is cancelled after that', async () => {
    const aborter = new AbortController();
    const { open, opened } = gate();
    const server = create(async (ctx) => {
      const task = await ctx.task();
      await opened;
      return String(task.signal.aborted);
    });
    const taskId = await begin(server, 'job', {}, { signal: aborter.signal });
    aborter.abort();
    open();
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('false');
  });
});

describe('the id of a task', () => {
  it('[TASK-44] has at least 128 random bits', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return '';
    });
    const ids = new Set<string>();
    for (let count = 0; count < 50; count += 1) ids.add(await begin(server, 'job'));
    expect(ids.size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[\w-]{24}$/);
  });

  it('[TASK-37] [TASK-38] [TASK-45] [TASK-48] answers another caller exactly like one that there is not', async () => {
    const server = create(async (ctx) => {
      await ctx.task();
      return JSON.stringify(await ctx.elicit('a', confirm));
    });
    const ada = { principal: { subject: 'ada', issuer: 'https://issuer.example' } };
    const taskId = await begin(server, 'job', {}, ada);
    await until(server, taskId, 'input_required', ada);
    const strangers = [
      {},
      { principal: { subject: 'eve', issuer: 'https://issuer.example' } },
      { principal: { subject: 'ada', issuer: 'https://other.example' } },
      { principal: { subject: 'ada', issuer: 'https://issuer.example', tenant: 't' } },
    ];
    const params = { inputResponses: { a: accept({ ok: true }) } };
    for (const stranger of strangers) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const found = await request(server, method, { ...params, taskId }, stranger);
        const unknown = await request(server, method, { ...params, taskId: 'A'.repeat(24) }, stranger);
        expect(found.error?.code).toBe(-32602);
        expect(found.error?.message.replace(taskId, '')).toBe(unknown.error?.message.replace('A'.repeat(24), ''));
      }
    }
    expect((await get(server, taskId, ada)).status).toBe('input_required');
    await cancel(server, taskId, ada);
  });

  it('[TASK-45] does not open the task to a token of the same caller that is not allowed its tool', async () => {
    const server = createServer({ name: 'jobs', version: '1.0.0' }).tool(
      'job',
      { task: 'optional', scopes: ['jobs:run'] },
      async (_args, ctx) => {
        await ctx.task();
        return JSON.stringify(await ctx.elicit('a', confirm));
      },
    );
    const allowed = { principal: { subject: 'ada', scopes: ['jobs:run'] } };
    const narrow = { principal: { subject: 'ada', scopes: ['jobs:look'] } };
    const taskId = await begin(server, 'job', {}, allowed);
    await until(server, taskId, 'input_required', allowed);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await request(server, method, { taskId, inputResponses: {} }, narrow)).error).toMatchObject({
        code: -32600,
        data: { requiredScopes: ['jobs:run'] },
      });
    expect((await get(server, taskId, allowed)).status).toBe('input_required');
    await cancel(server, taskId, allowed);
  });

  it.each(['', 'x/y', '../..', 'a'.repeat(5_000), '\u0000', 'ü'])('[TASK-37] is -32602 as %j', async (taskId) => {
    const server = create(async () => '');
    const { error } = await request(server, 'tasks/get', { taskId });
    expect(error?.code).toBe(-32602);
    expect(error?.message.length).toBeLessThan(300);
  });

  it('[TASK-49] is -32603 with a reference when the store does not answer', async () => {
    const server = create(async () => '', { records: brokenStore(), createReference: () => 'ref-1' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await request(server, method, { taskId: 'a'.repeat(24), inputResponses: {} })).error).toMatchObject({
        code: -32603,
        message: 'Internal error (reference ref-1)',
      });
  });
});

/** A store of which some methods do something else. */
function storeWith(records: RecordStore, others: Partial<RecordStore>): RecordStore {
  return {
    get: (key) => records.get(key),
    put: (key, value, options) => records.put(key, value, options),
    delete: (key, options) => records.delete(key, options),
    keys: (prefix, options) => records.keys(prefix, options),
    close: () => records.close(),
    [Symbol.asyncDispose]: () => records.close(),
    ...others,
  };
}

function brokenStore(): NonNullable<ServerOptions['records']> {
  const fail = (): Promise<never> => Promise.reject(new Error('secret host name'));
  return {
    get: fail,
    put: fail,
    delete: fail,
    keys: fail,
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

describe('a task of a mounted server', () => {
  it('is a task of the server that it is mounted in, through the interceptors of both', async () => {
    const seen: unknown[] = [];
    const inner = create(async (ctx) => {
      await ctx.task();
      return (await ctx.elicit('a', confirm)).action;
    }).use(async (called, next) => {
      const result = await next();
      seen.push(['inner', called.method, result.resultType]);
      return result;
    });
    const server = createServer({ name: 'host', version: '1.0.0' })
      .use(async (called, next) => {
        const result = await next();
        seen.push(['host', called.method, result.resultType]);
        return result;
      })
      .mount('jobs', inner);
    const taskId = await begin(server, 'jobs_job');
    await until(server, taskId, 'input_required');
    await update(server, taskId, { a: accept({ ok: true }) });
    expect((await until(server, taskId, 'completed')).result?.content[0]?.text).toBe('accept');
    expect(seen.slice(0, 2)).toEqual([
      ['inner', 'tools/call', 'task'],
      ['host', 'tools/call', 'task'],
    ]);
  });
});

describe('the methods of tasks over HTTP', () => {
  it.each([
    ['the id', (taskId: string) => taskId, undefined],
    ['another id', () => 'another', -32020],
    ['nothing', () => undefined, -32020],
  ])('take %s in Mcp-Name', async (_what, nameOf, code) => {
    const server = create(async (ctx) => {
      await ctx.task();
      return 'done';
    });
    const taskId = await begin(server, 'job');
    const route = await openNodeRoute(server);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const meta = metaOf({ [metaKeys.clientCapabilities]: takesTasks });
      const message = requestOf(method, { taskId, inputResponses: {} }, { meta });
      const answer = await route.call(postOf(message, { 'mcp-name': nameOf(taskId) }));
      expect(answer.status).toBe(code === undefined ? 200 : 400);
      expect(messageOf(answer).error?.code).toBe(code);
    }
  });

  it('[TASK-39] are HTTP 400 for a client that does not declare the extension', async () => {
    const route = await openNodeRoute(create(async () => ''));
    const message = requestOf('tasks/get', { taskId: 'x' });
    const answer = await route.call(postOf(message, { 'mcp-name': 'x' }));
    expect([answer.status, messageOf(answer).error?.code]).toEqual([400, -32021]);
  });
});

describe('the time of a task', () => {
  it('[TASK-24] [TASK-25] ends when its ttlMs is over and not before: then it is unknown', async () => {
    const clock = { now: 1_700_000_000_000 };
    const server = create(
      async (ctx) => {
        await ctx.task({ ttlMs: 60_000 });
        return 'done';
      },
      { epochNow: () => clock.now },
    );
    const taskId = await begin(server, 'job');
    await until(server, taskId, 'completed');
    clock.now += 59_999;
    expect((await get(server, taskId)).status).toBe('completed');
    clock.now += 1;
    await expect(get(server, taskId)).rejects.toMatchObject({ code: -32602 });
  });

  it('ends its handler', async () => {
    const { open, opened } = gate<unknown>();
    const server = create(async (ctx) => {
      const task = await ctx.task({ ttlMs: 20 });
      task.signal.addEventListener('abort', () => open(task.signal.reason));
      return opened;
    });
    const taskId = await begin(server, 'job');
    expect(await opened).toMatchObject({ message: 'the task has expired' });
    await expect(get(server, taskId)).rejects.toMatchObject({ code: -32602 });
  });

  it.each([0, 1.5, -1, Number.NaN, Infinity, 604_800_001])('cannot be %s milliseconds', async (ttlMs) => {
    const server = create(async (ctx) => {
      await ctx.task({ ttlMs });
      return '';
    });
    expect(await call(server, 'job')).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('is bounded by the options of the server', () => {
    for (const tasks of [
      { ttlMs: 2_000, maxTtlMs: 1_000 },
      { maxRunning: 0 },
      { pollIntervalMs: 0.5 },
      { maxKeptPerCaller: 1_001 },
    ])
      expect(() => create(async () => '', { tasks })).toThrow(TypeError);
  });
});

describe('tasks', () => {
  it('leave a line in the log when they end, without the id that opens them', async () => {
    const lines: object[] = [];
    const server = create(
      async (ctx) => {
        await ctx.task();
        return 'done';
      },
      { logger: { ...silentLogger, info: (fields, message) => lines.push({ ...fields, message }) } },
    );
    const sender = { principal: { subject: 'ada', tenant: 't' } };
    const taskId = await begin(server, 'job', {}, sender);
    await until(server, taskId, 'completed', sender);
    expect(lines).toContainEqual({
      message: 'task ended',
      task: `${taskId.slice(0, 8)}…`,
      name: 'job',
      subject: 'ada',
      tenant: 't',
      status: 'completed',
    });
    expect(JSON.stringify(lines)).not.toContain(taskId);
  });

  it('run in a bounded number, of each caller and of all', async () => {
    const { open, opened } = gate();
    const server = create(
      async (ctx) => {
        await ctx.task();
        await opened;
        return '';
      },
      { tasks: { maxRunningPerCaller: 2, maxRunning: 3 } },
    );
    const [ada, eve, bob] = ['ada', 'eve', 'bob'].map((subject) => ({ principal: { subject } }));
    const first = await begin(server, 'job', {}, ada);
    await begin(server, 'job', {}, ada);
    const { error } = await request(server, 'tools/call', { name: 'job' }, ada);
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('2 tasks of the caller') as string });
    await begin(server, 'job', {}, eve);
    expect((await request(server, 'tools/call', { name: 'job' }, bob)).error?.message).toContain('3 tasks are running');
    open();
    await until(server, first, 'completed', ada);
    await expect.poll(async () => (await request(server, 'tools/call', { name: 'job' }, bob)).error).toBeUndefined();
  });

  it.each<[string, (ctx: RequestContext) => Promise<string>]>([
    [
      'returned',
      async (ctx) => {
        void ctx.task();
        return 'at once';
      },
    ],
    [
      'thrown',
      async (ctx) => {
        void ctx.task();
        throw new ToolError('at once');
      },
    ],
  ])('do not go on whose handler has %s before they began', async (_how, work) => {
    const records = createMemoryRecordStore({ now: () => 0 });
    const server = create(work, { records, tasks: { maxRunningPerCaller: 2 } });
    for (let count = 0; count < 10; count += 1) expect((await call(server, 'job')).resultType).toBe('complete');
    const states = async () => {
      const stored = await Promise.all((await records.keys('task:')).map((key) => records.get(key)));
      return new Set(stored.map((found) => /"status":"\w+"/.exec(found?.value ?? '')?.[0]));
    };
    await expect.poll(states).toEqual(new Set(['"status":"failed"']));
    expect(await records.keys('task:')).toHaveLength(10);
  });

  it('are kept in a bounded number of each caller', async () => {
    const server = create(
      async (ctx) => {
        await ctx.task();
        return '';
      },
      { tasks: { maxKeptPerCaller: 2 } },
    );
    const ada = { principal: { subject: 'ada' } };
    const first = await begin(server, 'job', {}, ada);
    await begin(server, 'job', {}, ada);
    expect((await request(server, 'tools/call', { name: 'job' }, ada)).error).toMatchObject({ code: -32603 });
    expect((await get(server, first, ada)).taskId).toBe(first);
    await begin(server, 'job', {}, { principal: { subject: 'eve' } });
  });

  it('have failed when their server is stopped', async () => {
    const { open, opened } = gate<unknown>();
    const server = create(async (ctx) => {
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
        params: { name: 'job', _meta: await metaWithToken() },
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
    const records = createMemoryRecordStore({ now: () => 0 });
    const held: (() => void)[] = [];
    let holds = false;
    const server = create(
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

  it.each(['before', 'while'])('are not begun %s their server stops', async (when) => {
    const records = createMemoryRecordStore({ now: () => 0 });
    let stop = (): unknown => undefined;
    const server = create(
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

  it('are warned of where others than this machine would rely on the memory of one process', async () => {
    const warned: string[] = [];
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => warned.push(message) };
    const endpoint = create(async () => '', { logger, state: false }).endpoint();
    await endpoint.prepare?.({ isLoopback: true });
    expect(warned).toEqual([]);
    await endpoint.prepare?.({ isLoopback: false });
    expect(warned).toEqual([expect.stringContaining('memory of this process')]);
  });
});
