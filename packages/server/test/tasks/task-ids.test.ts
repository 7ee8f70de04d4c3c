import { createServer, type ServerOptions } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { confirm, createJobServer } from './job-server.ts';
import { accept, begin, call, cancel, get, request, until } from './task-route.ts';

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

describe('the id of a task', () => {
  it('[TASK-44] has at least 128 random bits', async () => {
    const server = createJobServer(async (ctx) => {
      await ctx.task();
      return '';
    });
    const ids = new Set<string>();
    for (let count = 0; count < 50; count += 1) ids.add(await begin(server, 'job'));
    expect(ids.size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[\w-]{24}$/);
  });

  it('[TASK-37] [TASK-38] [TASK-45] [TASK-48] answers another caller exactly like one that there is not', async () => {
    const server = createJobServer(async (ctx) => {
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
    const server = createJobServer(async () => '');
    const { error } = await request(server, 'tasks/get', { taskId });
    expect(error?.code).toBe(-32602);
    expect(error?.message.length).toBeLessThan(300);
  });

  it('[TASK-49] is -32603 with a reference when the store does not answer', async () => {
    const server = createJobServer(async () => '', { records: brokenStore(), createReference: () => 'ref-1' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await request(server, method, { taskId: 'a'.repeat(24), inputResponses: {} })).error).toMatchObject({
        code: -32603,
        message: 'Internal error (reference ref-1)',
      });
  });

  it('that another task here has is refused, and leaves that one as it is', async () => {
    const server = createJobServer(
      async (ctx) => {
        const { signal } = await ctx.task();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return '';
      },
      { tasks: { createId: () => 'the-same', cancelGraceMs: 60_000 } },
    );
    const taskId = await begin(server, 'job');
    expect(await call(server, 'job')).toMatchObject({ resultType: 'complete', isError: true });
    await cancel(server, taskId);
    await until(server, taskId, 'completed');
  });
});
