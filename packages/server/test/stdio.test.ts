import { metaKeys } from '@switchyard/protocol';
import { createServer, type RequestContext, type Server } from '@switchyard/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';

import { createRecorder } from './recorder.ts';
import { openStdio } from './stdio-route.ts';
import { until } from './turns.ts';
import { callOf, metaOf, requestOf } from './wire.ts';

interface Fixture {
  readonly server: Server;
  /** Runs of `bump`. */
  readonly bumps: () => number;
  /** Lets the calls of `wait` with this tag return. */
  release(tag: string): void;
  /** Waits for a call of `wait` with this tag to begin, and answers its context. */
  waiting(tag: string): Promise<RequestContext>;
  readonly log: ReturnType<typeof createRecorder>;
}

function createFixture(): Fixture {
  let bumps = 0;
  const log = createRecorder();
  const started = new Map<string, PromiseWithResolvers<RequestContext>>();
  const released = new Map<string, PromiseWithResolvers<void>>();
  const at = <T>(map: Map<string, PromiseWithResolvers<T>>, tag: string): PromiseWithResolvers<T> => {
    const known = map.get(tag) ?? Promise.withResolvers<T>();
    map.set(tag, known);
    return known;
  };
  const server = createServer({ name: 'stdio', version: '1.0.0' }, { logger: log });
  server
    .tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text)
    .tool('bump', {}, () => String((bumps += 1)))
    .tool('wait', { input: z.object({ tag: z.string() }) }, async ({ tag }, context) => {
      at(started, tag).resolve(context);
      await at(released, tag).promise;
      context.progress(1);
      context.log('emergency', 'late');
      return tag;
    });
  return {
    server,
    log,
    bumps: () => bumps,
    release: (tag) => at(released, tag).resolve(),
    waiting: (tag) => at(started, tag).promise,
  };
}

const echo = (id: unknown, text = 'hello'): object => callOf('echo', { text }, { id });
const cancel = (requestId: unknown, reason?: string): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason },
});

describe('framing', () => {
  it('[STDIO-01] [STDIO-20] [stdio-01] gives the same answers however the bytes are split', async () => {
    const messages = [echo(1, 'naïve — 鯨 🛶'), echo(2, 'a\nb\u2028c'), echo(3, '')];
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    const whole = await openStdio(createFixture().server);
    whole.write(bytes);
    await whole.end();
    expect(whole.messages()).toMatchObject([
      { id: 1, result: { content: [{ text: 'naïve — 鯨 🛶' }] } },
      { id: 2, result: { content: [{ text: 'a\nb\u2028c' }] } },
      { id: 3, result: { content: [{ text: '' }] } },
    ]);
    const bytewise = await openStdio(createFixture().server);
    for (const byte of bytes) bytewise.write(Buffer.of(byte));
    await bytewise.end();
    expect(bytewise.text()).toBe(whole.text());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), async (cuts) => {
        const stdio = await openStdio(createFixture().server);
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          stdio.write(bytes.subarray(from, cut));
          from = cut;
        }
        await stdio.end();
        expect(stdio.text()).toBe(whole.text());
      }),
      { numRuns: 30 },
    );
  });

  it('[stdio-02] reads CRLF and blank lines, and writes LF alone', async () => {
    const stdio = await openStdio(createFixture().server);
    stdio.write(`\r\n\n  \n${JSON.stringify(echo(1))}\r\n${JSON.stringify(echo(2))}\r`);
    stdio.write('\n\r\n');
    await stdio.end();
    expect(stdio.messages().map(({ id }) => id)).toEqual([1, 2]);
    expect(stdio.text()).not.toContain('\r');
  });

  it.each([65_535, 65_536, 65_537, 1_500_000])(
    '[stdio-05] takes and gives a text of %i characters whole',
    async (length) => {
      const stdio = await openStdio(createFixture().server);
      const bytes = Buffer.from(`${JSON.stringify(echo(1, 'q'.repeat(length)))}\n`);
      for (let from = 0; from < bytes.length; from += 65_536) stdio.write(bytes.subarray(from, from + 65_536));
      await stdio.end();
      const [message] = stdio.messages();
      expect(message).toMatchObject({ result: { content: [{ text: 'q'.repeat(length) }] } });
    },
  );

  it.each<[string, string | Uint8Array, number]>([
    ['half a message', '{"jsonrpc":"2.0","id":1,"method":"tools/ca', -32700],
    ['a banner', 'Depot helper v3.1 ready', -32700],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), -32700],
    ['null', 'null', -32600],
    ['a number', '42', -32600],
    ['text', '"ok"', -32600],
    ['an empty batch', '[]', -32600],
    ['an object that is no message', '{"level":"info","msg":"cache warm"}', -32600],
  ])(
    '[stdio-12] [MSG-14] answers %s with one error without an id, and then the next request',
    async (_, line, code) => {
      const stdio = await openStdio(createFixture().server);
      stdio.write(line);
      stdio.write('\n');
      stdio.send(echo(2));
      await stdio.end();
      const [error, answer, ...more] = stdio.messages();
      expect(error).toEqual({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
      expect(answer).toMatchObject({ id: 2, result: {} });
      expect(more).toEqual([]);
    },
  );

  it('answers a line over its limit with one error, and then the next request', async () => {
    const stdio = await openStdio(createFixture().server, { maxLineBytes: 1_000 });
    for (let part = 0; part < 5; part += 1) stdio.write('q'.repeat(900));
    stdio.write('\n');
    stdio.send(echo(2));
    await stdio.end();
    expect(stdio.messages()).toMatchObject([{ error: { code: -32600 } }, { id: 2, result: {} }]);
  });
});

