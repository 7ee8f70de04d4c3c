import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';

import { metaKeys } from '@switchyard/protocol';
import { createServer, type RequestContext, type Server, silentLogger, toFetch } from '@switchyard/server';
import { endpointToFetch } from '@switchyard/server/endpoint';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { eventsOf, messageOf, openNodeRoute, postOf, routes } from './http-route.ts';
import { callOf, metaOf, requestOf, type Sent } from './wire.ts';

const withProgress = metaOf({ progressToken: 'p1' });
const withLog = metaOf({ [metaKeys.logLevel]: 'info' });

/** A server whose tool runs what the test gives it. */
function createRunner(run: (context: RequestContext) => unknown): Server {
  const server = createServer({ name: 'runner', version: '1.0.0' }, { logger: silentLogger });
  server.tool('run', {}, async (_, context) => {
    await run(context);
    return 'done';
  });
  server.tool('ping', {}, () => 'pong');
  return server;
}

/** Waits until a handler's signal aborts. */
function aborted(context: RequestContext): Promise<void> {
  return new Promise((resolve) => {
    if (context.signal.aborted) resolve();
    else context.signal.addEventListener('abort', () => resolve());
  });
}

function send(url: URL, message: Sent): ClientRequest {
  const { headers, body } = postOf(message);
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  request.on('error', () => undefined);
  request.end(body);
  return request;
}

describe.each(routes)('a response over %s', (_, open) => {
  it.each<[string, object, string | undefined]>([
    ['nothing was sent before it', metaOf(), undefined],
    ['nobody asked for what the handler reports', metaOf(), undefined],
    ['the caller takes no streams', withProgress, 'application/json'],
  ])('[HTTP-12] is one JSON object where %s', async (_, meta, accept) => {
    const server = createRunner((context) => {
      context.progress(1);
      context.log('error', 'unheard');
    });
    const call = postOf(callOf('run', {}, { meta }), accept === undefined ? {} : { accept });
    const answer = await (await open(server)).call(call);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(messageOf(answer).result).toMatchObject({ content: [{ text: 'done' }] });
  });

  it.each([
    ['application/json, text/event-stream'],
    ['text/event-stream'],
    ['*/*'],
    ['text/*'],
    ['Text/Event-Stream;q=0.9'],
  ])(
    '[HTTP-12] [HTTP-14] [HTTP-16] [HTTP-17] [http-07] is a stream that ends with the response where something was sent and Accept is %s',
    async (accept) => {
      const server = createRunner((context) => {
        context.progress(1, 2, 'half\nway');
        context.log('info', { text: 'data: x\n\ndata: y' });
        context.progress(2, 2);
      });
      const meta = { ...withProgress, ...withLog };
      const answer = await (await open(server)).call(postOf(callOf('run', {}, { id: 'r', meta }), { accept }));
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': expect.stringMatching(/no-cache|no-store/),
        'x-accel-buffering': 'no',
      });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      const events = eventsOf(answer.text);
      expect(events.map(({ method, id }) => method ?? id)).toEqual([
        'notifications/progress',
        'notifications/message',
        'notifications/progress',
        'r',
      ]);
      expect(events[0]?.params).toEqual({ progressToken: 'p1', progress: 1, total: 2, message: 'half\nway' });
      expect(events[1]?.params).toEqual({ level: 'info', data: { text: 'data: x\n\ndata: y' } });
      expect(events[3]?.result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    },
  );

  it('carries an error response as the last event of a stream', async () => {
    const server = createRunner((context) => {
      context.progress(1);
      throw new Error('secret');
    });
    const answer = await (await open(server)).call(postOf(callOf('run', {}, { meta: withProgress })));
    expect(answer.status).toBe(200);
    expect(eventsOf(answer.text).at(-1)?.result).toMatchObject({ isError: true });
    expect(answer.text).not.toContain('secret');
  });

  it('is readable by a page of an allowed origin when it is a stream', async () => {
    const server = createRunner((context) => context.progress(1));
    const origin = 'http://localhost:5173';
    const answer = await (await open(server)).call(postOf(callOf('run', {}, { meta: withProgress }), { origin }));
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'access-control-allow-origin': origin,
    });
  });

  it('clears the timer of the keep-alive when it ends', async () => {
    const set = vi.spyOn(globalThis, 'setInterval');
    const clear = vi.spyOn(globalThis, 'clearInterval');
    onTestFinished(() => void vi.restoreAllMocks());
    const server = createRunner((context) => context.progress(1));
    const route = await open(server, { keepAliveMs: 1_234 });
    await route.call(postOf(callOf('run', {}, { meta: withProgress })));
    const timers = set.mock.results
      .filter((_, index) => set.mock.calls[index]?.[1] === 1_234)
      .map(({ value }) => value as unknown);
    expect(timers).toHaveLength(1);
    expect(clear.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
  });
});

