import { createServer, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { messageOf, postOf, routes } from './http-route.ts';
import { openStdio } from './stdio-route.ts';
import { callOf } from './wire.ts';

/** A server whose tool `wait` runs until it is released. */
function createWaiting(): { server: Server; release(): void; runs(): number } {
  const released = Promise.withResolvers<string>();
  let runs = 0;
  const server = createServer({ name: 'waiting', version: '1.0.0' }, { logger: silentLogger }).tool('wait', {}, () => {
    runs += 1;
    return released.promise;
  });
  return { server, release: () => released.resolve('released'), runs: () => runs };
}

const MAX_RUNNING = 3;
const ids = [1, 2, 3, 4, 5];

describe('requests beyond those that may run at a time', () => {
  it.each(routes)(
    'are answered 503 with Retry-After and do not run, and others run again later, over %s',
    async (_, open) => {
      const { server, release, runs } = createWaiting();
      const route = await open(server, { maxRunningRequests: MAX_RUNNING });
      const running: ReturnType<typeof route.call>[] = [];
      for (const id of ids.slice(0, MAX_RUNNING)) {
        running.push(route.call(postOf(callOf('wait', {}, { id }))));
        await expect.poll(runs).toBe(id);
      }
      const refused = await route.call(postOf(callOf('wait', {}, { id: 9 })));
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(messageOf(refused)).toMatchObject({
        error: { code: -32603, message: expect.stringContaining('did not run') },
      });
      expect(runs()).toBe(MAX_RUNNING);
      release();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await route.call(postOf(callOf('wait', {}, { id: 10 })))).status).toBe(200);
    },
  );

  it.each(routes)('are not made more by callers that are refused, over %s', async (_, open) => {
    const route = await open(createWaiting().server, { maxRunningRequests: 1 });
    for (const body of ['{', '[]', '{"jsonrpc":"2.0","method":"notifications/cancelled"}', '{"jsonrpc":"2.0","id":1}'])
      expect((await route.call({ ...postOf(callOf('wait')), body })).status).not.toBe(503);
  });

  it('are answered -32603 over stdio', async () => {
    const { server, release, runs } = createWaiting();
    const stdio = await openStdio(server, { maxRunningRequests: MAX_RUNNING });
    for (const id of ids) stdio.send(callOf('wait', {}, { id }));
    for (const id of ids.slice(MAX_RUNNING))
      expect(await stdio.seen((message) => message.id === id)).toMatchObject({ error: { code: -32603 } });
    expect(runs()).toBe(MAX_RUNNING);
    release();
    for (const id of ids.slice(0, MAX_RUNNING))
      expect(await stdio.seen((message) => message.id === id)).toMatchObject({ result: { resultType: 'complete' } });
    await stdio.end();
  });
});
