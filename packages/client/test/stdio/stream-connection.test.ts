import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientWarning, connect, createStreamConnection, type Transport } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { discovery, type Written } from '../scripted-peer.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** A modern server at the other end of web streams, which answers discovery and echoes a call's text. */
function createStreamPeer(): {
  readonly transport: Transport;
  readonly lines: string[];
  /** Whether what is written is taken. */
  takes: boolean;
  push(bytes: string | Uint8Array): void;
  end(error?: Error): void;
} {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const peer = {
    lines: [] as string[],
    takes: true,
    push: (bytes: string | Uint8Array) =>
      controller?.enqueue(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes),
    end: (error?: Error) => (error === undefined ? controller?.close() : controller?.error(error)),
    transport: {
      name: 'streams',
      open({ context, handlers }) {
        const readable = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
        const connection = createStreamConnection({
          context,
          handlers,
          readable,
          write(line) {
            peer.lines.push(line);
            if (!peer.takes) return new Promise(() => {});
            const { id, method, params } = JSON.parse(line) as Written;
            const answer = (result: object): void => peer.push(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
            if (method === 'server/discover') answer(discovery);
            if (params?.['name'] === 'echo')
              answer({ resultType: 'complete', content: [{ type: 'text', text: 'é 鯨' }] });
            return Promise.resolve();
          },
          close() {
            controller?.error(new Error('closed'));
            return Promise.resolve();
          },
        });
        return Promise.resolve(connection);
      },
    } satisfies Transport,
  };
  return peer;
}

async function open(): Promise<{ client: Client; peer: ReturnType<typeof createStreamPeer> }> {
  const peer = createStreamPeer();
  const client = await connect(peer.transport, { name: 'depot', onWarning: (warning) => warnings.push(warning) });
  clients.push(client);
  return { client, peer };
}

describe('a connection over a byte stream', () => {
  it('[STDIO-01] [STDIO-20] writes one message a line, and reads lines in pieces of any size', async () => {
    const { client, peer } = await open();
    const call = client.callTool('late');
    await settle();
    const { id } = JSON.parse(peer.lines.at(-1) ?? '') as { id: number };
    for (const line of peer.lines) expect(line).toMatch(/^[^\n]+\n$/);
    const result = { resultType: 'complete', content: [{ type: 'text', text: 'é 鯨 🛶' }] };
    for (const byte of new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\r\n`)) {
      peer.push(new Uint8Array([byte]));
    }
    expect(await call).toMatchObject(result);
    expect(warnings).toEqual([]);
  });

  it('reports junk and goes on', async () => {
    const { client, peer } = await open();
    peer.push('Welcome!\n');
    peer.push(new Uint8Array([0xff, 0xfe, 0x0a]));
    expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'é 鯨' }] });
    expect(warnings.map(({ code }) => code)).toEqual(['junk-output', 'junk-output']);
  });

  it.each([
    ['first', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"t":"caf`, '"}}\n'],
    ['last', () => '{"result":{"t":"caf', '"},"jsonrpc":"2.0","id":ID}\n'],
  ])('rejects a call at once whose answer is not UTF-8, with the id %s', async (_where, head, tail) => {
    const { client, peer } = await open();
    const call = failure(client.callTool('late'));
    await settle();
    const { id } = JSON.parse(peer.lines.at(-1) ?? '') as { id: number };
    peer.push(head(id));
    peer.push(new Uint8Array([0xe9]));
    peer.push(tail.replace('ID', String(id)));
    const error = await call;
    expect(error).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect(error.message).toMatch(/not UTF-8.*caf\ufffd/);
    expect(await client.callTool('echo')).toMatchObject({ resultType: 'complete' });
  });

  it('takes no log line in another encoding for the only answer that waits', async () => {
    const { client, peer } = await open();
    const call = client.callTool('late');
    await settle();
    const { id } = JSON.parse(peer.lines.at(-1) ?? '') as { id: number };
    peer.push('{"level":"info","said":"caf');
    peer.push(new Uint8Array([0xe9]));
    peer.push(`"}\n{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[]}}\n`);
    expect(await call).toMatchObject({ content: [] });
  });

  it.each([
    ['ends', undefined, /its stream ended/],
    ['breaks', new Error('cable cut'), /its stream broke: .*cable cut/],
  ])('ends with its stream, and is opened anew for the next call: it %s', async (_how, error, sentence) => {
    const { client, peer } = await open();
    const call = failure(client.callTool('late'));
    await settle();
    peer.end(error);
    expect((await call).message).toMatch(sentence);
    expect(await client.callTool('echo')).toMatchObject({ resultType: 'complete' });
  });

  it('gets no more while 16 Mi characters wait unread, and says that nothing was sent', async () => {
    const { client, peer } = await open();
    peer.takes = false;
    const text = 'q'.repeat(17 * 1024 * 1024);
    const first = failure(client.callTool('echo', { text }));
    await settle();
    const written = peer.lines.length;
    const second = await failure(client.callTool('echo'));
    expect(second.code).toBe('closed');
    expect(second.message).toContain('does not read its stream');
    expect(peer.lines).toHaveLength(written);
    await client.close();
    await first;
  });
});