describe('a response over a real connection', () => {
  it('[http-07] sends the head and each event when it is made, not when the handler ends', async () => {
    const heard = Promise.withResolvers<void>();
    const server = createRunner(async (context) => {
      context.progress(1);
      await heard.promise;
    });
    const { url } = await openNodeRoute(server);
    const [response] = (await once(send(url, callOf('run', {}, { meta: withProgress })), 'response')) as [
      IncomingMessage,
    ];
    const [first] = (await once(response.setEncoding('utf8'), 'data')) as [string];
    expect(eventsOf(first)).toMatchObject([{ params: { progress: 1 } }]);
    heard.resolve();
    expect(eventsOf((await response.toArray()).join(''))).toMatchObject([
      { id: 1, result: { resultType: 'complete' } },
    ]);
  });

  it('[HTTP-18] keeps a quiet stream alive with comments', async () => {
    const heard = Promise.withResolvers<void>();
    const server = createRunner(async (context) => {
      context.progress(1);
      await heard.promise;
    });
    const { url } = await openNodeRoute(server, { keepAliveMs: 2 });
    const [response] = (await once(send(url, callOf('run', {}, { meta: withProgress })), 'response')) as [
      IncomingMessage,
    ];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk);
      if (/(: [^\n]*\n\n){2}/.test(text)) heard.resolve();
    }
    expect(eventsOf(text).map(({ id, method }) => method ?? id)).toEqual(['notifications/progress', 1]);
  });

  it.each([
    ['has not begun', false],
    ['has begun', true],
  ])(
    '[HTTP-20] [HTTP-21] [HTTP-22] [CAN-04] [http-10] trap 25: aborts the handler when the caller goes away while the response %s',
    async (_, begun) => {
      const started = Promise.withResolvers<void>();
      const cleanedUp = Promise.withResolvers<void>();
      const server = createRunner(async (context) => {
        if (begun) context.progress(1);
        started.resolve();
        await aborted(context);
        expect(context.signal.reason).toBeInstanceOf(Error);
        context.progress(2);
        cleanedUp.resolve();
      });
      const route = await openNodeRoute(server);
      const request = send(route.url, callOf('run', {}, { meta: withProgress }));
      await (begun ? once(request, 'response') : started.promise);
      request.destroy();
      await cleanedUp.promise;
      expect((await route.call(postOf(callOf('ping')))).status).toBe(200);
    },
  );

  it('[CAN-04] aborts nothing when the caller stays, and nothing after the response', async () => {
    let signal: AbortSignal | undefined;
    const route = await openNodeRoute(createRunner((context) => void ({ signal } = context)));
    await route.call(postOf(callOf('run')));
    await route.call(postOf(callOf('ping')));
    expect(signal?.aborted).toBe(false);
  });

  it('[http-09] survives fifty callers that go away from open streams with a fast keep-alive', async () => {
    let open = 0;
    const server = createRunner(async (context) => {
      open += 1;
      context.progress(1);
      await aborted(context);
      context.progress(2);
      open -= 1;
    });
    const route = await openNodeRoute(server, { keepAliveMs: 1 });
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const request = send(route.url, callOf('run', {}, { meta: withProgress }));
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        const closed = new Promise((resolve) => {
          response.on('error', () => undefined).on('close', resolve);
        });
        await once(response, 'data');
        request.destroy();
        await closed;
      }),
    );
    await vi.waitFor(() => expect(open).toBe(0));
    expect((await route.call(postOf(callOf('ping')))).status).toBe(200);
  });

  it('aborts running handlers when the server closes', async () => {
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    const server = createRunner(async (context) => {
      started.resolve();
      await aborted(context);
      ended.resolve(context.signal.reason);
    });
    const running = await serveHttp(server, { port: 0 });
    const request = send(new URL(running.url), callOf('run'));
    await started.promise;
    await running.close({ graceMs: 1 });
    expect(await ended.promise).toBeInstanceOf(Error);
    request.destroy();
  });
});

