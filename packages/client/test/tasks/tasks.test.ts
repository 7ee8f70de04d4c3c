import { extensions, metaKeys, ProtocolError } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { failure } from '../expect-failure.ts';
import { connect } from '../../src/index.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { createScriptedPeer } from '../scripted-peer.ts';
import { cancellations, closeAfterwards, lastId, serve, watch } from '../serve-scripted.ts';
import { done, serveTasks, taskState } from './serve-tasks.ts';

describe('a tool call that becomes a task', () => {
  it('[TASK-06] [TASK-21] is looked at until it has ended, and answers the inner result', async () => {
    const server = await serveTasks({}, { states: [taskState(), taskState(), done('finished')] });
    const call = server.client.callTool('write', { chapters: 3 });
    await server.clock.advance(3000);
    expect(await call).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'finished' }] });
    expect(server.paramsOf('tasks/get')).toEqual([{ taskId: 't-1' }, { taskId: 't-1' }, { taskId: 't-1' }]);
  });

  it('[VER-04] [TASK-06] may be answered at once as well', async () => {
    const { client, peer } = await serve({ tasks: true });
    const call = client.callTool('write');
    const start = client.startTask('write');
    await settle();
    peer.answer(lastId(peer) - 1, { resultType: 'complete', content: [] });
    peer.answer(lastId(peer), { resultType: 'complete', content: [] });
    expect(await call).toEqual({ resultType: 'complete', content: [] });
    expect(await start).toEqual({ result: { resultType: 'complete', content: [] } });
  });

  it('[TASK-01] [VER-06] [EXT-01] is declared with each request, and only where the caller said so', async () => {
    const { client, peer, clock } = await serveTasks({}, { states: [done('x')] });
    const call = client.callTool('write');
    await clock.advance(1000);
    await call;
    for (const { params } of peer.written) {
      expect(params).toMatchObject({
        _meta: { [metaKeys.clientCapabilities]: { extensions: { [extensions.tasks]: {} } } },
      });
    }
    const other = await serve();
    expect(JSON.stringify(other.peer.written)).not.toContain(extensions.tasks);
  });

  it('[VER-04] [VER-06] is refused where the caller takes no tasks', async () => {
    const { client, peer } = await serve();
    const call = client.callTool('write');
    await settle();
    peer.answer(lastId(peer), { resultType: 'task', ...taskState() });
    expect((await failure(call)).code).toBe('invalid-response');
    expect(await failure(client.startTask('write'))).toMatchObject({ code: 'invalid-argument' });
    expect(() => client.task('t-1')).toThrow(/option tasks/);
  });

  it.each(['resources/read', 'prompts/get', 'tools/list', 'completion/complete'])(
    '[TASK-07] is an invalid response to %s',
    async (method) => {
      const { client, peer } = await serve({ tasks: true });
      const ref = { type: 'ref/prompt', name: 'p' } as const;
      const calls: { readonly [method: string]: () => Promise<unknown> } = {
        'resources/read': () => client.readResource('x://a'),
        'prompts/get': () => client.getPrompt('p'),
        'tools/list': () => client.listTools(),
        'completion/complete': () => client.complete({ ref, argument: { name: 'a', value: 'v' } }),
      };
      const call = calls[method]?.() ?? Promise.resolve();
      await settle();
      // But for its type it is a result of the method.
      const result = { contents: [], messages: [], tools: [], completion: { values: [] }, cacheScope: 'private' };
      peer.answer(lastId(peer), { ...result, resultType: 'task', ...taskState(), ttlMs: 0 });
      expect(await failure(call)).toMatchObject({ code: 'invalid-response', server: 'depot' });
    },
  );

  it.each([
    [{ taskId: '' }, /id/],
    [{ taskId: 'x'.repeat(5000) }, /id/],
    [{ taskId: undefined }, /taskId/],
    [{ status: 'resting' }, /status/],
    [{ ttlMs: 'long' }, /ttlMs/],
  ])('is an invalid response when it is no task: %j', async (created, problem) => {
    const { client, methods } = await serveTasks({}, { created });
    const error = await failure(client.callTool('write'));
    expect(error).toMatchObject({ code: 'invalid-response', message: expect.stringMatching(problem) });
    expect(methods()).toEqual([]);
  });

  it('is waited for where a call is made round by round, too', async () => {
    const { client, clock } = await serveTasks({}, { states: [done('by hand')] });
    const call = client.request('tools/call', { name: 'write' });
    await clock.advance(1000);
    expect(await call).toMatchObject({ content: [{ text: 'by hand' }] });
  });

  it('keeps the error of the tool as a result', async () => {
    const state = done('no paper', { result: { isError: true, content: [{ type: 'text', text: 'no paper' }] } });
    const { client, clock } = await serveTasks({}, { states: [state] });
    const call = client.callTool('write');
    await clock.advance(1000);
    expect(await call).toMatchObject({ isError: true });
  });

  it('rejects with the error of a failed task as a call would, without credentials', async () => {
    const error = { code: -32603, message: 'no tok-1234567890', data: { left: 2 } };
    const { client, clock } = await serveTasks({}, { states: [taskState({ status: 'failed', error })] });
    const call = watch(client.callTool('write'));
    await clock.advance(1000);
    expect(call.outcome).toBeInstanceOf(ProtocolError);
    expect(call.outcome).toMatchObject({ code: -32603, data: { left: 2 } });
  });

  it('rejects when the task was cancelled, with what the server says of it on one line', async () => {
    const state = taskState({ status: 'cancelled', statusMessage: 'out of\n\u001b[31mpaper' });
    const { client, clock } = await serveTasks({}, { states: [state] });
    const call = watch(client.callTool('write'));
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({
      code: 'aborted',
      message: expect.stringMatching(/cancelled.*out of .*paper/),
    });
  });

  it.each([
    [{ content: 5 }, 'invalid-response'],
    [{ resultType: 'task', ...taskState() }, 'invalid-response'],
  ])('rejects an inner result that is none: %j', async (result, code) => {
    const { client, clock } = await serveTasks({}, { states: [taskState({ status: 'completed', result })] });
    const call = watch(client.callTool('write'));
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({ code });
  });

  it('rejects a look that answers another task, and one that is none', async () => {
    for (const state of [done('x', { taskId: 't-2' }), taskState({ status: 'completed' })]) {
      const { client, clock } = await serveTasks({}, { states: [state] });
      const call = watch(client.callTool('write'));
      await clock.advance(1000);
      expect(call.outcome).toMatchObject({ code: 'invalid-response' });
    }
  });

  it('[TASK-22] tells the id before the first look, so that it can be kept', async () => {
    const kept: string[] = [];
    const server = await serveTasks({
      tasks: { onCreated: ({ taskId }, { name, args }) => kept.push(JSON.stringify([taskId, name, args])) },
    });
    watch(server.client.callTool('write', { chapters: 3 }));
    await settle();
    expect(kept).toEqual(['["t-1","write",{"chapters":3}]']);
    expect(server.methods()).toEqual([]);
  });
});

