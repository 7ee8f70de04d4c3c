import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions, createStreamConnection } from '../../src/index.ts';
import { createLineBatches } from '../../src/node/line-batches.ts';
import { failure } from '../expect-failure.ts';
import { discovery, type Written } from '../scripted-peer.ts';

/** A byte stream whose pieces and end the reader gets without a turn of the event loop between them. */
function createFeed() {
  const pieces: (string | Uint8Array)[] = [];
  let end: { readonly error?: Error } | undefined;
  let wake = (): void => undefined;
  return {
    write(piece: string | Uint8Array): void {
      pieces.push(piece);
      wake();
    },
    end(error?: Error): void {
      end ??= error === undefined ? {} : { error };
      wake();
    },
    async *read(): AsyncGenerator<Uint8Array> {
      for (;;) {
        for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield Buffer.from(piece);
        if (end?.error !== undefined) throw end.error;
        if (end !== undefined) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** A client over a stream that the test writes to, and what the client has written by itself. */
async function open(
  options: ConnectOptions = {},
): Promise<{ client: Client; incoming: ReturnType<typeof createFeed>; written: Written[] }> {
  const incoming = createFeed();
  const written: Written[] = [];
  const client = await connect(
    {
      name: 'depot',
      open: ({ context, handlers }) =>
        Promise.resolve(
          createStreamConnection({
            context,
            handlers,
            readable: incoming.read(),
            write(line) {
              const message = JSON.parse(line) as Written;
              written.push(message);
              if (message.method === 'server/discover') incoming.write(answerTo(message, discovery));
              return Promise.resolve();
            },
            close: () => Promise.resolve(incoming.end()),
          }),
        ),
    },
    { name: 'depot', ...options },
  );
  written.length = 0;
  return { client, incoming, written };
}

const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };

function answerTo({ id }: Written, result: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

describe('answers that come in one piece', () => {
  it('let the first caller go on before the last line is read', async () => {
    const { client, incoming, written } = await open();
    const order: string[] = [];
    const first = client.callTool('first').then(() => {
      order.push('the first is answered');
      return client.callTool('next');
    });
    const others = Array.from({ length: 58 }, () => client.callTool('x'));
    const last = client.callTool('last', {}, { onProgress: () => order.push('the last has progress') });
    await new Promise(setImmediate);
    const asked = [...written];
    const progress = { progressToken: asked.at(-1)?.id, progress: 1 };
    const lines = asked.map((message) => answerTo(message, done));
    lines.splice(-1, 0, `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress })}\n`);
    incoming.write(lines.join(''));
    await Promise.all([...others, last]);
    expect(order).toEqual(['the first is answered', 'the last has progress']);
    incoming.write(answerTo(written.at(-1) ?? {}, done));
    expect(await first).toMatchObject(done);
    await client.close();
  });

  it.each([
    ['ends', undefined],
    ['breaks', new Error('cable')],
  ])('are all given out where the stream %s right behind them', async (_how, error) => {
    const { client, incoming, written } = await open();
    const calls = Array.from({ length: 3000 }, () => client.callTool('x'));
    const unanswered = failure(client.callTool('never'));
    await new Promise(setImmediate);
    const answered = written.slice(0, -1).map((message) => answerTo(message, done));
    incoming.write(answered.join(''));
    incoming.end(error);
    expect(new Set((await Promise.all(calls)).map(({ content }) => JSON.stringify(content))).size).toBe(1);
    expect(await unanswered).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
  });

  it('are given out before a line after them that is too large to be told whose answer it is', async () => {
    const { client, incoming, written } = await open({ maxMessageBytes: 4096 });
    const [first, second, third] = ['first', 'second', 'third'].map((name) => client.callTool(name));
    await new Promise(setImmediate);
    const pieces = written.slice(0, -1).map((message) => answerTo(message, done));
    // Its id stands in the middle, so that only who waits alone can be meant.
    pieces.push(`{"result":{"t":"${'q'.repeat(5000)}"},"id":${written.at(-1)?.id},"more":"${'q'.repeat(600)}"}\n`);
    incoming.write(pieces.join(''));
    expect(await first).toMatchObject(done);
    expect(await second).toMatchObject(done);
    expect(await failure(third ?? Promise.resolve())).toMatchObject({ code: 'too-large', server: 'depot' });
    await client.close();
  });
});

async function rejectWith(failed: Error): Promise<never> {
  await Promise.resolve();
  throw failed;
}

describe('lines that are written in one turn', () => {
  it('go out in order, and twelve at a time', async () => {
    const writes: string[] = [];
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, callback) {
        writes.push(chunk);
        callback();
      },
    });
    const { write, unread } = createLineBatches(stream, rejectWith);
    const lines = Array.from({ length: 29 }, (_, index) => `${index}\n`);
    const taken = Promise.all(lines.map((line) => write(line)));
    expect(writes).toHaveLength(2);
    expect(unread()).toBeGreaterThan(0);
    await taken;
    expect(writes).toEqual([lines.slice(0, 12), lines.slice(12, 24), lines.slice(24)].map((part) => part.join('')));
    await write('one more\n');
    expect(writes.at(-1)).toBe('one more\n');
    expect(unread()).toBe(0);
  });

  it('are each told of the write that failed', async () => {
    let count = 0;
    const stream = new Writable({
      write(_chunk, _encoding, callback) {
        count += 1;
        callback(count === 2 ? new Error('EPIPE') : null);
      },
    });
    stream.on('error', () => undefined);
    const failures: string[] = [];
    const { write } = createLineBatches(stream, (error) => {
      failures.push(error.message);
      return rejectWith(error);
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 24 }, () => write('x\n')));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 12 }, () => 'fulfilled'),
      ...Array.from({ length: 12 }, () => 'rejected'),
    ]);
    expect(failures).toEqual(['EPIPE']);
  });
});