describe('a response of a fetch handler', () => {
  const requestFor = (message: Sent, signal?: AbortSignal): Request =>
    new Request('http://localhost/mcp', {
      method: 'POST',
      ...(postOf(message) as RequestInit),
      ...(signal === undefined ? {} : { signal }),
    });

  it('[CAN-04] aborts the handler when the request is aborted, and settles', async () => {
    const caller = new AbortController();
    const started = Promise.withResolvers<void>();
    const server = createRunner(async (context) => {
      started.resolve();
      await aborted(context);
    });
    const answered = toFetch(server)(requestFor(callOf('run'), caller.signal));
    await started.promise;
    caller.abort();
    expect(await answered).toBeInstanceOf(Response);
  });

  it('settles when the body breaks off', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('the network is gone'));
      },
    });
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: postOf(callOf('ping')).headers,
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await toFetch(createRunner(() => undefined))(request)).status).toBe(400);
  });

  it('[CAN-04] aborts the handler when the reader of the stream cancels, and drops the rest', async () => {
    const ended = Promise.withResolvers<unknown>();
    const server = createRunner(async (context) => {
      context.progress(1);
      await aborted(context);
      context.progress(2);
      ended.resolve(context.signal.reason);
    });
    const response = await toFetch(server, { keepAliveMs: 1 })(requestFor(callOf('run', {}, { meta: withProgress })));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    expect(await ended.promise).toBeInstanceOf(Error);
  });

  it.each<[string, (request: Request) => unknown]>([
    ['was read', (request) => request.text()],
    ['has a reader', (request) => request.body?.getReader()],
  ])('is an error that says so where the body %s before', async (_, take) => {
    const request = requestFor(callOf('run'));
    await take(request);
    const response = await toFetch(createRunner(() => undefined))(request);
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/"code":-32603.*body was read before.*before anything reads it/);
  });

  it('breaks off where the exchange fails after the stream was opened', async () => {
    let calls = 0;
    const endpoint = {
      ...createServer({ name: 'failing', version: '1.0.0' }, { logger: silentLogger }).endpoint(),
      capabilities: { tools: {} },
      handlers: {
        'tools/list': (_params: object, context: RequestContext): never => {
          context.progress(1);
          throw new Error('failed');
        },
      },
      now() {
        calls += 1;
        if (calls > 1) throw new Error('the clock is broken');
        return 0;
      },
    };
    const message = requestOf('tools/list', {}, { meta: withProgress });
    const response = await endpointToFetch(endpoint)(requestFor(message));
    await expect(response.text()).rejects.toThrow('the clock is broken');
  });

  it('checks the host of the URL where the runtime passes no Host header', async () => {
    const serve = toFetch(createRunner(() => undefined));
    const statusOf = async (url: string): Promise<number> =>
      (await serve(new Request(url, { method: 'POST', ...(postOf(callOf('ping')) as RequestInit) }))).status;
    expect(await statusOf('http://localhost:8787/anything')).toBe(200);
    expect(await statusOf('http://rebind.evil.test/anything')).toBe(403);
  });
});
