import { extensions, metaKeys } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { describe, expect, it, vi } from 'vitest';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { metaOf, type Received, requestOf } from '../wire.ts';
import { confirm, createJobServer } from './job-server.ts';
import { accept, begin, call, metaWithToken, request, takesTasks, until, update } from './task-route.ts';

const untaught = { capabilities: { elicitation: { form: {} } } };

describe('a caller who takes no tasks', () => {
  it('[TASK-04] waits for the end of the handler, whatever it declared before', async () => {
    const server = createJobServer(async (ctx) => {
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
    const server = createJobServer(async (ctx) => {
      const task = await ctx.task();
      await task.update({ statusMessage: 'Reading', progress: 3, total: 10 });
      return '';
    });
    const meta = { ...metaWithToken(), 'io.modelcontextprotocol/clientCapabilities': {} };
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
    const server = createJobServer(work, {}, 'required');
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
    const server = createJobServer(async () => '');
    const params = { taskId: 'any', inputResponses: {} };
    const { error } = await request(server, method, params, untaught);
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extensions.tasks]: {} } } },
    });
  });

  it('[TASK-46] is every client that declares only the tasks of an older revision', async () => {
    const server = createJobServer(async (ctx) => String((await ctx.task()).id));
    const result = await call(server, 'job', {}, { capabilities: { tasks: { requests: { tools: { call: {} } } } } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'undefined' }] });
  });
});

describe('the extension', () => {
  it('[TASK-01] [TASK-02] [EXT-01] is offered by servers with a tool that makes tasks, and by no others', async () => {
    const plain = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    const { result } = await request(plain, 'server/discover', {});
    expect(result?.['capabilities']).not.toHaveProperty('extensions');
    const server = createJobServer(async () => '');
    const discovered = (await request(server, 'server/discover', {})).result?.['capabilities'];
    expect(discovered).toMatchObject({ extensions: { [extensions.tasks]: {} } });
    expect(discovered).not.toHaveProperty('tasks');
  });

  it('has no methods on a server that does not offer it', async () => {
    const plain = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    expect((await request(plain, 'tasks/get', { taskId: 'x' })).error?.code).toBe(-32601);
  });

  it('[TASK-40] has no list and no separate result', async () => {
    const server = createJobServer(async () => '');
    for (const method of ['tasks/list', 'tasks/result'])
      expect((await request(server, method, { taskId: 'x' })).error?.code).toBe(-32601);
  });

  it('stays when the tool that made tasks is gone', async () => {
    const server = createJobServer(async (ctx) => {
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

describe('a task of a mounted server', () => {
  it('is a task of the server that it is mounted in, through the interceptors of both', async () => {
    const seen: unknown[] = [];
    const inner = createJobServer(async (ctx) => {
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
    const server = createJobServer(async (ctx) => {
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
    const route = await openNodeRoute(createJobServer(async () => ''));
    const message = requestOf('tasks/get', { taskId: 'x' });
    const answer = await route.call(postOf(message, { 'mcp-name': 'x' }));
    expect([answer.status, messageOf(answer).error?.code]).toEqual([400, -32021]);
  });
});
