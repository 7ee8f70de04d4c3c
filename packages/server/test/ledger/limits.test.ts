import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { metaKeys } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { createRateLimiter, serveStdio } from '@switchyard/server/node';
import { expect, it } from 'vitest';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { callOf, metaOf, type Received, requestOf } from '../wire.ts';

const mebibyte = 1024 * 1024;

it('[LOG-08] [PROG-10] log messages and progress that nobody reads are bounded together, and the response comes', async () => {
  const chatter = 'q'.repeat(16 * 1024);
  const server = createServer({ name: 'chatty', version: '1.0.0' }, { logger: silentLogger }).tool(
    'chat',
    {},
    (_args, ctx) => {
      for (let count = 1; count <= 512; count += 1) {
        ctx.log('info', chatter);
        ctx.progress(count, 512, chatter);
      }
      return 'done';
    },
  );
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = await serveStdio(server, { input, output });
  const meta = metaOf({ progressToken: 'p', [metaKeys.logLevel]: 'debug' });
  input.end(`${JSON.stringify(callOf('chat', {}, { id: 'c', meta }))}\n`);
  await nextTurn();
  const reading = output.setEncoding('utf8').toArray();
  await served.closed;
  output.end();
  const text = (await reading).join('');
  const messages = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Received);
  const count = (kind: string): number => messages.filter(({ method }) => method === kind).length;
  expect(count('notifications/message')).toBeGreaterThan(16);
  expect(count('notifications/message')).toBeLessThan(48);
  expect(count('notifications/progress')).toBeLessThan(48);
  expect(text.length).toBeLessThan(2 * mebibyte);
  expect(messages.at(-1)).toMatchObject({ id: 'c', result: { content: [{ text: 'done' }] } });
});

it('[COMP-14] completions count against the rate of their caller, and the completer of a refused one does not run', async () => {
  let runs = 0;
  const server = createServer({ name: 'rated', version: '1.0.0' }, { logger: silentLogger }).prompt(
    'p',
    { args: { a: { complete: () => [`${(runs += 1)}`] } } },
    () => 'p',
  );
  const route = await openNodeRoute(server, {
    authenticate: () => ({ subject: 'ada' }),
    rateLimit: createRateLimiter({ requests: 2, windowMs: 60_000 }),
  });
  const completing = postOf(
    requestOf('completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }),
  );
  for (const status of [200, 200, 429]) expect((await route.call(completing)).status).toBe(status);
  const refused = await route.call(completing);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(messageOf(refused).error?.code).toBe(-32603);
  expect(runs).toBe(2);
});