describe('a tool call that is given up', () => {
  it('[TASK-35] [TASK-36] tells the server with tasks/cancel, never with a notification, and looks no more', async () => {
    const server = await serveTasks();
    const controller = new AbortController();
    const call = watch(server.client.callTool('write', {}, { signal: controller.signal }));
    await server.clock.advance(1500);
    controller.abort();
    await settle();
    expect(call.outcome).toMatchObject({ code: 'aborted' });
    expect(server.methods()).toEqual(['tasks/get', 'tasks/cancel']);
    expect(server.paramsOf('tasks/cancel')).toEqual([{ taskId: 't-1' }]);
    await server.clock.advance(60_000);
    expect(server.methods()).toEqual(['tasks/get', 'tasks/cancel']);
    expect(cancellations(server.peer)).toEqual([]);
  });

  it('lets the task go on where the caller said so', async () => {
    const server = await serveTasks({ tasks: { whenGivenUp: 'abandon' } });
    const controller = new AbortController();
    const call = watch(server.client.callTool('write', {}, { signal: controller.signal }));
    await server.clock.advance(1500);
    controller.abort();
    await settle();
    expect(call.outcome).toMatchObject({ code: 'aborted' });
    expect(server.methods()).toEqual(['tasks/get']);
  });

  it('by its total limit is so as well: the limit counts from the call', async () => {
    const server = await serveTasks();
    const call = watch(server.client.callTool('write', {}, { maxTimeoutMs: 5000 }));
    await server.clock.advance(4999);
    expect(call.outcome).toBeUndefined();
    await server.clock.advance(1);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    await settle();
    expect(server.methods().at(-1)).toBe('tasks/cancel');
  });

  it.each(['callTool', 'request'] as const)(
    'by its total limit counts no time that a person thought before the task was made: %s',
    async (method) => {
      const clock = createManualClock();
      const answer = Promise.withResolvers<void>();
      const question = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
      let calls = 0;
      const peer = createScriptedPeer((message) => {
        if (message.method === 'tools/call' && method === 'callTool' && (calls += 1) === 1) {
          const inputRequests = { q: { method: 'elicitation/create', params: question } };
          peer.answer(message.id, { resultType: 'input_required', inputRequests });
        } else if (message.method === 'tools/call') {
          void answer.promise.then(() => peer.answer(message.id, { resultType: 'task', ...taskState() }));
        } else if (message.method === 'tasks/get') peer.answer(message.id, { resultType: 'complete', ...taskState() });
        else return false;
        return true;
      });
      const elicitForm = (): Promise<{ readonly action: 'accept' }> =>
        answer.promise.then(() => ({ action: 'accept' }));
      const client = await connect(peer.transport, { name: 'depot', clock, tasks: true, input: { elicitForm } });
      closeAfterwards(client);
      const limits = { maxTimeoutMs: 5000, timeoutMs: 5000 };
      const call = watch(
        method === 'callTool'
          ? client.callTool('write', {}, limits)
          : client.request('tools/call', { name: 'write', arguments: {} }, limits),
      );
      // A person takes his time before the task is made; a server does not.
      await clock.advance(method === 'callTool' ? 60_000 : 4000);
      answer.resolve();
      await settle();
      const left = method === 'callTool' ? 5000 : 1000;
      await clock.advance(left - 1);
      expect(call.outcome).toBeUndefined();
      await clock.advance(1);
      expect(call.outcome).toMatchObject({ code: 'timeout' });
    },
  );

  it('[TASK-35] is told to the server also where the client is closed right afterwards', async () => {
    const server = await serveTasks({}, { isSlowToCancel: true });
    const controller = new AbortController();
    const call = failure(server.client.callTool('x', {}, { signal: controller.signal }));
    await server.clock.advance(1000);
    controller.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    await server.client.close();
    await settle();
    expect(server.methods()).toEqual(['tasks/get', 'tasks/cancel']);
    expect(server.warnings).toEqual([]);
  });

  it('by closing the client rejects at once and leaves no timer that asks again', async () => {
    const server = await serveTasks();
    const call = watch(server.client.callTool('write'));
    await settle();
    await server.client.close();
    await settle();
    expect(call.outcome).toMatchObject({ code: 'closed' });
    await server.clock.advance(600_000);
    expect(server.methods()).toEqual([]);
  });
});
