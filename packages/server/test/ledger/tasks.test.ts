import { metaKeys } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { createRateLimiter } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { begin, takesTasks } from '../tasks/task-route.ts';
import { metaOf, requestOf } from '../wire.ts';

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
    rateLimit: createRateLimiter({ requests: 2, perSeconds: 60 }),
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
