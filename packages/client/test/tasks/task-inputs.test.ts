import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { FormAccepted, FormAsk, InputHandlers } from '../../src/index.ts';
import { settle } from '../manual-clock.ts';
import { watch } from '../serve-scripted.ts';
import { asks, done, serveTasks, taskState } from './serve-tasks.ts';

/** Handlers whose forms a test answers by hand. */
function forms(): { readonly input: InputHandlers; readonly asked: FormAsk[]; answer(who: string): void } {
  const asked: FormAsk[] = [];
  const answers: ((answer: FormAccepted) => void)[] = [];
  return {
    asked,
    answer: (who) => answers.shift()?.({ action: 'accept', content: { who } }),
    input: {
      elicitForm(ask) {
        asked.push(ask);
        const { promise, resolve, reject } = Promise.withResolvers<FormAccepted>();
        answers.push(resolve);
        ask.signal.addEventListener('abort', () => reject(new Error('stopped')));
        return promise;
      },
    },
  };
}

const answersOf = (updates: readonly JsonObject[]): unknown[] => updates.map(({ inputResponses }) => inputResponses);

describe('a task that asks for input', () => {
  it('[TASK-26] [TASK-27] [TASK-50] gets it through the handlers of any request, and is waited for afterwards', async () => {
    const { input, asked, answer } = forms();
    const server = await serveTasks({ input }, { states: [asks('name'), asks('name'), taskState(), done('hello')] });
    const call = watch(server.client.callTool('greet', { loud: true }));
    await server.clock.advance(1000);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      server: 'depot',
      trust: 'untrusted',
      interrupts: { method: 'tools/call', name: 'greet', arguments: { loud: true } },
    });
    answer('Ada');
    await settle();
    expect(server.paramsOf('tasks/update')).toEqual([
      { taskId: 't-1', inputResponses: { name: { action: 'accept', content: { who: 'Ada' } } } },
    ]);
    await server.clock.advance(3000);
    expect(call.outcome).toMatchObject({ content: [{ text: 'hello' }] });
    expect(server.methods()).toEqual(['tasks/get', 'tasks/update', 'tasks/get', 'tasks/get', 'tasks/get']);
  });

  it('is looked at once more where it takes no answer any more, and its result is not lost', async () => {
    const { input, answer } = forms();
    const server = await serveTasks({ input }, { states: [asks('name'), done('paid')] });
    server.refuses.push({ code: -32602, message: 'that task is over' });
    const call = watch(server.client.callTool('pay'));
    await server.clock.advance(1000);
    answer('Ada');
    await settle();
    expect(call.outcome).toMatchObject({ content: [{ text: 'paid' }] });
    expect(server.methods()).toEqual(['tasks/get', 'tasks/update', 'tasks/get']);
  });

  it('[TASK-28] [TASK-29] is asked for each key once, over all looks, whatever comes under it again', async () => {
    const { input, asked, answer } = forms();
    const server = await serveTasks({ input }, { states: [asks('a')] });
    watch(server.client.callTool('greet'));
    await server.clock.advance(5000);
    expect(asked).toHaveLength(1);
    answer('Ada');
    await server.clock.advance(5000);
    expect(asked).toHaveLength(1);
    expect(server.paramsOf('tasks/update')).toHaveLength(1);
    server.states.splice(0, 1, asks('a', 'b'));
    await server.clock.advance(1000);
    expect(asked).toHaveLength(2);
    answer('Bob');
    await server.clock.advance(5000);
    expect(answersOf(server.paramsOf('tasks/update'))).toEqual([
      { a: { action: 'accept', content: { who: 'Ada' } } },
      { b: { action: 'accept', content: { who: 'Bob' } } },
    ]);
  });

  it('may think for as long as a person wants: the total limits of all who wait stand still meanwhile', async () => {
    const { input, answer } = forms();
    const server = await serveTasks({ input }, { states: [asks('a')] });
    const call = watch(server.client.callTool('greet', {}, { maxTimeoutMs: 5000 }));
    const task = server.client.task('t-1');
    const others = [watch(task.result({ maxTimeoutMs: 5000 }))];
    await server.clock.advance(30_000);
    others.push(watch(task.result({ maxTimeoutMs: 5000 })));
    await server.clock.advance(30_000);
    expect([call, ...others].map(({ outcome }) => outcome)).toEqual([undefined, undefined, undefined]);
    server.states.splice(0, 1, done('hello'));
    answer('Ada');
    await server.clock.advance(1000);
    expect(call.outcome).toMatchObject({ content: [{ text: 'hello' }] });
  });

  it('stops asking when it ends meanwhile', async () => {
    const { input, asked } = forms();
    const server = await serveTasks({ input }, { states: [asks('a'), done('never mind')] });
    const call = watch(server.client.callTool('greet'));
    await server.clock.advance(2000);
    expect(call.outcome).toMatchObject({ content: [{ text: 'never mind' }] });
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(server.paramsOf('tasks/update')).toEqual([]);
  });

  it.each([
    ['is not waited for any more', taskState()],
    ['is not among its questions any more', asks('b')],
    ['asks something else', asks('a', { message: 'Delete everything?' })],
  ])('closes the dialog of a question that %s, and an answer to it counts for nothing', async (_, next) => {
    const { input, asked, answer } = forms();
    const server = await serveTasks(
      { input },
      { states: [asks('a'), next, asks('a', { message: 'Delete everything?' })] },
    );
    watch(server.client.task('t-1').result());
    await server.clock.advance(1000);
    expect(asked[0]?.signal.aborted).toBe(true);
    answer('Ada');
    await server.clock.advance(1000);
    expect(server.paramsOf('tasks/update')).toEqual([]);
    expect(asked.at(-1)).toMatchObject({ message: 'Delete everything?', signal: { aborted: false } });
  });

  it('is answered together for what it asked together', async () => {
    const { input, answer } = forms();
    const server = await serveTasks({ input }, { states: [asks('a', 'b')] });
    watch(server.client.task('t-1').result());
    await settle();
    answer('Ada');
    await server.clock.advance(2000);
    expect(server.paramsOf('tasks/update')).toEqual([]);
    answer('Bob');
    await settle();
    expect(answersOf(server.paramsOf('tasks/update')).map((sent) => Object.keys(sent as object))).toEqual([['a', 'b']]);
  });

  it('that takes its questions back without end is given up', async () => {
    const { input, asked } = forms();
    const server = await serveTasks({ input });
    const result = watch(server.client.task('t-1').result({ maxTimeoutMs: 10_000_000 }));
    for (let look = 0; look < 600 && result.outcome === undefined; look += 1) {
      server.states.splice(0, 1, look % 2 === 0 ? asks('a') : taskState());
      await server.clock.advance(1000);
    }
    expect(result.outcome).toMatchObject({ code: 'too-many-rounds' });
    expect(asked).toHaveLength(256);
  });

  it('asks again for what an answer by hand did not reach it for', async () => {
    const { input, asked, answer } = forms();
    const server = await serveTasks({ input }, { states: [asks('a')] });
    server.refuses.push({ code: -32603, message: 'busy' });
    const task = server.client.task('t-1');
    const byHand = watch(task.answer({ a: { action: 'decline' } }));
    await settle();
    expect(byHand.outcome).toMatchObject({ code: -32603 });
    const result = watch(task.result());
    await settle();
    expect(asked).toHaveLength(1);
    answer('Ada');
    server.states.splice(0, 1, done('x'));
    await server.clock.advance(1000);
    expect(result.outcome).toMatchObject({ content: [{ text: 'x' }] });
    expect(answersOf(server.paramsOf('tasks/update'))).toMatchObject([{ a: { action: 'decline' } }, { a: {} }]);
  });

  it('closes the dialog of what the caller answers himself', async () => {
    const { input, asked } = forms();
    const server = await serveTasks({ input }, { states: [asks('a')] });
    const task = server.client.task('t-1');
    watch(task.result());
    await settle();
    await task.answer({ a: { action: 'decline' } });
    expect(asked[0]?.signal.aborted).toBe(true);
    await server.clock.advance(3000);
    expect(asked).toHaveLength(1);
    expect(server.paramsOf('tasks/update')).toHaveLength(1);
  });

  it('is given up and cancelled when nobody answers what it asks', async () => {
    const server = await serveTasks({}, { states: [asks('a')] });
    const call = watch(server.client.callTool('greet'));
    await server.clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: 'unexpected-input-required' });
    expect(server.methods()).toEqual(['tasks/get', 'tasks/cancel']);
  });

  it('is given up when a handler fails, and asks the same again when it is waited for again', async () => {
    let isBroken = true;
    const input: InputHandlers = {
      elicitForm: () =>
        isBroken
          ? Promise.reject(new Error('no display'))
          : Promise.resolve({ action: 'accept', content: { who: 'Ada' } }),
    };
    const server = await serveTasks({ input }, { states: [asks('a'), asks('a'), done('x')] });
    const task = server.client.task('t-1');
    const first = watch(task.result());
    await settle();
    expect(first.outcome).toMatchObject({ code: 'input-refused' });
    isBroken = false;
    const second = watch(task.result());
    await server.clock.advance(1000);
    expect(second.outcome).toMatchObject({ content: [{ text: 'x' }] });
    expect(server.paramsOf('tasks/update')).toHaveLength(1);
  });

  it('is given up after 256 keys', async () => {
    const input: InputHandlers = { elicitForm: () => Promise.resolve({ action: 'decline' }) };
    const keys = Array.from({ length: 257 }, (_, index) => `k${index}`);
    const server = await serveTasks({ input }, { states: [asks(...keys)] });
    const call = watch(server.client.callTool('greet'));
    await server.clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: 'too-many-rounds' });
    expect(server.paramsOf('tasks/update')).toEqual([]);
  });

  it.each(['__proto__', 'constructor', ''])('may call its request %j', async (key) => {
    const input: InputHandlers = { elicitForm: () => Promise.resolve({ action: 'decline' }) };
    const server = await serveTasks({ input }, { states: [asks(key), done('x')] });
    const call = watch(server.client.callTool('greet'));
    await server.clock.advance(2000);
    expect(call.outcome).toMatchObject({ content: [{ text: 'x' }] });
    expect(Object.keys(answersOf(server.paramsOf('tasks/update'))[0] ?? {})).toEqual([key]);
  });
});
