import { describe, expect, it } from 'vitest';
import type { InputHandlers } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { watch } from '../serve-scripted.ts';
import { asks, done, serveTasks, taskState } from './serve-tasks.ts';

describe('the handle of a task', () => {
  it('is there as soon as the task is, and asks nothing by itself', async () => {
    const server = await serveTasks();
    const { task } = await server.client.startTask('write', { chapters: 3 });
    expect(task).toMatchObject({ taskId: 't-1', status: 'working', task: { pollIntervalMs: 1000 } });
    await server.clock.advance(60_000);
    expect(server.methods()).toEqual([]);
  });

  it('[TASK-22] is made of a kept id, by another client as well, and looks at once', async () => {
    const server = await serveTasks({}, { states: [done('after the restart')] });
    const task = server.client.task('t-1');
    expect([task.taskId, task.status]).toEqual(['t-1', undefined]);
    expect(await task.result()).toMatchObject({ content: [{ text: 'after the restart' }] });
    expect(task.status).toBe('completed');
    expect(server.peer.written.map(({ method }) => method)).toEqual(['server/discover', 'tasks/get']);
  });

  it.each(['', 'x'.repeat(5000), 5 as unknown as string])('is not made of what is no id: %s', async (taskId) => {
    const server = await serveTasks();
    expect(() => server.client.task(taskId)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('answers the same result again without asking again', async () => {
    const server = await serveTasks({}, { states: [done('x')] });
    const task = server.client.task('t-1');
    expect(await task.result()).toEqual(await task.result());
    expect(server.methods()).toEqual(['tasks/get']);
  });

  it('tells each new state, and an unchanged one once', async () => {
    const late = { lastUpdatedAt: '2026-11-30T10:05:00Z', statusMessage: 'half' };
    const server = await serveTasks({}, { states: [taskState(), taskState(), taskState(late), done('x')] });
    const seen: string[] = [];
    const waiting = server.client
      .task('t-1')
      .result({ onUpdate: ({ status, statusMessage = '' }) => seen.push(`${status} ${statusMessage}`) });
    await server.clock.advance(3000);
    await waiting;
    expect(seen).toEqual(['working ', 'working half', 'completed ']);
  });

  it('goes on after a wait was given up: the task is not cancelled', async () => {
    const server = await serveTasks();
    const { task } = await server.client.startTask('write');
    const controller = new AbortController();
    const first = watch(task?.result({ signal: controller.signal }) ?? Promise.resolve());
    const short = watch(server.client.task('t-1').result({ maxTimeoutMs: 1500 }));
    await server.clock.advance(1500);
    controller.abort();
    await settle();
    expect([first.outcome, short.outcome]).toMatchObject([{ code: 'aborted' }, { code: 'timeout' }]);
    expect(server.methods()).not.toContain('tasks/cancel');
    server.states.push(done('late'));
    const second = watch(task?.result() ?? Promise.resolve());
    await server.clock.advance(1000);
    expect(second.outcome).toMatchObject({ content: [{ text: 'late' }] });
  });

  it('shares one wait among callers, each of whom may give up alone', async () => {
    const server = await serveTasks();
    const task = server.client.task('t-1');
    const controller = new AbortController();
    const first = watch(task.result());
    const second = watch(task.result({ signal: controller.signal }));
    await server.clock.advance(1000);
    controller.abort();
    await settle();
    expect(second.outcome).toMatchObject({ code: 'aborted' });
    expect(first.outcome).toBeUndefined();
    expect(server.methods()).toEqual(['tasks/get', 'tasks/get']);
    server.states.push(done('x'));
    await server.clock.advance(1000);
    expect(first.outcome).toMatchObject({ content: [{ text: 'x' }] });
  });

  it('leaves each of those who wait his own signal, limit and news, whoever came first', async () => {
    const server = await serveTasks();
    const task = server.client.task('t-1');
    const controller = new AbortController();
    const told: string[] = [];
    const waits = [
      watch(task.result({ signal: controller.signal, onUpdate: ({ status }) => told.push(`first ${status}`) })),
      watch(task.result({ maxTimeoutMs: 2500 })),
      watch(task.result({ onUpdate: ({ status }) => told.push(`third ${status}`) })),
    ];
    await server.clock.advance(1500);
    controller.abort();
    await settle();
    expect(waits.map(({ outcome }) => outcome)).toMatchObject([{ code: 'aborted' }, undefined, undefined]);
    await server.clock.advance(1000);
    expect(waits.map(({ outcome }) => outcome)).toMatchObject([{ code: 'aborted' }, { code: 'timeout' }, undefined]);
    server.states.push(done('x'));
    await server.clock.advance(1000);
    expect(waits[2]?.outcome).toMatchObject({ content: [{ text: 'x' }] });
    expect(told).toEqual(['first working', 'third working', 'third completed']);
    expect(server.methods()).toHaveLength(4);
  });

  it('looks no more when the last one has given up', async () => {
    const server = await serveTasks();
    const task = server.client.task('t-1');
    watch(task.result({ maxTimeoutMs: 1500 }));
    watch(task.result({ maxTimeoutMs: 2500 }));
    await server.clock.advance(60_000);
    expect(server.methods()).toHaveLength(3);
  });

  it('closes its dialogs when the last one has given up', async () => {
    const signals: AbortSignal[] = [];
    const input: InputHandlers = {
      elicitForm({ signal }) {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    const server = await serveTasks({ input }, { states: [asks('a')] });
    const task = server.client.task('t-1');
    const controllers = [new AbortController(), new AbortController()];
    for (const { signal } of controllers) watch(task.result({ signal }));
    await settle();
    for (const isLast of [false, true]) {
      controllers.shift()?.abort();
      await settle();
      expect(signals.map(({ aborted }) => aborted)).toEqual([isLast]);
    }
  });

  it('by a kept id checks the result by all that needs no tool', async () => {
    const link = { type: 'resource_link', uri: 'javascript:alert(1)', name: 'x' };
    const states = [done('x', { result: { content: [link, { type: 'text', text: 'y' }] } })];
    const server = await serveTasks({}, { states });
    expect((await server.client.task('t-1').result()).content).toEqual([{ type: 'text', text: 'y' }]);
    expect(server.warnings).toMatchObject([{ code: 'unsafe-url' }]);
    const small = await serveTasks({ resultSize: { maxBytes: 1000 } }, { states: [done('x'.repeat(2000))] });
    expect(await failure(small.client.task('t-1').result())).toMatchObject({ code: 'result-rejected' });
  });

  it('[TASK-35] cancels with tasks/cancel, and the result says what became of it', async () => {
    const server = await serveTasks({}, { states: [done('it was too late to stop')] });
    const { task } = await server.client.startTask('write');
    await task?.cancel();
    expect(server.methods()).toEqual(['tasks/cancel']);
    const result = watch(task?.result() ?? Promise.resolve());
    await server.clock.advance(1000);
    expect(result.outcome).toMatchObject({ content: [{ text: 'it was too late to stop' }] });
  });

  it('looks once, without waiting', async () => {
    const server = await serveTasks({}, { states: [asks('a')] });
    const task = server.client.task('t-1');
    expect(await task.look()).toMatchObject({ status: 'input_required', inputRequests: { a: {} } });
    expect(task.status).toBe('input_required');
    expect(server.methods()).toEqual(['tasks/get']);
  });

  it('[TASK-26] leaves requests for input to a caller who answers them himself', async () => {
    const server = await serveTasks({}, { states: [asks('a'), done('x')] });
    const task = server.client.task('t-1');
    const result = task.result({
      leavesInput: true,
      onUpdate: (seen) => {
        if (seen.status === 'input_required') void task.answer({ a: { action: 'decline' } });
      },
    });
    await server.clock.advance(1000);
    expect(await result).toMatchObject({ content: [{ text: 'x' }] });
    expect(server.paramsOf('tasks/update')).toEqual([{ taskId: 't-1', inputResponses: { a: { action: 'decline' } } }]);
  });
});