describe('messages', () => {
  it('[jsonrpc-12] [MSG-19] answers wrong envelopes with the id where it can be read', async () => {
    const stdio = await openStdio(createFixture().server);
    const meta = metaOf();
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: ['x'], params: {} },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: [1, 2] },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: { a: 1 }, arguments: {}, _meta: meta } },
      { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'echo', arguments: 5, _meta: meta } },
      { jsonrpc: '1.0', id: 5, method: 'tools/list' },
      { jsonrpc: '2.0', id: 6, method: 'tools/list' },
      { jsonrpc: '2.0', id: null, method: 'tools/list', params: { _meta: meta } },
      { jsonrpc: '2.0', id: 1.5, method: 'tools/list', params: { _meta: meta } },
    ]) {
      stdio.send(message);
    }
    await stdio.end();
    const byId = (a: { id?: unknown }, b: { id?: unknown }): number => Number(a.id ?? 99) - Number(b.id ?? 99);
    expect(
      stdio
        .messages()
        .sort(byId)
        .map(({ id, error }) => [id, error?.code]),
    ).toEqual([
      [1, -32600],
      [2, -32600],
      [3, -32602],
      [4, -32602],
      [5, -32600],
      [6, -32602],
      [undefined, -32600],
      [undefined, -32600],
    ]);
  });

  it('[jsonrpc-08] [MSG-30] answers no notification, known or not, and no response', async () => {
    const stdio = await openStdio(createFixture().server);
    stdio.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    stdio.send({ jsonrpc: '2.0', method: 'notifications/vendor.example/ping', params: { x: 1 } });
    stdio.send({ jsonrpc: '2.0', method: 'tools/list' });
    stdio.send({ jsonrpc: '2.0', id: 7, result: {} });
    stdio.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } });
    stdio.send(echo(1));
    await stdio.end();
    expect(stdio.messages()).toMatchObject([{ id: 1, result: {} }]);
  });

  it.each(['[]', '[1,2]', JSON.stringify([callOf('bump'), callOf('bump', {}, { id: 2 })])])(
    '[jsonrpc-07] answers the batch %s with one error and runs nothing',
    async (line) => {
      const { server, bumps } = createFixture();
      const stdio = await openStdio(server);
      stdio.write(`${line}\n`);
      await stdio.end();
      expect(stdio.messages()).toMatchObject([{ error: { code: -32600 } }]);
      expect(bumps()).toBe(0);
    },
  );

  it('[jsonrpc-01] [jsonrpc-02] echoes each id with its type', async () => {
    const stdio = await openStdio(createFixture().server);
    const ids = ['1', '007', 'a b', 0, '', 42, -3];
    for (const id of ids) stdio.send(requestOf('tools/list', {}, { id }));
    await stdio.end();
    expect(stdio.messages().map(({ id }) => id)).toEqual(ids);
  });

  it('[MSG-05] [jsonrpc-06] refuses an id that is still in flight and keeps the first request, then takes it again', async () => {
    const { server, release, waiting } = createFixture();
    const stdio = await openStdio(server);
    stdio.send(callOf('wait', { tag: 'first' }, { id: 5 }));
    await waiting('first');
    stdio.send(callOf('wait', { tag: 'second' }, { id: 5 }));
    expect((await stdio.seen(({ id }) => id === 5)).error?.code).toBe(-32600);
    stdio.send(echo('5'));
    await stdio.seen(({ id }) => id === '5');
    release('first');
    expect(await stdio.seen(({ id, result }) => id === 5 && result !== undefined)).toMatchObject({
      result: { content: [{ text: 'first' }] },
    });
    stdio.send(echo(5, 'again'));
    await stdio.end();
    expect(stdio.messages().at(-1)).toMatchObject({ id: 5, result: { content: [{ text: 'again' }] } });
    expect(stdio.messages()).toHaveLength(4);
  });

  it('[MSG-37] answers in the order in which requests are done', async () => {
    const { server, release, waiting } = createFixture();
    const stdio = await openStdio(server);
    stdio.send(callOf('wait', { tag: 'slow' }, { id: 1 }));
    stdio.send(echo(2));
    await waiting('slow');
    await stdio.seen(({ id }) => id === 2);
    release('slow');
    await stdio.end();
    expect(stdio.messages().map(({ id }) => id)).toEqual([2, 1]);
  });

  it('[MSG-36] takes nothing from an earlier request', async () => {
    const { server } = createFixture();
    server.tool('sampled', { requires: ['sampling'] }, () => 'ran');
    const stdio = await openStdio(server);
    stdio.send(callOf('sampled', {}, { id: 1, meta: metaOf({ [metaKeys.clientCapabilities]: { sampling: {} } }) }));
    stdio.send(callOf('sampled', {}, { id: 2 }));
    stdio.send({ jsonrpc: '2.0', id: 3, method: 'tools/list', params: {} });
    await stdio.end();
    const byId = new Map(stdio.messages().map((message) => [message.id, message]));
    expect(byId.get(1)).toMatchObject({ result: { content: [{ text: 'ran' }] } });
    expect(byId.get(2)).toMatchObject({ error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } } });
    expect(byId.get(3)).toMatchObject({ error: { code: -32602 } });
  });

  it('[ELI-41] [META-11] gives handlers the principal of its configuration, never what a client says', async () => {
    const { server } = createFixture();
    server.tool('who', {}, (_, { principal, client }) => ({ subject: principal?.subject, client: client?.name }));
    const meta = metaOf({
      [metaKeys.clientInfo]: { name: 'administrator', version: '1' },
      principal: { subject: 'root' },
    });
    const stdio = await openStdio(server, { principal: { subject: 'mira' } });
    stdio.send(callOf('who', {}, { meta }));
    await stdio.end();
    expect(stdio.messages()).toMatchObject([
      { result: { structuredContent: { subject: 'mira', client: 'administrator' } } },
    ]);
  });
});

