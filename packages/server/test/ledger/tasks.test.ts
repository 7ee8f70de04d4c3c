import { metaKeys } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { createRateLimiter } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { openStdio } from '../stdio-route.ts';
import { accept, begin, takesTasks } from '../tasks/task-route.ts';
import { callOf, metaOf, requestOf } from '../wire.ts';

it('[TASK-23] polling counts against the rate of its caller: too much of it is 429 with a time to come back', async () => {
  const ada = { subject: 'ada' };
  const server = createServer({ name: 'polled', version: '1.0.0' }, { logger: silentLogger }).tool(
    'job',
    { task: 'optional' },
    async (_args, ctx) => {
      await ctx.task();
      return 'done';
    },
  );
  const taskId = await begin(server, 'job', {}, { principal: ada });
  const route = await openNodeRoute(server, {
    authenticate: () => ada,
    rateLimit: createRateLimiter({ requests: 2, windowMs: 60_000 }),
  });
  const poll = postOf(
    requestOf('tasks/get', { taskId }, { meta: metaOf({ [metaKeys.clientCapabilities]: takesTasks }) }),
    {
      'mcp-name': taskId,
    },
  );
  for (const status of [200, 200, 429]) expect((await route.call(poll)).status).toBe(status);
  const refused = await route.call(poll);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(messageOf(refused).error?.code).toBe(-32603);
});

it('[TASK-43] a task has no progress and no log messages for whoever watches it, or on the response of its call', async () => {
  const server = createServer({ name: 'watched', version: '1.0.0' }, { logger: silentLogger }).tool(
    'job',
    { task: 'optional' },
    async (_args, ctx) => {
      await ctx.task();
      const tell = (done: number): void => {
        ctx.progress(done, 2);
        ctx.log('emergency', 'loud');
      };
      tell(1);
      await ctx.elicit('go', {
        message: 'Go on?',
        schema: { type: 'object', properties: { ok: { type: 'boolean' } } },
      });
      tell(2);
      return 'done';
    },
  );
  const meta = metaOf({
    [metaKeys.clientCapabilities]: takesTasks,
    [metaKeys.logLevel]: 'debug',
    progressToken: 'p',
  });
  const stdio = await openStdio(server);
  stdio.send(callOf('job', {}, { id: 'call', meta }));
  const created = await stdio.seen(({ id }) => id === 'call');
  const taskId = created.result?.['taskId'] as string;
  stdio.send(requestOf('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { id: 'w', meta }));
  const statusOf = (status: string): Promise<unknown> =>
    stdio.seen(({ method, params }) => method === 'notifications/tasks' && params?.['status'] === status);
  await statusOf('input_required');
  stdio.send(requestOf('tasks/update', { taskId, inputResponses: { go: accept({ ok: true }) } }, { id: 'u', meta }));
  await statusOf('completed');
  await stdio.end();
  const methods = new Set(stdio.messages().flatMap(({ method }) => method ?? []));
  expect([...methods].toSorted()).toEqual([
    'notifications/cancelled',
    'notifications/subscriptions/acknowledged',
    'notifications/tasks',
  ]);
});
