import { createServer, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connect, createDuplexConnection, type DuplexConnection, type Transport } from '../../src/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { discovered, sendResult } from '../scripted-http-server.ts';
import { discovery, type Written } from '../scripted-peer.ts';
import { serve as serveHttp } from '../serve-http.ts';
import { closeAfterwards, watch } from '../serve-scripted.ts';
import { done, taskState } from './serve-tasks.ts';

/** A server of ours whose tool begins a task, asks in it, and says hello. */
function greeter(pollIntervalMs = 100): Server {
  const server = createServer(
    { name: 'greeter', version: '1.0.0' },
    { tasks: { pollIntervalMs }, logger: silentLogger },
  );
  server.tool('greet', { task: 'required' }, async (_, ctx) => {
    await ctx.task({ statusMessage: 'Begun' });
    const name = await ctx.elicit('name', { message: 'Who?', schema: z.object({ who: z.string() }) });
    return name.action === 'accept' ? `Hello, ${name.content.who}` : 'Nobody there';
  });
  server.tool('stuck', { task: 'required' }, async (_, ctx) => {
    const task = await ctx.task();
    await new Promise((_, reject) => {
      task.signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
    return '';
  });
  return server;
}

const input = { elicitForm: () => Promise.resolve({ action: 'accept', content: { who: 'Ada' } } as const) };

describe('a task of a server of ours', () => {
  it('[TASK-06] [TASK-26] is answered, and waited for, as one call', async () => {
    const client = await connect(greeter(), { name: 'depot', tasks: true, input });
    closeAfterwards(client);
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  });

  it('[TASK-22] is gone on with by another client that has the id alone', async () => {
    const server = greeter();
    let kept = '';
    const first = await connect(server, { tasks: { onCreated: ({ taskId }) => (kept = taskId) } });
    const { task } = await first.startTask('stuck');
    expect(task?.taskId).toBe(kept);
    await first.close();
    const second = await connect(server, { tasks: true });
    closeAfterwards(second);
    const again = second.task(kept);
    expect(await again.look()).toMatchObject({ status: 'working' });
    await again.cancel();
    await expect(again.result()).rejects.toMatchObject({ code: 'aborted', name: 'ClientError' });
    expect(again.status).toBe('cancelled');
  });

  it('is looked at as soon as a subscription tells of it, whatever its interval', async () => {
    const server = greeter(300_000);
    const client = await connect(server, { name: 'depot', tasks: true, input });
    closeAfterwards(client);
    const { task } = await client.startTask('greet');
    const told: string[] = [];
    await client.subscribe({ taskIds: [task?.taskId ?? ''] }, { onNotification: ({ method }) => told.push(method) });
    expect(await task?.result()).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
    expect(told).toContain('notifications/tasks');
  });

  it('is refused with -32021 to a client that takes none, and unknown ids with -32602', async () => {
    const server = greeter();
    const plain = await connect(server);
    closeAfterwards(plain);
    await expect(plain.callTool('greet')).rejects.toMatchObject({ code: -32021 });
    const taking = await connect(server, { tasks: true });
    closeAfterwards(taking);
    await expect(taking.task('nobody-has-this-id').result()).rejects.toMatchObject({ code: -32602 });
  });
});

it('[HDR-08] [TASK-35] names the task in Mcp-Name of each request about it', async () => {
  const { client, server } = await serveHttp(
    (request, response) => {
      const { method } = request.message;
      if (discovered(request, response)) return;
      if (method === 'tasks/get') sendResult(response, request, done('x'));
      else if (method === 'tools/call') sendResult(response, request, { ...taskState(), resultType: 'task' });
      else sendResult(response, request, {});
    },
    { tasks: true },
  );
  const { task } = await client.startTask('write');
  await task?.answer({ a: { action: 'decline' } });
  await task?.cancel();
  await client.task('t-1').result();
  const sent = server.received
    .filter(({ message }) => message.method?.startsWith('tasks/') === true)
    .map(({ message, headers }) => [message.method, headers['mcp-method'], headers['mcp-name']]);
  expect(sent).toEqual([
    ['tasks/update', 'tasks/update', 't-1'],
    ['tasks/cancel', 'tasks/cancel', 't-1'],
    ['tasks/get', 'tasks/get', 't-1'],
  ]);
});

/** A server that ends its connection at each of the first looks at a task. */
function createFailingServer(outages: number): { readonly transport: Transport; readonly methods: string[] } {
  const methods: string[] = [];
  let left = outages;
  const transport: Transport = {
    name: 'failing',
    open({ context, handlers }) {
      const duplex: DuplexConnection = createDuplexConnection({
        context,
        handlers,
        close: () => Promise.resolve(),
        write(text) {
          const { id, method = '' } = JSON.parse(text) as Written;
          const answer = (result: object): void => {
            duplex.receive(JSON.stringify({ jsonrpc: '2.0', id, result }));
          };
          methods.push(method);
          if (method === 'server/discover') answer(discovery);
          if (method === 'tools/call') answer({ resultType: 'task', ...taskState() });
          if (method === 'tasks/get' && left-- > 0) duplex.end(context.fail('closed', 'it died.'));
          else if (method === 'tasks/get') answer({ resultType: 'complete', ...done('still there') });
          return Promise.resolve();
        },
      });
      return Promise.resolve(duplex.connection);
    },
  };
  return { transport, methods };
}

describe('a task whose server goes away', () => {
  it('outlives its connection: it is looked at again over another one', async () => {
    const clock = createManualClock();
    const { transport, methods } = createFailingServer(2);
    const client = await connect(transport, { clock, tasks: true });
    closeAfterwards(client);
    const call = watch(client.callTool('write'));
    await clock.advance(60_000);
    expect(call.outcome).toMatchObject({ content: [{ text: 'still there' }] });
    expect(methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is given up after a bounded number of tries', async () => {
    const clock = createManualClock();
    const { transport, methods } = createFailingServer(Infinity);
    const client = await connect(transport, { clock, tasks: true, restart: { maxShortLives: Infinity } });
    closeAfterwards(client);
    const call = watch(client.task('t-1').result());
    await clock.advance(590_000);
    expect(call.outcome).toMatchObject({ name: 'ClientError' });
    expect(methods.filter((method) => method === 'tasks/get').length).toBeLessThanOrEqual(6);
  });
});