describe('cancellation', () => {
  it('[STDIO-11] [STDIO-12] [CAN-08] [CAN-13] [cancel-02] trap 26: aborts the handler and sends nothing more for the request, ever', async () => {
    const { server, release, waiting, log } = createFixture();
    const stdio = await openStdio(server);
    const meta = metaOf({ progressToken: 'p', [metaKeys.logLevel]: 'debug' });
    stdio.send(callOf('wait', { tag: 'held' }, { id: 99, meta }));
    const context = await waiting('held');
    expect(context.signal.aborted).toBe(false);
    stdio.send(cancel(99, 'user closed the tab'));
    stdio.send(echo(1));
    await stdio.seen(({ id }) => id === 1);
    expect(context.signal.aborted).toBe(true);
    release('held');
    await stdio.end();
    expect(stdio.messages()).toMatchObject([{ id: 1 }]);
    expect(log.lines.find(({ fields }) => fields['requestId'] === 99)?.fields['cancelled']).toContain(
      'user closed the tab',
    );
  });

  it('[CAN-09] [CAN-10] ignores a cancellation of what is unknown, finished or no id', async () => {
    const { server, release, waiting } = createFixture();
    const stdio = await openStdio(server);
    stdio.send(callOf('wait', { tag: 'held' }, { id: 1 }));
    const context = await waiting('held');
    for (const requestId of ['never', '1', null, 1.5, {}, [1], true, undefined]) stdio.send(cancel(requestId));
    stdio.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    stdio.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: { a: 1 } },
      id: 7,
    });
    await stdio.seen(({ id }) => id === 7);
    expect(context.signal.aborted).toBe(false);
    release('held');
    await stdio.end();
    expect(stdio.messages().map(({ id, error }) => [id, error?.code])).toEqual([
      [7, -32602],
      [1, undefined],
    ]);
  });

  it('lets the id be used again at once, and then cancels the new request, not the old', async () => {
    const { server, release, waiting } = createFixture();
    const stdio = await openStdio(server);
    stdio.send(callOf('wait', { tag: 'old' }, { id: 1 }));
    await waiting('old');
    stdio.send(cancel(1));
    stdio.send(callOf('wait', { tag: 'new' }, { id: 1 }));
    const context = await waiting('new');
    release('old');
    stdio.send(echo(2));
    await stdio.seen(({ id }) => id === 2);
    stdio.send(callOf('wait', { tag: 'third' }, { id: 1 }));
    expect((await stdio.seen(({ id }) => id === 1)).error?.code).toBe(-32600);
    stdio.send(cancel(1));
    stdio.send(echo(3));
    await stdio.seen(({ id }) => id === 3);
    expect(context.signal.aborted).toBe(true);
    release('new');
    await stdio.end();
    expect(stdio.messages().map(({ id }) => id)).toEqual([2, 1, 3]);
  });

  it('[CAN-12] [cancel-01] survives a cancellation that meets the response, five hundred times', async () => {
    const stdio = await openStdio(createFixture().server);
    for (let round = 0; round < 500; round += 1) {
      stdio.send(callOf('bump', {}, { id: `a${round}` }));
      stdio.send(cancel(`a${round}`));
      stdio.send(cancel(`a${round}`));
      stdio.send(requestOf('tools/list', {}, { id: `b${round}` }));
      await stdio.seen(({ id }) => id === `b${round}`);
    }
    await stdio.end();
    const ids = stdio.messages().map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(ids.filter((id) => String(id).startsWith('b'))).toHaveLength(500);
  });
});

describe('the end', () => {
  it('comes when the input ends, after what was running is answered', async () => {
    const { server, release, waiting } = createFixture();
    const stdio = await openStdio(server);
    stdio.send(callOf('wait', { tag: 'held' }, { id: 1 }));
    await waiting('held');
    const ended = stdio.end();
    release('held');
    await ended;
    expect(stdio.messages()).toMatchObject([{ id: 1, result: {} }]);
  });

  it('comes after the grace where a handler goes on: its signal is aborted and no response follows', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { server, release, waiting } = createFixture();
    const stdio = await openStdio(server, { graceMs: 1_000 });
    stdio.send(callOf('wait', { tag: 'held' }, { id: 1 }));
    const context = await waiting('held');
    const ended = stdio.end();
    await until(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(999);
    expect(context.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(context.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(250);
    await ended;
    release('held');
    expect(stdio.text()).toBe('');
  });

  it('answers a last line without an end', async () => {
    const stdio = await openStdio(createFixture().server);
    stdio.write(JSON.stringify(echo(1)));
    await stdio.end();
    expect(stdio.messages()).toMatchObject([{ id: 1, result: {} }]);
  });
});
