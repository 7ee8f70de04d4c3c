import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createServer, type RequestContext, type Server, silentLogger, toFetch } from '@switchyard/server';
import { serveStdio } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { eventsOf, openNodeRoute, postOf } from './http-route.ts';
import { callOf, metaOf, type Received } from './wire.ts';

const mebibyte = 1024 * 1024;
const chatter = 'q'.repeat(16 * 1024);
const reports = 1_024;
const call = callOf('chat', {}, { id: 'c', meta: metaOf({ progressToken: 'p' }) });

/** A server whose tool reports 16 MiB at once, before anybody can read. */
function createChatty(after: (context: RequestContext) => unknown = () => undefined): Server {
  return createServer({ name: 'chatty', version: '1.0.0' }, { logger: silentLogger }).tool(
    'chat',
    {},
    async (_, context) => {
      for (let done = 1; done <= reports; done += 1) context.progress(done, reports, chatter);
      await after(context);
      return 'done';
    },
  );
}

function expectBounded(messages: readonly Received[], text: string): void {
  const progress = messages.filter(({ method }) => method === 'notifications/progress');
  expect(progress.map(({ params }) => params?.['progress'])).toEqual(progress.map((_, index) => index + 1));
  expect(text.length).toBeGreaterThan(mebibyte);
  expect(text.length).toBeLessThan(mebibyte + 4 * chatter.length);
  expect(messages.at(-1)).toMatchObject({ id: 'c', result: { content: [{ text: 'done' }] } });
}

describe('a caller that does not read', () => {
  it('gets no more than 1 MiB of notifications, and the response, over node:http', async () => {
    const { url } = await openNodeRoute(createChatty());
    const { headers = {}, body } = postOf(call);
    const request = httpRequest(url, { method: 'POST', headers, agent: false });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await response.toArray()).toString();
    expectBounded(eventsOf(text), text);
  });

  const fetchCall = (): Request =>
    new Request('http://localhost/mcp', { method: 'POST', ...(postOf(call) as RequestInit) });

  it('gets no more than 1 MiB of notifications, and the response, over fetch', async () => {
    const response = await toFetch(createChatty())(fetchCall());
    await nextTurn();
    const text = await response.text();
    expectBounded(eventsOf(text), text);
  });

  it('gets no more than 1 MiB of notifications, and the response, over stdio', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = await serveStdio(createChatty(), { input, output });
    input.end(`${JSON.stringify(call)}\n`);
    await nextTurn();
    const text = output.setEncoding('utf8').toArray();
    await served.closed;
    output.end();
    const written = (await text).join('');
    const messages = written
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Received);
    expectBounded(messages, written);
  });

  it('[HTTP-18] gets no keep-alive while 1 MiB lies unread, and gets it again once it reads', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const release = Promise.withResolvers<void>();
    const response = await toFetch(
      createChatty(() => release.promise),
      { keepAliveMs: 1_000 },
    )(fetchCall());
    vi.advanceTimersByTime(100_000);
    let text = '';
    const read = (async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
    })();
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    expect(text.length).toBeGreaterThan(mebibyte);
    expect(text).not.toContain(': keep-alive');
    vi.advanceTimersByTime(2_000);
    release.resolve();
    await read;
    expect(text.match(/^: keep-alive$/gm)).toHaveLength(2);
    expect(eventsOf(text).at(-1)).toMatchObject({ id: 'c', result: {} });
  });
});

describe('a client of stdio that reads no answers', () => {
  it('gets no further request served once 16 MiB wait, and all of them once it reads', async () => {
    let runs = 0;
    const server = createServer({ name: 'large', version: '1.0.0' }, { logger: silentLogger });
    server.tool('large', {}, () => {
      runs += 1;
      return 'q'.repeat(mebibyte);
    });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = await serveStdio(server, { input, output });
    const count = 40;
    for (let id = 1; id <= count; id += 1) {
      input.write(`${JSON.stringify(callOf('large', {}, { id }))}\n`);
      await nextTurn();
    }
    expect(runs).toBeGreaterThan(15);
    expect(runs).toBeLessThan(20);
    expect(input.isPaused()).toBe(true);
    const text = output.setEncoding('utf8').toArray();
    input.end();
    await served.closed;
    output.end();
    expect(runs).toBe(count);
    const ids = (await text)
      .join('')
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as Received).id);
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });
});
