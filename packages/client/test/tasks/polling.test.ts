import { describe, expect, it } from 'vitest';
import { settle } from '../manual-clock.ts';
import { watch } from '../serve-scripted.ts';
import { done, serveTasks, taskState } from './serve-tasks.ts';

describe('a task that is waited for', () => {
  it('[TASK-20] is looked at as often as its server asks, which may change from look to look', async () => {
    const states = [taskState({ pollIntervalMs: 5000 }), taskState({ pollIntervalMs: 500 }), done('x')];
    const server = await serveTasks({}, { created: { pollIntervalMs: 2000 }, states });
    const call = watch(server.client.callTool('write'));
    const looks: number[] = [];
    for (let time = 0; time < 9000 && call.outcome === undefined; time += 100) {
      const before = server.methods().length;
      await server.clock.advance(100);
      if (server.methods().length > before) looks.push(server.clock.now());
    }
    expect(looks).toEqual([2000, 7000, 7500]);
  });

  it.each([
    [0, 100],
    [-5, 1000],
    [undefined, 1000],
    [86_400_000, 300_000],
    [Number.MAX_SAFE_INTEGER, 300_000],
  ])('is looked at no more and no less often than the bounds allow: asked for %s ms, it is %s', async (asked, used) => {
    const created = asked === undefined ? { pollIntervalMs: undefined } : { pollIntervalMs: asked };
    const server = await serveTasks({}, { created });
    watch(server.client.callTool('write', {}, { maxTimeoutMs: 2_000_000 }));
    await server.clock.advance(used - 1);
    expect(server.methods()).toEqual([]);
    await server.clock.advance(1);
    expect(server.methods()).toEqual(['tasks/get']);
  });

  it('is looked at within the bounds of the caller', async () => {
    const server = await serveTasks({ tasks: { minPollMs: 3000 } });
    watch(server.client.callTool('write'));
    await server.clock.advance(2999);
    expect(server.methods()).toEqual([]);
    await server.clock.advance(1);
    expect(server.methods()).toEqual(['tasks/get']);
  });

  it.each([{ minPollMs: 0 }, { maxPollMs: Number.NaN }, { whenGivenUp: 'explode' as 'cancel' }])(
    'needs options that can be meant: %j',
    async (tasks) => {
      await expect(serveTasks({ tasks })).rejects.toMatchObject({ code: 'invalid-argument' });
    },
  );

  it('is looked at at once where it was over when it was created', async () => {
    const server = await serveTasks({}, { created: { status: 'completed' }, states: [done('quick')] });
    expect(await server.client.callTool('write')).toMatchObject({ content: [{ text: 'quick' }] });
  });

  it('is looked at earlier when a notification speaks of it, and no oftener for a flood of them', async () => {
    const server = await serveTasks({}, { created: { pollIntervalMs: 60_000 } });
    watch(server.client.callTool('write'));
    await settle();
    const news = (taskId: string) =>
      server.peer.send({ jsonrpc: '2.0', method: 'notifications/tasks', params: taskState({ taskId }) });
    news('t-2');
    await settle();
    expect(server.methods()).toEqual([]);
    for (let count = 0; count < 500; count += 1) news('t-1');
    await settle();
    expect(server.methods()).toEqual(['tasks/get']);
    await server.clock.advance(99);
    for (let count = 0; count < 500; count += 1) news('t-1');
    await settle();
    expect(server.methods()).toEqual(['tasks/get']);
    await server.clock.advance(1);
    expect(server.methods()).toEqual(['tasks/get', 'tasks/get']);
  });

  it('does not take the word of a notification for the state', async () => {
    const server = await serveTasks({}, { states: [taskState(), done('really')] });
    const call = watch(server.client.callTool('write'));
    await settle();
    server.peer.send({ jsonrpc: '2.0', method: 'notifications/tasks', params: done('forged') });
    await settle();
    expect(call.outcome).toBeUndefined();
    await server.clock.advance(1000);
    expect(call.outcome).toMatchObject({ content: [{ text: 'really' }] });
  });

  it('is not waited for when its server is silent for longer than timeoutMs on one look', async () => {
    const server = await serveTasks({}, { states: [taskState(), { silent: true }] });
    const call = watch(server.client.callTool('write', {}, { timeoutMs: 4000 }));
    await server.clock.advance(5999);
    expect(call.outcome).toBeUndefined();
    await server.clock.advance(1);
    expect(call.outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('tasks/get') });
  });

  it('is not waited for long after the time that its server keeps it', async () => {
    const server = await serveTasks({}, { states: [taskState({ ttlMs: 10_000 })] });
    const call = watch(server.client.callTool('write'));
    await server.clock.advance(11_000);
    expect(call.outcome).toBeUndefined();
    await server.clock.advance(5000);
    expect(call.outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('10000 ms') });
  });

  it('is over when the server does not know it any more', async () => {
    const server = await serveTasks({}, { states: [{ code: -32602, message: 'Task not found' }] });
    const call = watch(server.client.callTool('write'));
    await server.clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: -32602 });
    await settle();
    expect(server.methods()).toEqual(['tasks/get']);
  });
});
