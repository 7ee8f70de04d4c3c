import type { Exchange, Responder } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientWarning, connect, type ConnectOptions } from '../src/index.ts';
import { failure } from './expect-failure.ts';
import { discovery, type Written } from './scripted-peer.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

type Answer = (message: Written, exchange: Exchange) => Promise<string | undefined> | string | undefined;

async function serve(answer: Answer, options: ConnectOptions = {}): Promise<Client> {
  const responder: Responder = {
    async respond(text, exchange) {
      const message = JSON.parse(text) as Written;
      if (message.method === 'server/discover')
        return JSON.stringify({ jsonrpc: '2.0', id: message.id, result: discovery });
      return answer(message, exchange);
    },
  };
  const client = await connect(responder, { onWarning: (warning) => warnings.push(warning), ...options });
  clients.push(client);
  return client;
}

const result = (id: number | undefined, value: object): string => JSON.stringify({ jsonrpc: '2.0', id, result: value });

describe('a server in this process', () => {
  it('is reached through JSON text in both directions', async () => {
    const args = { when: new Date(0), nothing: undefined };
    const client = await serve(({ id, params }) =>
      result(id, { content: [], structuredContent: params?.['arguments'] }),
    );
    expect(client).toMatchObject({ name: 'memory', era: 'modern' });
    expect((await client.callTool('x', args)).structuredContent).toEqual({ when: '1970-01-01T00:00:00.000Z' });
  });

  it('may send progress before its answer, and nothing after it counts', async () => {
    const seen: number[] = [];
    const client = await serve(({ id }, { send }) => {
      const tell = (progress: number): void =>
        send(
          JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress } }),
        );
      tell(1);
      tell(2);
      setImmediate(() => tell(3));
      return result(id, { content: [] });
    });
    await client.callTool('x', {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2]);
  });

  it('may send other notifications during a call, which reach the client as over any transport', async () => {
    const seen: string[] = [];
    const client = await serve(
      ({ id }, { send }) => {
        send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
        return result(id, { content: [] });
      },
      { onNotification: ({ method }) => seen.push(method) },
    );
    await client.callTool('x');
    expect(seen).toEqual(['notifications/tools/list_changed']);
  });

  it('sees the signal of a call that is given up, and need not heed it', async () => {
    const aborted = Promise.withResolvers<void>();
    const client = await serve((_message, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => undefined);
    });
    expect((await failure(client.callTool('x', {}, { timeoutMs: 20 }))).code).toBe('timeout');
    await aborted.promise;
  });

  it('sees the signal when the client is closed', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const client = await serve((_message, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => undefined);
    });
    const call = failure(client.callTool('x'));
    const signal = await asked.promise;
    await client.close();
    expect((await call).code).toBe('closed');
    expect(signal.aborted).toBe(true);
  });

  it.each<[string, Answer, string]>([
    ['answers nothing', () => undefined, 'invalid-response'],
    ['answers junk', () => 'junk', 'invalid-response'],
    ['answers another id', () => result(4711, { content: [] }), 'invalid-response'],
    [
      'answers both',
      ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":""}}`,
      'invalid-response',
    ],
    ['answers too much', ({ id }) => result(id, { content: [{ type: 'text', text: 'x'.repeat(2000) }] }), 'too-large'],
    ['throws', () => Promise.reject(new Error('broken')), 'outcome-unknown'],
  ])('that %s fails this call alone', async (_name, answer, code) => {
    let isFirst = true;
    const client = await serve(
      (message, exchange) => {
        if (!isFirst) return result(message.id, { content: [] });
        isFirst = false;
        return answer(message, exchange);
      },
      { maxMessageBytes: 1000 },
    );
    expect((await failure(client.callTool('x'))).code).toBe(code);
    expect(await client.callTool('x')).toMatchObject({ content: [] });
  });
});
